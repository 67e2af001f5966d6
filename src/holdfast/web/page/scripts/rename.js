// Another name for a session: a button beside its title, and a field in the title's place.
import { make } from "./elements.js";
import { t } from "./words.js";

const LONGEST = 200;

export class RenameForm {
  constructor(title, rename) {
    this.title = title;
    this.rename = rename;
    this.button = make("button", { type: "button", class: "plain rename", text: t("rename"), on: { click: () => this.#open() } });
    this.input = make("input", { type: "text", maxlength: LONGEST, "aria-label": t("rename_label"), on: { keydown: (event) => this.#key(event) } });
    const save = make("button", { class: "strong", text: t("save") });
    const cancel = make("button", { type: "button", text: t("leave"), on: { click: () => this.#close() } });
    this.form = make("form", { class: "rename-form", hidden: true, on: { submit: (event) => this.#save(event) } }, this.input, save, cancel);
    this.elements = [this.button, this.form];
  }

  /** Know the plan that is shown. The past cannot be renamed. */
  show(plan, isPast) {
    this.plan = plan;
    this.button.disabled = isPast;
  }

  #open() {
    this.seen = this.plan;
    this.input.value = this.plan.about.name || this.plan.about.title;
    this.input.placeholder = this.plan.session;
    this.#toggle(true);
    this.input.select();
  }

  #close() {
    this.#toggle(false);
    this.button.focus();
  }

  #toggle(isOpen) {
    this.form.hidden = !isOpen;
    this.title.hidden = this.button.hidden = isOpen;
  }

  #key(event) {
    event.stopPropagation();
    if (event.key === "Escape") this.#close();
  }

  async #save(event) {
    event.preventDefault();
    this.#close();
    await this.rename(this.input.value.trim(), this.seen);
  }
}
