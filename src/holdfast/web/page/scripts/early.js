// Runs before anything is drawn, so that the page never shows in the wrong colours.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const chosen = localStorage.getItem("holdfast-theme");
    document.documentElement.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
  };
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("holdfast-theme", apply);
  apply();
})();
