// What was changed, the newest first, and a slider to look back in time.
import { redoable, undoable, who, what } from "./changes.js";
import { attribute, keyed, make, setText } from "./elements.js";
import { moment, showSince } from "./times.js";
import { t } from "./words.js";

export class History {
  constructor(look, earlier) {
    this.look = look;
    this.changes = [];
    this.next = null;
    this.slider = make("input", { type: "range", min: 0, step: 1, "aria-label": t("slider") });
    this.slider.addEventListener("input", () => this.#slid());
    this.label = make("p", { class: "then" });
    this.list = make("ol", { class: "changes" });
    this.earlier = make("button", { type: "button", class: "plain", text: t("earlier"), on: { click: earlier } });
    const heading = make("h2", { text: t("history") });
    this.element = make("section", { class: "sheet history" }, heading, this.slider, this.label, this.list, this.earlier);
  }

  /** The revision of the newest change. */
  get revision() {
    return this.changes[0]?.revision ?? 0;
  }

  /** The change that an undo would take back. */
  get undoable() {
    return undoable(this.changes);
  }

  /** The undo that a redo would take back. */
  get redoable() {
    return redoable(this.changes);
  }

  begin({ changes, next }) {
    this.changes = changes;
    this.next = next;
  }

  add(change) {
    if (change.sequence > (this.changes[0]?.sequence ?? 0)) this.changes.unshift(change);
  }

  addEarlier({ changes, next }) {
    this.changes.push(...changes);
    this.next = next;
  }

  /** Show the changes; `past` is the plan that is looked at, if that is not the one of now. */
  show(past) {
    const at = past ? this.changes.findIndex((change) => change.revision === past.revision) : 0;
    const last = this.changes.length - 1;
    this.slider.max = Math.max(last, 0);
    this.slider.disabled = last < 1;
    if (document.activeElement !== this.slider || !past) this.slider.value = last - Math.max(at, 0);
    this.#showLabel(past, this.changes[Math.max(at, 0)]);
    this.earlier.hidden = this.next === null;
    const isShown = (change) => past !== null && change.revision === past.revision;
    const shownNow = this.changes.filter((change) => change.action !== "told" || change.revision === past?.revision);
    keyed(this.list, shownNow, (change) => change.sequence, (change) => this.#make(change), (node, change) => showChange(node, change, isShown(change)));
  }

  #showLabel(past, change) {
    const words = past && change ? t("slider_at", { revision: change.revision, time: moment(change.at), what: what(change) }) : t("slider_now");
    setText(this.label, words);
    this.slider.setAttribute("aria-valuetext", words);
  }

  #slid() {
    const at = this.changes.length - 1 - Number(this.slider.value);
    this.look(at === 0 ? null : this.changes[at]);
  }

  #make(change) {
    const button = make("button", { type: "button", class: "plain", on: { click: () => this.look(change) } });
    button.append(make("span", { class: "by" }), make("span", { class: "what said" }), make("span", { class: "number" }));
    return make("li", {}, button);
  }
}

function showChange(node, change, isShown) {
  const button = node.firstElementChild;
  const [by, words, time] = button.children;
  attribute(button, "aria-current", isShown ? "true" : null);
  attribute(button, "title", t("show_then", { time: moment(change.at) }));
  by.dataset.by = change.by;
  setText(by, who(change));
  setText(words, what(change));
  showSince(time, change.at, "ago");
}
