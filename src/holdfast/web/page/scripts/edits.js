// A person's changes. A change that comes too late is made again if what it is about is still as the person saw it;
// if not, the person sees what the plan is now, and decides.
import { addTodo, changeTodo, moveTodo, removeTodo, undo } from "./api.js";
import { what } from "./changes.js";
import { make, setText } from "./elements.js";
import { complain, notify, say } from "./notices.js";
import { visible } from "./text.js";
import { t } from "./words.js";

const TRIES = 4;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const find = (plan, id) => plan.todos.find((todo) => todo.id === id);

export class Edits {
  constructor(view) {
    this.view = view;
    this.words = make("p");
    this.quote = make("p", { class: "said" });
    const anyway = make("button", { type: "button", class: "strong", text: t("anyway"), on: { click: () => this.#anyway() } });
    const leave = make("button", { type: "button", text: t("keep_theirs"), on: { click: () => this.#settle() } });
    const said = make("div", {}, this.words, this.quote);
    this.element = make("div", { class: "banner", role: "alert", hidden: true, data: { kind: "conflict" } }, said, anyway, leave);
  }

  status(id, status) {
    return this.#todo(id, (plan, revision) => changeTodo(plan, id, { status }, revision));
  }

  reword(id, content) {
    return this.#todo(id, (plan, revision) => changeTodo(plan, id, { content }, revision), content);
  }

  async remove(id) {
    const todo = find(this.view.plan, id);
    const done = await this.#todo(id, (plan, revision) => removeTodo(plan, id, revision));
    if (done) notify(t("removed", { what: visible(todo.content) }), { label: t("undo"), act: () => this.undo() });
  }

  add(content) {
    return this.#attempt({ act: (plan, revision) => addTodo(plan, { content }, revision), isSame: () => true, fresh: [] });
  }

  async move(id, position) {
    const total = this.view.plan.todos.length;
    if (position < 0 || position >= total) return;
    const order = (plan) => plan.todos.map((todo) => todo.id);
    const done = await this.#attempt({
      act: (plan, revision) => moveTodo(plan, id, position, revision),
      isSame: (before, after) => same(order(before), order(after)),
      fresh: [id],
    });
    if (done) say(t("moved_to", { n: position + 1, total }));
  }

  async undo(newest = null) {
    const done = await this.#attempt({
      act: undo,
      isSame: (before, after) => same(before.todos, after.todos),
      fresh: [],
    });
    if (done && newest) say(t("undo_what", { what: what(newest) }));
  }

  #todo(id, act, words = "") {
    return this.#attempt({ act, isSame: (before, after) => same(find(before, id), find(after, id)), fresh: [id], words });
  }

  /** Make a change; whether it was made. */
  async #attempt(wish) {
    let seen = this.view.plan;
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        this.view.take(await wish.act(seen.id, seen.revision), wish.fresh);
        this.#settle();
        return true;
      } catch (trouble) {
        if (trouble.status !== 412) return void complain(trouble);
        const { plan } = trouble.data;
        this.view.take(plan, wish.fresh);
        if (!wish.isSame(seen, plan)) break;
        seen = plan;
      }
    }
    this.#dispute(wish);
    return false;
  }

  #dispute(wish) {
    this.wish = wish;
    setText(this.words, t("conflict"));
    setText(this.quote, wish.words ? t("conflict_words", { what: visible(wish.words) }) : "");
    this.element.hidden = false;
  }

  #anyway() {
    const { wish } = this;
    this.#settle();
    if (wish) this.#attempt(wish);
  }

  #settle() {
    this.wish = null;
    this.element.hidden = true;
  }
}
