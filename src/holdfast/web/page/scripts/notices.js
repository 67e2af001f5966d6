// What the page says for a moment: on the screen, and to screen readers.
import { make } from "./elements.js";
import { t } from "./words.js";

const STAYS = 6000;

/** Say something to people who cannot see the page. */
export function say(words) {
  const said = document.getElementById("said");
  said.append(make("p", { text: words }));
  while (said.childElementCount > 5) said.firstElementChild.remove();
}

/** Show a notice; with an action it has a button for it. */
export function notify(words, action = null) {
  const place = document.getElementById("notices");
  const notice = make("div", { class: "notice", role: "status" }, make("span", { class: "said", text: words }));
  const close = () => notice.remove();
  if (action) {
    const act = () => (close(), action.act());
    notice.append(make("button", { type: "button", text: action.label, on: { click: act } }));
  }
  notice.append(make("button", { type: "button", text: "×", "aria-label": t("close"), on: { click: close } }));
  place.append(notice);
  while (place.childElementCount > 3) place.firstElementChild.remove();
  setTimeout(() => notice.matches(":hover, :focus-within") || close(), STAYS);
}

/** Show an error. */
export function complain(trouble) {
  notify(trouble.status === 0 ? t("unreachable") : t("failed", { error: trouble.message }));
}
