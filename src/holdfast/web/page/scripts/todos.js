// The list of a plan's todos, and the line to add one. Arrow keys go through it; one todo at a time takes the Tab key.
import { Drag } from "./drag.js";
import { freshen, keyed, keyedChild, make, setText } from "./elements.js";
import { askDetails } from "./details.js";
import { openMenu } from "./menu.js";
import { makeTodo, reword, showTodo } from "./todo.js";
import { t } from "./words.js";

const LONGEST = 200;

export class TodoList {
  constructor(edits, bringBack) {
    this.edits = edits;
    this.list = make("ol", { class: "todos" });
    const back = make("button", { type: "button", text: t("bring_back"), on: { click: bringBack } });
    this.cleared = make("div", { class: "nothing" }, make("p", { text: t("cleared") }), back);
    this.form = this.#addForm();
    const heading = make("h2", { class: "unseen", text: t("todos") });
    this.element = make("section", { class: "sheet list" }, heading, this.list, this.cleared, this.form);
    this.list.addEventListener("focusin", (event) => this.#activate(event.target.closest(".todo")));
    this.list.addEventListener("click", (event) => this.#click(event));
    this.list.addEventListener("dblclick", (event) => event.target.closest(".words") && this.#reword(event.target.closest(".todo")));
    new Drag(this.list, () => this.plan, (id, place, seen) => this.edits.move(id, place, seen));
  }

  /** Show a plan's todos, some of them marked; what is past cannot be changed. */
  show(plan, fresh, isPast) {
    this.plan = plan;
    this.element.classList.toggle("is-past", isPast);
    this.isPast = isPast;
    this.form.hidden = isPast;
    this.cleared.hidden = plan.todos.length > 0;
    const untold = new Map(plan.untold.map((edit) => [edit.id, edit.kind]));
    const asOf = isPast ? plan.updated_at : null;
    const update = (node, todo) => showTodo(node, todo, untold.has(todo.id), asOf);
    keyed(this.list, withSections(plan.todos), (todo) => todo.id, makeTodo, update);
    fresh.forEach((id) => this.#mark(id));
    this.#activate(this.active?.isConnected ? this.active : this.#first());
  }

  /** Where the keys begin: at what is being worked on, or what is open. */
  #first() {
    const [...rows] = this.list.children;
    const find = (...statuses) => rows.find((row) => statuses.includes(row.dataset.status));
    return find("in_progress") ?? find("pending", "blocked") ?? rows[0];
  }

  focusAdd() {
    this.input.focus();
  }

  #mark(id) {
    const node = keyedChild(this.list, id);
    if (node) freshen(node);
  }

  #addForm() {
    this.input = make("input", { type: "text", maxlength: LONGEST, placeholder: t("add_placeholder"), "aria-label": t("add_label") });
    const form = make("form", { class: "add" }, this.input, make("button", { type: "submit", text: t("add") }));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const content = this.input.value.trim();
      if (content && (await this.edits.add(content))) this.input.value = "";
    });
    this.input.addEventListener("keydown", (event) => event.key === "Escape" && this.input.blur());
    return form;
  }

  /** Let the keys act on one todo, which is marked, and the Tab key lead to it only. */
  #activate(todo) {
    if (!todo) return;
    for (const other of this.list.children) {
      other.classList.toggle("is-active", other === todo);
      for (const button of other.querySelectorAll("button, summary")) button.tabIndex = other === todo ? 0 : -1;
    }
    this.active = todo;
  }

  #click(event) {
    if (this.isPast) return;
    const todo = event.target.closest(".todo");
    if (event.target.closest(".tick")) this.#tick(todo);
    else if (event.target.closest(".menu-button")) openMenu(event.target.closest(".menu-button"), this.#actions(todo));
  }

  #tick(todo) {
    const done = ["completed", "cancelled"].includes(todo.dataset.status);
    this.edits.status(todo.dataset.id, done ? "pending" : "completed");
  }

  #reword(todo) {
    if (this.isPast) return;
    const seen = this.plan;
    reword(todo, find(seen, todo), (content) => this.edits.reword(todo.dataset.id, content, seen));
  }

  async #details(todo) {
    if (this.isPast) return;
    const seen = this.plan;
    const fields = await askDetails(find(seen, todo), seen.todos);
    if (fields) this.edits.details(todo.dataset.id, fields, seen);
    todo.querySelector(".tick")?.focus();
  }

  #place(todo) {
    return [...this.list.children].indexOf(todo);
  }

  /** What can be done to a todo: words, key, deed. */
  #actions(todo) {
    const { id, status } = todo.dataset;
    const place = this.#place(todo);
    const set = (name) => () => this.edits.status(id, name);
    const move = (by) => () => this.edits.move(id, place + by);
    return [
      status !== "completed" && ["do_complete", "Space", set("completed")],
      ["completed", "cancelled"].includes(status) && ["do_reopen", "Space", set("pending")],
      status !== "in_progress" && ["do_start", "s", set("in_progress")],
      status !== "blocked" && ["do_block", "b", set("blocked")],
      status !== "cancelled" && ["do_cancel", "c", set("cancelled")],
      ["do_details", "i", () => this.#details(todo)],
      ["do_reword", "e", () => this.#reword(todo)],
      place > 0 && ["do_up", "Alt ↑", move(-1)],
      place < this.list.childElementCount - 1 && ["do_down", "Alt ↓", move(1)],
      ["do_remove", "Del", () => this.#remove(todo)],
    ].filter(Boolean);
  }

  async #remove(todo) {
    const near = todo.nextElementSibling ?? todo.previousElementSibling;
    if (await this.edits.remove(todo.dataset.id)) (near?.querySelector(".tick") ?? this.input).focus();
  }

  /** A key was pressed: in the list, or where no other part of the page has the focus. */
  key(event) {
    const { target } = event;
    const todo = target.matches("body, main") ? this.active : this.list.contains(target) && target.closest(".todo");
    if (!todo?.isConnected || this.isPast) return;
    const act = event.altKey ? this.#moving(event.key, todo) : this.#deed(event.key, todo);
    if (act) {
      event.preventDefault();
      act();
    }
  }

  #moving(key, todo) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    return by && (() => this.edits.move(todo.dataset.id, this.#place(todo) + by));
  }

  #deed(key, todo) {
    const { id } = todo.dataset;
    const go = (other) => () => other?.querySelector(".tick").focus();
    return {
      ArrowUp: go(todo.previousElementSibling),
      ArrowDown: go(todo.nextElementSibling),
      Home: go(this.list.firstElementChild),
      End: go(this.list.lastElementChild),
      s: () => this.edits.status(id, "in_progress"),
      c: () => this.edits.status(id, "cancelled"),
      b: () => this.edits.status(id, "blocked"),
      e: () => this.#reword(todo),
      i: () => this.#details(todo),
      F2: () => this.#reword(todo),
      Delete: () => this.#remove(todo),
    }[key];
  }
}

/** The todos, each with whether a section begins with it. */
function withSections(todos) {
  return todos.map((todo, at) => ({ ...todo, section_begins: todo.details.section !== (todos[at - 1]?.details.section ?? "") }));
}

const find = (plan, node) => plan.todos.find((todo) => todo.id === node.dataset.id);
