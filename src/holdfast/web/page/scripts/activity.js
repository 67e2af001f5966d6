// What was changed last, in all plans.
import { askActivity } from "./api.js";
import { who, what } from "./changes.js";
import { keyed, make, setText } from "./elements.js";
import { complain } from "./notices.js";
import { visible } from "./text.js";
import { showSince } from "./times.js";
import { t } from "./words.js";

const MOST = 40;

export class Activity {
  constructor() {
    this.changes = [];
    this.list = make("ol", {});
    this.element = make("aside", { class: "activity", hidden: true }, make("h2", { text: t("activity") }), this.list);
    this.load();
  }

  /** Ask for all of it again. */
  async load() {
    try {
      const { changes } = await askActivity({ limit: MOST });
      changes.reverse().forEach((change) => this.add(change));
    } catch (trouble) {
      complain(trouble);
    }
  }

  /** Show a change, unless it is known. */
  add(change) {
    if (change.action === "told" || change.sequence <= (this.changes[0]?.sequence ?? 0)) return;
    const kept = change.action === "delete" ? this.changes.filter(({ plan }) => plan !== change.plan) : this.changes;
    this.changes = [change, ...kept].slice(0, MOST);
    this.element.hidden = false;
    keyed(this.list, this.changes, ({ sequence }) => sequence, makeEntry, showEntry);
  }
}

function makeEntry() {
  const parts = [make("span", { class: "where said" }), make("span", { class: "number" }), make("span", { class: "what said" })];
  return make("li", {}, make("a", {}, ...parts));
}

function showEntry(node, change) {
  const link = node.firstElementChild;
  const [where, time, words] = link.children;
  link.href = `#/plan/${change.plan}`;
  link.dataset.by = change.by;
  setText(where, visible(change.agent === "main" ? change.session : `${change.session} / ${change.agent}`) || "—");
  showSince(time, change.at, "ago");
  setText(words, t("change_said", { who: who(change), what: what(change) }));
}
