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

/** Sessions of one pace in their order: the one begun last, or finished last, comes first. */
export function inOrder(sessions, pace) {
  const time = (session) =>
    pace === "finished"
      ? Math.max(...session.boards.map((board) => board.updated_at))
      : Math.min(...session.boards.map((board) => board.began_at));
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
