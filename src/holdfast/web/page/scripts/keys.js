// The keys that work anywhere on the page, while nobody writes.
import { showHelp } from "./help.js";

const WRITING = "input:not([type=range]), textarea, select, [contenteditable]";

/** Listen; `view` gives the view that is shown. */
export function listenToKeys(view) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    if (document.querySelector("dialog[open], [popover]:popover-open")) return;
    if (!event.target.matches(WRITING)) view()?.key?.(event);
    if (event.defaultPrevented || event.altKey) return;
    const act = event.target.matches(WRITING) ? writing(event) : anywhere(event.key, view());
    if (act) {
      event.preventDefault();
      act();
    }
  });
}

function writing(event) {
  return event.key === "Escape" && event.target.type === "search" ? () => leaveSearch(event.target) : null;
}

function leaveSearch(input) {
  input.value = "";
  input.dispatchEvent(new Event("input"));
  input.blur();
}

function anywhere(key, view) {
  const acts = {
    "?": showHelp,
    "/": () => (view.focusSearch ? view.focusSearch() : (location.hash = "#/")),
    n: view?.focusAdd && (() => view.focusAdd()),
    u: view?.undo && (() => view.undo()),
    r: view?.redo && (() => view.redo()),
    Escape: view?.back && (() => view.back()),
  };
  return acts[key];
}
