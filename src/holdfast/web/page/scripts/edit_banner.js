// A banner that says whether the model knows what people have changed.
import { make, setText } from "./elements.js";
import { say } from "./notices.js";
import { t } from "./words.js";

const STAYS = 6000;

/** Says that the model will be told of edits, and then, for a moment, that it was. */
export class EditBanner {
  constructor() {
    this.words = make("span");
    this.element = make("p", { class: "banner", hidden: true, data: { kind: "untold" } }, this.words);
  }

  /** A newer plan is shown. */
  take(before, after) {
    const waiting = after.untold.length;
    if (waiting) this.#show("untold", t("will_tell", { n: waiting }));
    else if (before?.untold.length) this.#showTold();
    else if (this.element.dataset.kind !== "told") this.element.hidden = true;
  }

  #showTold() {
    this.#show("told", `✓ ${t("told")}`);
    say(t("told"));
    this.timer = setTimeout(() => this.#show("untold", ""), STAYS);
  }

  #show(kind, words) {
    clearTimeout(this.timer);
    this.element.dataset.kind = kind;
    this.element.hidden = words === "";
    setText(this.words, words);
  }
}
