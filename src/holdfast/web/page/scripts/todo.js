// One todo in the list.
import { attribute, keyed, make, setText } from "./elements.js";
import { visible } from "./text.js";
import { showSince, span } from "./times.js";
import { t } from "./words.js";

const SIGNS = { pending: "", in_progress: "", completed: "✓", cancelled: "✕", blocked: "!" };
const CHECKED = { completed: "true", in_progress: "mixed" };
const LONGEST = 200;

/** A todo without content yet. */
export function makeTodo() {
  const parts = {
    grip: make("span", { class: "grip", "aria-hidden": "true", title: t("drag"), text: "⠿" }),
    tick: make("button", { class: "tick", type: "button", role: "checkbox" }),
    id: make("span", { class: "id number said", "aria-hidden": "true" }),
    words: make("span", { class: "words said", dir: "auto" }),
    time: make("span", { class: "number time" }),
    badges: make("div", { class: "badges" }),
    more: makeMore("description"),
    proof: makeMore("proof"),
    work: makeMore("work"),
    menu: make("button", { class: "menu-button plain", type: "button", "aria-haspopup": "menu", text: "⋯" }),
  };
  const text = make("div", { class: "text" }, parts.words, parts.badges, parts.more, parts.proof, parts.work);
  const row = make("li", { class: "todo" }, parts.grip, parts.tick, parts.id, text, parts.time, parts.menu);
  row.parts = parts;
  return row;
}

function makeMore(word) {
  const body = make("div", { class: "more-text said" });
  return make("details", { class: "more-about" }, make("summary", { text: t(word) }), body);
}

/** Show a todo in its row, as it is now or as it was at a moment. */
export function showTodo(row, todo, isUntold, asOf) {
  const { parts } = row;
  const words = visible(todo.content);
  row.dataset.id = todo.id;
  attribute(row, "data-section", todo.section_begins ? visible(todo.details.section) : null);
  setText(parts.id, visible(todo.id));
  row.dataset.status = todo.status;
  setText(parts.words, todo.status === "in_progress" ? visible(todo.active_form || todo.content) : words);
  attribute(parts.tick, "aria-checked", CHECKED[todo.status] ?? "false");
  attribute(parts.tick, "aria-label", t("tick", { what: words, status: t(todo.status) }));
  setText(parts.tick, SIGNS[todo.status]);
  parts.tick.disabled = parts.menu.disabled = asOf !== null;
  attribute(parts.menu, "aria-label", t("actions", { what: words }));
  showTime(parts.time, todo, asOf);
  showBadges(parts.badges, todo, isUntold);
  showMore(parts.more, todo.details.description);
  showMore(parts.work, workLines(todo.work ?? []));
  showMore(parts.proof, todo.proof ? `${todo.proof.check}\n${todo.proof.output}`.trim() : "");
}

/** What was done for a todo, a line for each call: what was called, how often, and what it touched. */
function workLines(work) {
  const line = ({ tool, call, failed, times, files }) =>
    t(failed ? "work_failed" : "work_ran", { what: call || tool }) +
    (times > 1 ? ` ×${times}` : "") +
    (files.length ? ` (${files.join(", ")})` : "");
  return work.map(line).join("\n");
}

/** How long it took, or takes. */
function showTime(node, todo, asOf) {
  const { started_at: started } = todo;
  const runs = todo.status === "in_progress" && started !== null;
  const end = runs ? asOf : todo.finished_at;
  showSince(node, runs && asOf === null ? started : null);
  if (started !== null && end !== null) setText(node, span(end - started));
}

function showBadges(badges, todo, isUntold) {
  const { priority, blocked_by: waits, owner, reason } = todo.details;
  const found = [
    ["high", "low"].includes(priority) && ["priority", t(`priority_${priority}`)],
    reason && todo.status === "blocked" && ["blocked", t("because", { reason: visible(reason) })],
    waits.length > 0 && ["waits", t("waits_for", { ids: waits.map((id) => `#${visible(id)}`).join(" ") })],
    owner && ["owner", t("owner", { name: visible(owner) })],
    todo.evidence && ["evidence", t("evidence", { what: visible(todo.evidence) })],
    todo.proof && ["proved", t("proved")],
    isClaimed(todo) && ["claimed", t("claimed", { check: visible(todo.details.check) })],
    todo.details.check && !["completed", "cancelled"].includes(todo.status) && ["check", t("check", { check: visible(todo.details.check) })],
    isUntold && ["person", t("not_told")],
  ].filter(Boolean);
  const make_ = ([kind]) => make("span", { class: "badge said", data: { kind } });
  keyed(badges, found, ([kind]) => kind, make_, (node, [, words]) => setText(node, words));
}

/** Whether it was completed although nobody has run its check. */
function isClaimed(todo) {
  return todo.status === "completed" && todo.details.check && !todo.proof;
}

function showMore(more, description) {
  more.hidden = !description;
  setText(more.lastElementChild, description.split("\n").map(visible).join("\n"));
}

/** Let the person reword a todo in its place: Enter saves, Escape leaves it. */
export function reword(row, todo, save) {
  if (!todo || row.querySelector("form")) return;
  const { words, tick } = row.parts;
  const input = make("input", { type: "text", maxlength: LONGEST, "aria-label": t("reword_label") });
  input.value = todo.content;
  const form = make("form", { class: "reword" }, input, make("button", { type: "submit", class: "strong", text: t("save") }));
  const leave = () => {
    form.remove();
    words.hidden = false;
    tick.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const content = input.value.trim();
    leave();
    if (content && content !== todo.content) save(content);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    leave();
  });
  words.hidden = true;
  words.after(form);
  input.focus();
  input.select();
}
