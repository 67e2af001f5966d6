// The progress of a plan as a strip: one mark for each todo, or in a long plan one stretch for each status.
import { keyed, make } from "./elements.js";
import { t } from "./words.js";

const ORDER = ["completed", "cancelled", "in_progress", "blocked", "pending"];

/** An empty strip. */
export const makeStrip = () => make("div", { class: "strip", role: "img" });

/** Show how far a board or a plan is. */
export function showStrip(strip, board) {
  strip.setAttribute("aria-label", t("progress", board));
  const marks = board.statuses.length ? board.statuses.map((status) => [status, 1]) : stretches(board.counts);
  keyed(
    strip,
    marks.map(([status, share], place) => ({ status, share, place })),
    (mark) => mark.place,
    () => make("i"),
    (node, mark) => {
      node.dataset.status = mark.status;
      node.style.flexGrow = mark.share;
    },
  );
}

function stretches(counts) {
  return ORDER.map((status) => [status, counts[status]]).filter(([, share]) => share > 0);
}
