// The head of a plan: whose it is, what it is for, how far it is.
import { attribute, keyed, make, setText } from "./elements.js";
import { what } from "./changes.js";
import { place } from "./card.js";
import { asTree, nameUnder } from "./sessions.js";
import { makeStrip, showStrip } from "./strip.js";
import { visible } from "./text.js";
import { RenameForm } from "./rename.js";
import { t } from "./words.js";

export class Head {
  constructor(undo, redo, rename) {
    this.name = make("h1", { class: "said" });
    this.renameForm = new RenameForm(this.name, rename);
    this.place = make("p", { class: "place said" });
    this.about = make("p", { class: "about said" });
    this.undo = make("button", { type: "button", class: "undo", text: t("undo"), on: { click: undo } });
    this.redo = make("button", { type: "button", class: "redo", text: t("redo"), on: { click: redo } });
    this.agents = make("ul", {});
    this.nav = make("nav", { class: "boards" }, this.agents);
    this.strip = makeStrip();
    this.count = make("span", { class: "number" });
    const back = make("a", { class: "back", href: "#/", text: `← ${t("back")}` });
    const title = make("div", { class: "title" }, this.name, ...this.renameForm.elements, this.undo, this.redo);
    const progress = make("div", { class: "progress" }, this.strip, this.count);
    this.element = make("header", { class: "head" }, back, title, this.place, this.about, this.nav, progress);
  }

  /** Show a plan among the boards of its session; `history` knows what can be taken back. */
  show(plan, boards, history, isPast) {
    const { undoable, redoable } = history;
    const { name, title, client, folder, branch } = plan.about;
    const label = name || title;
    this.renameForm.show(plan, isPast);
    setText(this.name, visible(label || plan.session) || "—");
    setText(this.place, place(plan, { title: label, client, folder: boards[0]?.folder ?? folder, branch }));
    setText(this.about, visible(plan.summary));
    showStrip(this.strip, { ...plan, statuses: plan.todos.length <= 60 ? plan.todos.map((todo) => todo.status) : [] });
    setText(this.count, t("progress", plan));
    this.#showAgents(plan, boards);
    this.undo.disabled = !undoable || isPast;
    this.undo.title = undoable ? t("undo_what", { what: what(undoable) }) : t("nothing_to_undo");
    this.redo.hidden = !redoable || isPast;
  }

  #showAgents(plan, boards) {
    this.nav.hidden = boards.length < 2 && plan.agent === "main";
    this.nav.setAttribute("aria-label", t("subagents", { session: visible(plan.session) }));
    const rows = boards.length ? asTree(boards) : [{ board: plan, depth: 0 }];
    keyed(this.agents, rows, ({ board }) => board.id, makeBoard, (node, row) => showBoard(node, row, plan));
  }
}

function makeBoard() {
  return make("li", {}, make("a", {}, make("span", { class: "said" }), make("span", { class: "number" })));
}

/** A board as a link. The one that is shown counts as it is shown: now, or as it was. */
function showBoard(node, { board, depth }, shown) {
  const isShown = board.id === shown.id;
  const link = node.firstElementChild;
  const [name, count] = link.children;
  link.href = `#/plan/${board.id}`;
  link.dataset.depth = depth;
  attribute(link, "aria-current", isShown ? "page" : null);
  setText(name, board.agent === "main" ? t("main_agent") : visible(nameUnder(board)));
  setText(count, t("done_of", isShown ? shown : board));
}
