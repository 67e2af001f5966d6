// A question before something that takes much away.
import { make } from "./elements.js";
import { t } from "./words.js";

/** Ask a person; whether the answer was yes. The focus is on no, and Escape is no. */
export function ask(words, yes) {
  const buttons = [
    make("button", { type: "submit", value: "", class: "strong", autofocus: true, text: t("keep") }),
    make("button", { type: "submit", value: "yes", class: "risky", text: yes }),
  ];
  const form = make("form", { method: "dialog" }, make("p", { id: "question", text: words }), make("div", { class: "choices" }, ...buttons));
  const dialog = make("dialog", { role: "alertdialog", "aria-labelledby": "question" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((answer) => {
    const end = (isYes) => (dialog.close(), dialog.remove(), answer(isYes));
    form.addEventListener("submit", (event) => (event.preventDefault(), end(event.submitter.value === "yes")));
    dialog.addEventListener("cancel", (event) => (event.preventDefault(), end(false)));
    dialog.addEventListener("close", () => end(false)); // a browser may close it by itself, after a second Escape
  });
}
