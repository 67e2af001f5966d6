// A person's changes. A change that comes too late is made again if what it is about is still as the person saw it;
// if not, the person sees what the plan is now, and decides.
import { addTodo, approve, changeTodo, moveTodo, redo, removeTodo, rename, restore, undo } from "./api.js";
import { what } from "./changes.js";
import { make, setText } from "./elements.js";
import { complain, notify, say } from "./notices.js";
import { ask } from "./question.js";
import { visible } from "./text.js";
import { t } from "./words.js";

const TRIES = 4;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const find = (plan, id) => plan.todos.find((todo) => todo.id === id);
const order = (plan) => plan.todos.map((todo) => todo.id);
const sameTodos = (before, after) => same(before.todos, after.todos);

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
    return this.#todo(id, "status", { act: (plan, revision) => changeTodo(plan, id, { status }, revision) });
  }

  /** New words for a todo; `seen` is the plan as it was when the person began to write them. */
  reword(id, content, seen) {
    const act = (plan, revision) => changeTodo(plan, id, { content }, revision);
    return this.#todo(id, "content", { act, seen, words: content });
  }

  /** What else is said of a todo; `seen` is the plan as it was when the person began. */
  details(id, fields, seen) {
    return this.#todo(id, "details", { act: (plan, revision) => changeTodo(plan, id, fields, revision), seen });
  }

  /** Another name for the session; `seen` is the plan as it was when the person began to write it. */
  rename(name, seen) {
    const isSame = (before, after) => before.about.name === after.about.name;
    return this.#attempt({ act: (plan, revision) => rename(plan, { name }, revision), isSame, seen, words: name });
  }

  /** Let the work begin on a plan that waits for it, as the person sees it. */
  async approve() {
    if (await this.#attempt({ act: approve, isSame: sameTodos })) say(t("was_approved"));
  }

  async remove(id) {
    const { todos } = this.view.plan;
    if (todos.length === 1 && !(await this.#mayEmpty())) return false;
    const todo = find(this.view.plan, id);
    const done = await this.#attempt({
      act: (plan, revision) => removeTodo(plan, id, revision),
      isSame: (before, after) => same(find(before, id), find(after, id)),
    });
    const seen = this.view.plan;
    if (done) notify(t("removed", { what: visible(todo.content) }), { label: t("undo"), act: () => this.#takeBack(undo, seen) });
    return done;
  }

  add(content) {
    return this.#attempt({ act: (plan, revision) => addTodo(plan, { content }, revision), isSame: () => true });
  }

  /** Another place for a todo; `seen` is the plan as it was when the person took it. */
  async move(id, position, seen = this.view.plan) {
    const total = seen.todos.length;
    if (position < 0 || position >= total) return;
    const done = await this.#attempt({
      act: (plan, revision) => moveTodo(plan, id, position, revision),
      isSame: (before, after) => same(order(before), order(after)),
      fresh: [id],
      seen,
    });
    if (done) say(t("moved_to", { n: position + 1, total }));
  }

  /** Take back a change. One that began the plan would take all of it, so the person is asked first. */
  async undo(change) {
    if (!change) return;
    if ((change.is_new_plan || change.total_before === 0) && !(await this.#mayEmpty())) return;
    if (await this.#takeBack(undo)) say(t("undo_what", { what: what(change) }));
  }

  /** Take back an undo. */
  async redo(change) {
    if (!change || (change.total_before === 0 && !(await this.#mayEmpty()))) return;
    if (await this.#takeBack(redo)) say(t("redone"));
  }

  /** Bring back a plan as it was. */
  async restore(past) {
    if (past.todos.length === 0 && !(await this.#mayEmpty())) return false;
    const { revision: old } = past;
    const done = await this.#takeBack((plan, revision) => restore(plan, { revision: old }, revision));
    if (done) say(t("was_restored"));
    return done;
  }

  #takeBack(act, seen) {
    return this.#attempt({ act, isSame: sameTodos, seen });
  }

  /** Whether every todo may go. A plan without any has nothing to lose. */
  async #mayEmpty() {
    const n = this.view.plan.todos.length;
    return n === 0 || ask(t("empties", { n }), t("empty_it"));
  }

  /** A change of one field: what others do to the rest of the plan is no conflict. */
  #todo(id, field, wish) {
    const isSame = (before, after) => same(find(before, id)?.[field], find(after, id)?.[field]);
    return this.#attempt({ isSame, fresh: [id], ...wish });
  }

  /** Make a change; whether it was made. */
  async #attempt(wish) {
    const { fresh = [] } = wish;
    let seen = wish.seen ?? this.view.plan;
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        this.view.take(await wish.act(seen.id, seen.revision), fresh);
        return true;
      } catch (trouble) {
        if (trouble.status !== 412) return complain(trouble), false;
        const { plan } = trouble.data;
        this.view.take(plan, fresh);
        if (!wish.isSame(seen, plan)) break;
        seen = plan;
      }
    }
    this.#dispute(wish);
    return false;
  }

  #dispute(wish) {
    this.wish = { ...wish, seen: null };
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
