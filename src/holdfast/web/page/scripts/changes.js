// A change in words: who did what.
import { visible } from "./text.js";
import { t } from "./words.js";

const MOST_PARTS = 3;

/** Who made a change. */
export const who = (change) => t(`by_${change.by}`);

/** What was changed, in a line. */
export function what(change) {
  const words = describe(change);
  return change.action === "undo" ? t("undid", { what: words }) : words;
}

function describe(change) {
  if (change.is_cleared) return t("cleared_the_plan");
  if (change.is_new_plan) return t("planned", { n: change.total });
  if (change.action === "told") return t("told_the_model");
  if (change.parts.length === 0) return t("changed_nothing");
  const ordered = [...change.parts].sort((a, b) => (a.kind === "started") - (b.kind === "started"));
  const left = ordered.length - MOST_PARTS + change.left_out;
  const words = ordered.slice(0, MOST_PARTS).map(part);
  return (left > 0 ? [...words, t("and_more", { n: left })] : words).join(t("locale") === "en" ? "; " : "；");
}

function part({ kind, text, was }) {
  if (kind === "moved" && text === "") return t("kind_reordered");
  return t(`kind_${kind}`, { what: visible(text), was: visible(was ?? "") });
}
