// A menu at a button: arrow keys, Enter, Escape; it closes when the reader looks elsewhere.
import { make } from "./elements.js";
import { t } from "./words.js";

const GAP = 4;

/** Open a menu. Each action is [words, key, deed]. */
export function openMenu(button, actions) {
  const items = actions.map(([words, key, act]) => item(t(words), key, () => (menu.hidePopover(), act())));
  const menu = make("div", { class: "menu", role: "menu", popover: "auto" }, ...items);
  menu.addEventListener("toggle", (event) => event.newState === "closed" && close(menu, button));
  menu.addEventListener("keydown", (event) => go(event, items));
  document.body.append(menu);
  button.setAttribute("aria-expanded", "true");
  menu.showPopover();
  place(menu, button);
  items[0].focus();
}

function item(words, key, act) {
  const shown = [make("span", { text: words }), make("kbd", { text: key, "aria-hidden": "true" })];
  return make("button", { type: "button", role: "menuitem", tabindex: "-1", on: { click: act } }, ...shown);
}

function close(menu, button) {
  const held = menu.contains(document.activeElement) || document.activeElement === document.body;
  menu.remove();
  button.removeAttribute("aria-expanded");
  if (held) button.focus();
}

function go(event, items) {
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Tab") event.preventDefault();
  if (to === undefined) return;
  event.preventDefault();
  items[(to + items.length) % items.length].focus();
}

function place(menu, button) {
  const at = button.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = menu;
  const below = at.bottom + GAP + high <= innerHeight;
  menu.style.insetInlineStart = `${Math.max(8, Math.min(at.right - wide, innerWidth - wide - 8))}px`;
  menu.style.insetBlockStart = `${below ? at.bottom + GAP : Math.max(8, at.top - GAP - high)}px`;
}
