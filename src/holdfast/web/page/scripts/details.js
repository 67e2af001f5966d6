// What else can be said of a todo, in a dialog: what it waits for, how urgent it is, who does it, a note, a check.
import { make } from "./elements.js";
import { visible } from "./text.js";
import { t } from "./words.js";

const TEXTS = ["section", "owner", "check", "reason"];
const PRIORITIES = ["", "high", "medium", "low"];

/** Ask a person; the fields that were changed, or null if none was. Escape changes nothing. */
export function askDetails(todo, todos) {
  const { details } = todo;
  const inputs = Object.fromEntries(TEXTS.map((name) => [name, make("input", { type: "text", maxlength: 2000, value: details[name] })]));
  inputs.priority = make("select", {}, ...PRIORITIES.map((value) => make("option", { value, text: t(`priority_${value || "none"}`) })));
  inputs.priority.value = details.priority;
  inputs.blocked_by = make("input", { type: "text", value: details.blocked_by.join(", "), placeholder: otherIds(todo, todos) });
  inputs.description = make("textarea", { rows: 3 });
  inputs.description.value = details.description;
  const names = ["blocked_by", "priority", "owner", "section", "check", ...(todo.status === "blocked" ? ["reason"] : []), "description"];
  const rows = names.map((name) => make("label", {}, make("span", { text: t(`detail_${name}`) }), inputs[name]));
  const buttons = [
    make("button", { type: "submit", value: "", text: t("leave"), formnovalidate: true }),
    make("button", { type: "submit", value: "save", class: "strong", text: t("save") }),
  ];
  const title = make("h2", { id: "details-title", class: "said", text: visible(todo.content) });
  const form = make("form", { method: "dialog", class: "details" }, title, ...rows, make("div", { class: "choices" }, ...buttons));
  const dialog = make("dialog", { "aria-labelledby": "details-title" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((answer) => {
    const end = (fields) => (dialog.remove(), answer(fields));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      end(event.submitter?.value === "" ? null : changed(details, inputs, names));
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.matches("input, select")) {
        event.preventDefault();
        end(changed(details, inputs, names));
      }
    });
    dialog.addEventListener("close", () => end(null));
  });
}

/** The fields that are other than before; null if all are the same. */
function changed(details, inputs, names) {
  const values = Object.fromEntries(names.map((name) => [name, value(name, inputs[name])]));
  const different = names.filter((name) => JSON.stringify(values[name]) !== JSON.stringify(details[name]));
  return different.length ? Object.fromEntries(different.map((name) => [name, values[name]])) : null;
}

function value(name, input) {
  const text = input.value.trim();
  return name === "blocked_by" ? text.split(/[\s,]+/).filter(Boolean) : text;
}

function otherIds(todo, todos) {
  return todos.filter(({ id }) => id !== todo.id).map(({ id }) => visible(id)).slice(0, 8).join(", ");
}
