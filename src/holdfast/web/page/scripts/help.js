// The keys, in a dialog.
import { make } from "./elements.js";
import { t } from "./words.js";

const KEYS = [
  ["/", "key_search"],
  ["Tab", "key_open"],
  ["Esc", "key_back"],
  ["↑ ↓", "key_move"],
  ["Space", "key_tick"],
  ["s", "key_start"],
  ["c", "key_cancel"],
  ["b", "key_block"],
  ["e", "key_reword"],
  ["i", "key_details"],
  ["Del", "key_remove"],
  ["Alt ↑ ↓", "key_place"],
  ["n", "key_new"],
  ["u", "key_undo"],
  ["r", "key_redo"],
  ["?", "key_help"],
];

/** Show what the keys do. */
export function showHelp() {
  const close = make("button", { type: "button", text: t("close") });
  const rows = KEYS.flatMap(([key, words]) => [
    make("dt", {}, ...key.split(" ").flatMap((part) => [make("kbd", { text: part }), " "])),
    make("dd", { text: t(words) }),
  ]);
  const dialog = make("dialog", { "aria-labelledby": "help-title" }, make("h2", { id: "help-title", text: t("help") }));
  dialog.append(make("dl", {}, ...rows), close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
