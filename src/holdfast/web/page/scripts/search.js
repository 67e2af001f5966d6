// The search field: it asks when the reader pauses, and shows the last answer only.
import { make } from "./elements.js";
import { complain } from "./notices.js";
import { t } from "./words.js";

const PAUSE = 150;
const AGAIN_AFTER = 1000;
const LONGEST = 200;

export class Search {
  constructor(searched) {
    this.searched = searched;
    this.input = make("input", { type: "search", maxlength: LONGEST, placeholder: t("search"), "aria-label": t("search") });
    this.input.addEventListener("input", () => this.#ask(PAUSE));
    this.element = make("search", { class: "search" }, this.input);
  }

  get words() {
    return this.input.value.trim();
  }

  /** Ask the same again: something has changed. */
  again() {
    if (this.words && !this.timer) this.#ask(AGAIN_AFTER);
  }

  #ask(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      this.timer = null;
      try {
        await this.searched(this.words);
      } catch (trouble) {
        complain(trouble);
      }
    }, pause);
  }
}
