// A change in words: who did what.
import { visible } from "./text.js";
import { t } from "./words.js";

const MOST_PARTS = 3;
const BESIDE_THE_TODOS = {
  told: "told_the_model",
  approve: "approved_the_plan",
  review: "asked_for_approval",
  rename: "renamed",
  archive: "put_away",
  delete: "deleted_the_plan",
};
const BACK_AND_FORTH = { undo: "undid", redo: "redid", restore: "restored" };

/** Who made a change. */
export const who = (change) => t(`by_${change.by}`);

/** What was changed, in a line. */
export function what(change) {
  const words = describe(change);
  return change.action in BACK_AND_FORTH ? t(BACK_AND_FORTH[change.action], { what: words }) : words;
}

/** The newest change that an undo would take back, of changes that come newest first. */
export function undoable(changes) {
  for (const change of inForce(changes)) if (!change.undoes) return change;
  return null;
}

/** The newest undo, if nothing was changed since: what a redo would take back. */
export function redoable(changes) {
  const [newest] = inForce(changes);
  return newest?.action === "undo" ? newest : null;
}

/** The changes that were not taken back. A redo is left out: it only takes back an undo. */
function* inForce(changes) {
  const takenBack = new Set();
  for (const change of changes) {
    if (takenBack.has(change.revision) || change.action in BESIDE_THE_TODOS) continue;
    if (change.undoes) takenBack.add(change.undoes);
    if (change.action !== "redo") yield change;
  }
}

function describe(change) {
  if (change.is_cleared) return t(change.action in BACK_AND_FORTH ? "emptied_the_plan" : "cleared_the_plan");
  if (change.is_new_plan) return t("planned", { n: change.total });
  if (change.action in BESIDE_THE_TODOS) return t(BESIDE_THE_TODOS[change.action]);
  if (change.parts.length === 0) return t("changed_nothing");
  const ordered = [...change.parts].sort((a, b) => (a.kind === "started") - (b.kind === "started"));
  const left = ordered.length - MOST_PARTS + change.left_out;
  const words = ordered.slice(0, MOST_PARTS).map(part);
  return (left > 0 ? [...words, t("and_more", { n: left })] : words).join(t("locale") === "en" ? "; " : "；");
}

function part({ kind, text, was, fields }) {
  if (kind === "moved" && text === "") return t("kind_reordered");
  if (kind === "changed" && fields.length > 0) {
    const names = fields.map((name) => t(`field_${name}`)).join(t("locale") === "en" ? ", " : "、");
    return t("kind_changed_fields", { what: visible(text), fields: names });
  }
  return t(`kind_${kind}`, { what: visible(text), was: visible(was ?? "") });
}
