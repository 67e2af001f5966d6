// One plan: its head, its list, where its time went, its history. In the past it can be looked at, not changed.
import { askHistory, askPlan, askPlanAt } from "./api.js";
import { who, what } from "./changes.js";
import { Edits } from "./edits.js";
import { make, setText } from "./elements.js";
import { History } from "./history.js";
import { Head } from "./head.js";
import { complain, say } from "./notices.js";
import { visible } from "./text.js";
import { about, now } from "./times.js";
import { Timeline } from "./timeline.js";
import { TodoList } from "./todos.js";
import { EditBanner } from "./edit_banner.js";
import { t } from "./words.js";

const FIRST_CHANGES = 100;

/** A plan as a view: `element` shows it, `change` takes a change in, `end` lets go. */
export class PlanView {
  constructor(id, cache, retitle) {
    this.id = id;
    this.cache = cache;
    this.retitle = retitle;
    this.plan = null;
    this.boards = [];
    this.past = null;
    this.edits = new Edits(this);
    this.head = new Head(() => this.undo(), () => this.redo(), (name, seen) => this.edits.rename(name, seen));
    this.editBanner = new EditBanner();
    this.list = new TodoList(this.edits, () => this.bringBack());
    this.timeline = new Timeline();
    this.history = new History((change) => this.lookAt(change), () => this.#earlier());
    this.pastBanner = this.#makePastBanner();
    this.approval = this.#makeApproval();
    this.element = make("div", { class: "plan" });
    this.#load();
  }

  get title() {
    if (!this.plan) return "Holdfast";
    const { done, total, session } = this.past ?? this.plan;
    return `${done}/${total} ${visible(session)} · Holdfast`;
  }

  end() {
    this.timeline.end();
  }

  back() {
    if (this.past) this.lookAt(null);
    else location.hash = "#/";
  }

  focusAdd() {
    this.list.focusAdd();
  }

  key(event) {
    this.list.key(event);
  }

  async undo() {
    if (await this.#catchUp()) this.edits.undo(this.history.undoable);
  }

  async redo() {
    if (await this.#catchUp()) this.edits.redo(this.history.redoable);
  }

  /** Bring back what was in a plan that has been emptied: by an undo, or by a change that can be undone. */
  async bringBack() {
    if (!(await this.#catchUp())) return;
    if (this.history.redoable) this.redo();
    else this.undo();
  }

  /** A change has come. If it is of this plan, it is fetched; many at once are fetched once. */
  async change({ change, session }) {
    if (this.plan && session.session === this.plan.session) {
      this.boards = session.boards;
      this.#drawHead();
    }
    if (change.plan !== this.id) return;
    if (this.isLoading) {
      this.isBehind = true;
      return;
    }
    if (change.action === "delete") return this.#showGone("plan_deleted");
    if (this.isGone) return this.#load();
    this.history.add(change);
    say(t("change_said", { who: who(change), what: what(change) }));
    await this.#refresh(change.parts.map((part) => part.id));
  }

  reset() {
    this.element.replaceChildren();
    this.#load();
  }

  /** Show a plan that the server has just given, with some todos marked. */
  take(plan, fresh = []) {
    if (this.plan && plan.revision < this.plan.revision) return;
    this.editBanner.take(this.plan, plan);
    this.plan = plan;
    this.retitle();
    this.draw(fresh);
  }

  /** Look at the plan as it was after a change, or with none as it is now. */
  async lookAt(change) {
    this.looking = change;
    try {
      const past = change && change.revision !== this.plan.revision ? await askPlanAt(this.id, change.revision) : null;
      if (this.looking !== change) return;
      this.past = past;
      this.retitle();
      this.draw(past ? change.parts.map((part) => part.id) : []);
    } catch (trouble) {
      complain(trouble);
    }
  }

  draw(fresh = []) {
    const plan = this.past ?? this.plan;
    this.#drawHead();
    this.list.show(plan, fresh, this.past !== null);
    this.timeline.show(plan, this.past !== null);
    this.history.show(this.past);
    this.#drawBanners();
  }

  #drawBanners() {
    this.pastBanner.hidden = this.past === null;
    this.approval.hidden = this.past !== null || this.plan.about.review !== "waiting";
    this.editBanner.element.classList.toggle("is-away", this.past !== null);
    if (!this.past) return;
    const { updated_at: updated, revision } = this.past;
    setText(this.pastBanner.firstElementChild, t("past", { time: about(now() - updated), revision }));
  }

  #drawHead() {
    this.head.show(this.past ?? this.plan, this.boards, this.history, this.past !== null);
  }

  /** Fetch all that is shown; once more if it changed meanwhile: what came then may be older. */
  async #load() {
    this.isLoading = true;
    this.isBehind = false;
    try {
      const [plan, history] = await Promise.all([askPlan(this.id), askHistory(this.id, { limit: FIRST_CHANGES })]);
      this.boards = await this.cache.boards(plan.session);
      this.isGone = false;
      this.history.begin(history);
      this.#build();
      this.take(plan);
    } catch (trouble) {
      this.#showGone(trouble.data?.code === "deleted" ? "plan_deleted" : "no_plan");
      if (trouble.status !== 404) complain(trouble);
    } finally {
      this.isLoading = false;
    }
    if (this.isBehind) await this.#load();
  }

  /** Show why there is no plan here. If one is written, it comes. */
  #showGone(why) {
    this.plan = this.past = null;
    this.isGone = true;
    const back = make("a", { href: "#/", text: t("back") });
    this.element.replaceChildren(make("div", { class: "nothing" }, make("p", { text: t(why) }), back));
    this.retitle();
  }

  #makeApproval() {
    const approve = make("button", { type: "button", class: "strong", text: t("approve"), on: { click: () => this.edits.approve() } });
    return make("div", { class: "banner", hidden: true, data: { kind: "approval" } }, make("p", { text: t("awaits_you") }), approve);
  }

  #makePastBanner() {
    const restore = make("button", { type: "button", class: "strong", text: t("restore"), on: { click: () => this.#restore() } });
    const back = make("button", { type: "button", text: t("to_now"), on: { click: () => this.lookAt(null) } });
    return make("div", { class: "banner", hidden: true, data: { kind: "past" } }, make("p"), restore, back);
  }

  async #restore() {
    if (this.past && (await this.edits.restore(this.past))) this.lookAt(null);
  }

  #build() {
    const banners = [this.approval, this.pastBanner, this.editBanner.element, this.edits.element];
    const left = make("div", { class: "column" }, ...banners, this.list.element);
    const right = make("div", { class: "column" }, this.timeline.element, this.history.element);
    this.element.replaceChildren(this.head.element, make("div", { class: "columns" }, left, right));
  }

  async #refresh(fresh) {
    this.fresh = new Set([...(this.fresh ?? []), ...fresh]);
    if (this.refreshing) return void (this.again = true);
    this.refreshing = true;
    try {
      do {
        this.again = false;
        const marked = this.fresh;
        this.fresh = new Set();
        this.take(await askPlan(this.id), [...marked]);
      } while (this.again);
    } catch (trouble) {
      complain(trouble);
    }
    this.refreshing = false;
  }

  /** Have the history up to the plan that is shown: an edit's answer may be here before its change. */
  async #catchUp() {
    if (!this.plan) return false;
    if (this.history.revision >= this.plan.revision) return true;
    try {
      const { changes } = await askHistory(this.id, { limit: FIRST_CHANGES });
      changes.reverse().forEach((change) => this.history.add(change));
      return true;
    } catch (trouble) {
      complain(trouble);
      return false;
    }
  }

  async #earlier() {
    try {
      this.history.addEarlier(await askHistory(this.id, { limit: FIRST_CHANGES, before: this.history.next }));
      this.history.show(this.past);
    } catch (trouble) {
      complain(trouble);
    }
  }
}
