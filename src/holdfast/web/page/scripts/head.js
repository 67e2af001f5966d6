// The head of a plan: whose it is, what it is for, how far it is, what is being worked on.
import { attribute, keyed, make, setText } from "./elements.js";
import { what } from "./changes.js";
import { asTree, nameUnder, paceOf } from "./sessions.js";
import { makeStrip, showStrip } from "./strip.js";
import { visible } from "./text.js";
import { now, showSince } from "./times.js";
import { t } from "./words.js";

export class Head {
  constructor(undo) {
    this.name = make("h1", { class: "said" });
    this.about = make("p", { class: "about said" });
    this.undo = make("button", { type: "button", class: "undo", text: t("undo"), on: { click: undo } });
    this.agents = make("ul", {});
    this.nav = make("nav", { class: "boards" }, this.agents);
    this.strip = makeStrip();
    this.count = make("span", { class: "number" });
    this.working = make("span", { class: "said" });
    this.since = make("span", { class: "number" });
    this.sign = make("span", { class: "sign", "aria-hidden": "true" }, make("span", { class: "pulse" }));
    this.now = make("p", { class: "now", data: { kind: "running" } }, this.sign, this.working, this.since);
    const back = make("a", { class: "back", href: "#/", text: `← ${t("back")}` });
    const title = make("div", { class: "title" }, this.name, this.undo);
    const progress = make("div", { class: "progress" }, this.strip, this.count);
    this.element = make("header", { class: "head" }, back, title, this.about, this.nav, progress, this.now);
  }

  /** Show a plan among the boards of its session; `newest` is what an undo would take back. */
  show(plan, boards, newest, isPast) {
    setText(this.name, visible(plan.session) || "—");
    setText(this.about, visible(plan.summary));
    showStrip(this.strip, { ...plan, statuses: plan.todos.length <= 60 ? plan.todos.map((todo) => todo.status) : [] });
    setText(this.count, t("progress", plan));
    this.#showNow(plan, isPast);
    this.#showAgents(plan, boards);
    this.undo.disabled = !newest || isPast;
    this.undo.title = newest ? t("undo_what", { what: what(newest) }) : t("nothing_to_undo");
  }

  #showNow(plan, isPast) {
    const current = plan.todos.find((todo) => todo.status === "in_progress");
    const runs = !isPast && current && paceOf({ ...plan, current }, now()) === "running";
    this.now.hidden = !runs;
    setText(this.working, current ? visible(current.active_form || current.content) : "");
    showSince(this.since, runs ? current.started_at : null);
  }

  #showAgents(plan, boards) {
    this.nav.hidden = boards.length < 2 && plan.agent === "main";
    this.nav.setAttribute("aria-label", t("subagents", { session: visible(plan.session) }));
    const rows = boards.length ? asTree(boards) : [{ board: plan, depth: 0 }];
    keyed(this.agents, rows, ({ board }) => board.id, makeBoard, (node, row) => showBoard(node, row, plan.id));
  }
}

function makeBoard() {
  return make("li", {}, make("a", {}, make("span", { class: "said" }), make("span", { class: "number" })));
}

function showBoard(node, { board, depth }, chosen) {
  const link = node.firstElementChild;
  const [name, count] = link.children;
  link.href = `#/plan/${board.id}`;
  link.dataset.depth = depth;
  attribute(link, "aria-current", board.id === chosen ? "page" : null);
  setText(name, board.agent === "main" ? t("main_agent") : visible(nameUnder(board)));
  setText(count, t("done_of", board));
}
