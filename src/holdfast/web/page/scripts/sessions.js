// The sessions that the page knows, and their order: the same as in the terminal and on the server.

export const PACES = ["running", "waiting", "finished"];

let quietAfter = 3600;

/** Set after how many quiet seconds an agent counts as stopped: the server decides. */
export function setQuietAfter(seconds) {
  quietAfter = seconds;
}

/** How a board goes on at a moment. */
export function paceOf(board, now) {
  if (board.done === board.total) return "finished";
  return board.current && now - board.updated_at < quietAfter ? "running" : "waiting";
}

/** How a session goes on: as the liveliest of its boards. */
export function sessionPace(session, now) {
  return PACES.find((pace) => session.boards.some((board) => paceOf(board, now) === pace)) ?? "finished";
}

/** The groups that an order of sessions has: by pace, by the day of the last change, or just one. Those by project and by client follow from the sessions. */
export const GROUPS = {
  pace: ["approval", ...PACES],
  changed: ["today", "yesterday", "week", "earlier_days"],
  name: ["by_name"],
  project: [],
  client: [],
};

/** In which order to ask the server for sessions. */
export const serverSort = (order) => (order === "project" || order === "client" ? "changed" : order);

/** Whether a person has to look at a session before its work goes on. */
export const awaitsApproval = (session) => session.boards.some((board) => board.awaits_approval);

/** The groups of an order, as far as these sessions have them. */
export function groupsOf(order, sessions, now) {
  if (GROUPS[order].length) return GROUPS[order];
  return [...new Set(sessions.map((session) => groupOf(session, order, now)))].sort();
}

/** In which group of an order a session stands. */
export function groupOf(session, order, now) {
  if (order === "pace") return awaitsApproval(session) ? "approval" : sessionPace(session, now);
  if (order === "project") return session.boards[0].folder || "—";
  if (order === "client") return session.boards[0].client || "—";
  return order === "name" ? "by_name" : GROUPS.changed[Math.min(daysAgo(updatedAt(session), now), 3)];
}

/** 0 for today, 1 for yesterday, 2 for the week, 3 for what is earlier. */
function daysAgo(at, now) {
  const midnight = new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
  if (at >= midnight) return 0;
  return at >= midnight - 86400 ? 1 : at >= midnight - 6 * 86400 ? 2 : 3;
}

const updatedAt = (session) => Math.max(...session.boards.map((board) => board.updated_at));
const beganAt = (session) => Math.min(...session.boards.map((board) => board.began_at));

/** Sessions of one group in their order: the one begun last, changed last or finished last comes first. */
export function inOrder(sessions, order, group) {
  const time = { changed: updatedAt, project: updatedAt, client: updatedAt, name: () => 0 }[order] ?? (group === "finished" ? updatedAt : beganAt);
  const name = (session) => session.session;
  return [...sessions].sort((a, b) => time(b) - time(a) || (name(a) < name(b) ? -1 : 1));
}

/** What to call an agent where it stands under another one. */
export function nameUnder({ agent, parent }) {
  return parent && agent.startsWith(`${parent}/`) ? agent.slice(parent.length + 1) : agent;
}

/** The boards of a session as a tree laid flat: each with its depth, parents before their children. */
export function asTree(boards) {
  const under = (parent, depth) =>
    boards.filter((board) => board.parent === parent).flatMap((board) => [{ board, depth }, ...under(board.agent, depth + 1)]);
  const tree = under(null, 0);
  const seen = new Set(tree.map(({ board }) => board.agent));
  return [...tree, ...boards.filter((board) => !seen.has(board.agent)).map((board) => ({ board, depth: 1 }))];
}
