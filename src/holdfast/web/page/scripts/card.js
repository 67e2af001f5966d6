// One session on the overview.
import { keyed, make, setText } from "./elements.js";
import { asTree, nameUnder, paceOf } from "./sessions.js";
import { makeStrip, showStrip } from "./strip.js";
import { visible } from "./text.js";
import { about, now, showSince } from "./times.js";
import { t } from "./words.js";

const MOST_AGENTS = 4;
const SIGNS = { approval: "?", emptied: "–", blocked: "!", quiet: "…", next: "○", done: "✓" };

/** A card without content yet. */
export function makeCard() {
  const parts = {
    name: make("a", { class: "said" }),
    when: make("span", { class: "when number" }),
    place: make("p", { class: "place said" }),
    about: make("p", { class: "about said" }),
    now: makeNow(),
    outcome: make("p", { class: "outcome said" }),
    strip: makeStrip(),
    count: make("span", { class: "number" }),
    badges: make("div", { class: "badges" }),
    agents: make("ul", { class: "agents" }),
  };
  const head = make("div", { class: "head" }, make("h3", {}, parts.name), parts.when);
  const progress = make("div", { class: "progress" }, parts.strip, parts.count);
  const card = make("li", { class: "card" }, head, parts.place, parts.about, parts.now, parts.outcome, parts.badges, parts.agents, progress);
  card.parts = parts;
  return card;
}

/** Show a session in its card. */
export function showCard(card, session) {
  const { parts } = card;
  const [lead, ...others] = session.boards;
  setText(parts.name, visible(lead.title || session.session) || "—");
  setText(parts.place, place(session, lead));
  parts.name.href = `#/plan/${lead.id}`;
  showSince(parts.when, Math.max(...session.boards.map((board) => board.updated_at)), "ago");
  setText(parts.about, visible(lead.summary));
  showNow(parts.now, lead);
  setText(parts.outcome, outcome(lead));
  showStrip(parts.strip, lead);
  setText(parts.count, t("done_of", lead));
  showBadges(parts.badges, session);
  showAgents(parts.agents, session, others);
}

/** Where a session comes from, and its id where the name does not say it. */
export function place(session, { title, client, folder, branch }) {
  return [title && session.session, client, folder, branch].filter(Boolean).map(visible).join(" · ");
}

function makeNow() {
  return make("p", { class: "now" }, make("span", { class: "sign", "aria-hidden": "true" }), make("span", { class: "said" }), make("span", { class: "number" }));
}

/** What a board is about now: what is worked on, what it is stuck at, what comes next. */
function doing(board) {
  const pace = paceOf(board, now());
  if (board.awaits_approval) return { kind: "approval", words: t("awaits_approval"), since: null };
  if (board.total === 0) return { kind: "emptied", words: t("emptied"), since: null };
  if (pace === "finished") return { kind: "done", words: howFinished(board), since: null };
  if (pace === "running") return { kind: "running", words: visible(board.current.label), since: board.current.started_at };
  if (board.blocked) return { kind: "blocked", words: t("blocked_now", { what: visible(board.blocked.label) }), since: null };
  if (board.current) return { kind: "quiet", words: t("was_at", { what: visible(board.current.label) }), since: board.updated_at };
  return { kind: "next", words: board.next ? t("next", { what: visible(board.next.label) }) : t("waiting"), since: null };
}

function howFinished({ counts, began_at: began, updated_at: updated }) {
  const done = t("done_in", { n: counts.completed, time: about(updated - began) });
  return counts.cancelled ? t("done_and_cancelled", { done, n: counts.cancelled }) : done;
}

/** What was done, todo by todo, as far as it is told. */
function outcome({ outcome: texts, counts }) {
  const left = counts.completed - texts.length;
  const parts = texts.map(visible);
  return (left > 0 && texts.length ? [...parts, t("and_more", { n: left })] : parts).join(" · ");
}

function showNow(line, board) {
  const { kind, words, since } = doing(board);
  const [sign, text, time] = line.children;
  if (line.dataset.kind !== kind) {
    line.dataset.kind = kind;
    sign.replaceChildren(kind === "running" ? make("span", { class: "pulse" }) : SIGNS[kind]);
  }
  setText(text, words);
  showSince(time, since, kind === "quiet" ? "quiet_for" : "plain");
}

function showBadges(badges, session) {
  const blocked = session.boards.reduce((sum, board) => sum + board.counts.blocked, 0);
  const untold = session.boards.reduce((sum, board) => sum + board.untold, 0);
  const isSaid = blocked === 1 && session.boards[0].blocked && doing(session.boards[0]).kind === "blocked";
  const found = [
    ["blocked", isSaid ? 0 : blocked],
    ["person", untold],
  ].filter(([, n]) => n > 0);
  keyed(
    badges,
    found,
    ([kind]) => kind,
    ([kind]) => make("span", { class: "badge", data: { kind } }),
    (node, [kind, n]) => setText(node, t(kind === "blocked" ? "blocked_badge" : "untold_badge", { n })),
  );
}

function showAgents(list, session, others) {
  list.hidden = others.length === 0;
  list.setAttribute("aria-label", t("subagents", { session: visible(session.session) }));
  const rows = asTree(session.boards).filter(({ board }) => others.includes(board));
  const left = session.left_out + Math.max(rows.length - MOST_AGENTS, 0);
  const more = left ? [{ left_out: left }] : [];
  keyed(list, [...rows.slice(0, MOST_AGENTS), ...more], (row) => row.board?.id ?? "", makeAgent, showAgent);
}

function makeAgent(row) {
  if (row.left_out) return make("li", { class: "left-out" });
  const sign = make("span", { class: "sign", "aria-hidden": "true" });
  const spans = [make("span", { class: "name said" }), make("span", { class: "what said" }), make("span", { class: "number" })];
  return make("li", {}, make("a", {}, sign, ...spans));
}

function showAgent(node, { board, depth, left_out }) {
  if (left_out) {
    setText(node, t("left_out", { n: left_out }));
    return;
  }
  const link = node.firstElementChild;
  const [sign, name, what, time] = link.children;
  const { kind, words, since } = doing(board);
  node.style.setProperty("--depth", Math.max(depth - 1, 0));
  link.href = `#/plan/${board.id}`;
  sign.dataset.kind = kind;
  setText(sign, SIGNS[kind] ?? "");
  setText(name, visible(nameUnder(board)));
  setText(what, words);
  if (kind === "running") showSince(time, since);
  else (showSince(time, null), setText(time, t("done_of", board)));
}
