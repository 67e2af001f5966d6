// The bar on top: the way home, the state of the connection, language, colours, help.
import { make, setText } from "./elements.js";
import { showHelp } from "./help.js";
import { currentLanguage, setLanguage, t } from "./words.js";

const THEMES = ["auto", "light", "dark"];
const SIGNS = { auto: "◐", light: "☀", dark: "☾" };
const CHOICE = "holdfast-theme";

let live;
let place;
let state = "connecting";

/** Build the bar; `redraw` is called when the language has changed. */
export function drawBar(redraw) {
  document.documentElement.lang = currentLanguage();
  document.getElementById("skip").textContent = t("skip");
  place = make("p", { class: "place said", text: place?.textContent ?? "" });
  live = make("p", { class: "live", role: "status" });
  document.getElementById("bar").replaceChildren(home(), place, live, switches(redraw));
  showState(state);
}

function home() {
  const mark = make("img", { src: "/page/mark.svg", alt: "" });
  return make("a", { class: "home", href: "#/" }, mark, make("span", { text: "Holdfast" }));
}

function switches(redraw) {
  const language = make("button", {
    class: "plain",
    type: "button",
    text: t("other_language"),
    "aria-label": t("other_language_label"),
    on: { click: () => (setLanguage(currentLanguage() === "en" ? "zh" : "en"), redraw()) },
  });
  const help = make("button", { class: "plain", type: "button", text: "?", "aria-label": t("help"), on: { click: showHelp } });
  return make("div", { class: "switches" }, language, themeButton(), help);
}

function themeButton() {
  const button = make("button", { class: "plain", type: "button", id: "theme" });
  const draw = () => {
    const theme = localStorage.getItem(CHOICE) ?? "auto";
    setText(button, SIGNS[theme]);
    button.setAttribute("aria-label", t("theme", { name: t(`theme_${theme}`) }));
    button.title = button.getAttribute("aria-label");
  };
  button.addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(localStorage.getItem(CHOICE) ?? "auto") + 1) % THEMES.length];
    if (theme === "auto") localStorage.removeItem(CHOICE);
    else localStorage.setItem(CHOICE, theme);
    dispatchEvent(new Event("holdfast-theme"));
    draw();
  });
  draw();
  return button;
}

/** Say whether what is shown is live: "live", "connecting" or "broken". */
export function showState(name) {
  state = name;
  live.dataset.state = name;
  setText(live, t(name));
}

/** Say where the plans are. */
export function showPlace(where) {
  setText(place, where);
  place.title = where;
}
