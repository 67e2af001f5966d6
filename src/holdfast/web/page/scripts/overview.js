// The overview: what runs, what waits, what is finished; a filter and a search over all of it.
import { askSessions } from "./api.js";
import { makeCard, showCard } from "./card.js";
import { freshen, keyed, keyedChild, make, setText } from "./elements.js";
import { complain, say } from "./notices.js";
import { Search } from "./search.js";
import { PACES, inOrder, sessionPace } from "./sessions.js";
import { visible } from "./text.js";
import { everySecond, now } from "./times.js";
import { t } from "./words.js";

const PAGE = 60;
const SETTLE = 20;

/** The overview as a view: `element` shows it, `change` takes a change in, `end` lets go. */
export class Overview {
  constructor(cache) {
    this.cache = cache;
    this.filter = "all";
    this.fresh = new Set();
    this.frame = null;
    this.search = new Search((words) => this.#searched(words));
    this.element = make("div", { class: "overview" });
    this.ticks = 0;
    this.stopClock = everySecond(() => ++this.ticks % SETTLE === 0 && this.draw());
    this.#build();
    this.draw();
  }

  get title() {
    const { running } = this.cache.counts;
    return running ? `(${running}) Holdfast` : "Holdfast";
  }

  end() {
    this.stopClock();
    cancelAnimationFrame(this.frame);
  }

  /** A change has come: the session it is in has been taken in already. */
  change({ change, session }) {
    if (this.search.words) this.search.again();
    this.fresh.add(session.session);
    this.frame ??= requestAnimationFrame(() => this.#drawFresh());
    this.#announce(change, session);
  }

  /** Draw once a frame, however many changes came. */
  #drawFresh() {
    this.frame = null;
    this.draw();
    const cards = PACES.map((pace) => this.sections[pace].cards);
    for (const name of this.fresh) cards.map((list) => keyedChild(list, name)).forEach((card) => card && freshen(card));
    this.fresh.clear();
  }

  reset() {
    this.search.again();
    this.draw();
  }

  focusSearch() {
    this.search.input.focus();
    this.search.input.select();
  }

  #announce(change, session) {
    const name = visible(session.session);
    if (session.pace === "finished") say(t("now_finished", { session: name }));
    else if (change.parts.some((part) => part.kind === "blocked")) say(t("now_blocked", { session: name }));
  }

  #build() {
    this.filters = Object.fromEntries(["all", ...PACES].map((name) => [name, this.#filterButton(name)]));
    this.sections = Object.fromEntries(PACES.map((pace) => [pace, this.#section(pace)]));
    this.nothing = make("p", { class: "nothing" });
    const filters = make("div", { class: "paces", role: "group" }, ...Object.values(this.filters));
    const finder = make("div", { class: "finder" }, this.search.element, filters);
    const sections = PACES.map((pace) => this.sections[pace].element);
    this.element.append(make("h1", { class: "unseen", text: t("overview") }), finder, this.nothing, ...sections);
  }

  #filterButton(name) {
    const button = make("button", { type: "button" }, make("span", { text: t(name) }), make("span", { class: "number" }));
    button.addEventListener("click", () => this.#choose(name));
    return button;
  }

  #section(pace) {
    const cards = make("ul", { class: "cards" });
    const count = make("span", { class: "number" });
    const more = make("button", { class: "more", type: "button", text: t("more"), on: { click: () => this.#more(pace) } });
    const heading = make("h2", {}, make("span", { text: t(pace) }), " ", count);
    const folds = pace === "finished";
    const element = make(folds ? "details" : "section", { class: "pace", data: { pace } });
    element.append(folds ? make("summary", {}, heading) : heading, cards, more);
    if (folds) element.addEventListener("toggle", () => this.#unfolded(element));
    return { element, cards, count, more };
  }

  #choose(name) {
    this.filter = name;
    if (name === "finished") this.sections.finished.element.open = true;
    this.draw();
  }

  #unfolded(element) {
    if (element.open && !this.cache.loaded.has("finished")) this.#more("finished");
  }

  async #more(pace) {
    try {
      await this.cache.load(pace, PAGE);
      this.draw();
    } catch (trouble) {
      complain(trouble);
    }
  }

  async #searched(words) {
    if (words) {
      this.found = (await askSessions({ search: words, limit: PAGE })).sessions;
      this.found.forEach((session) => this.cache.sessions.set(session.session, session));
      this.sections.finished.element.open = true;
    } else {
      this.found = null;
      this.sections.finished.element.open = this.filter === "finished";
    }
    this.draw();
  }

  /** Bring everything up to date. */
  draw() {
    const moment = now();
    const names = this.found && new Set(this.found.map((session) => session.session));
    const sessions = [...this.cache.sessions.values()].filter((session) => !names || names.has(session.session));
    let total = 0;
    for (const pace of PACES) {
      const here = sessions.filter((session) => sessionPace(session, moment) === pace);
      total += this.#drawSection(pace, here, names !== null && names !== undefined);
    }
    this.#drawFilters();
    this.#drawNothing(total);
  }

  #drawSection(pace, sessions, searching) {
    const { element, cards, count, more } = this.sections[pace];
    const number = searching ? sessions.length : this.cache.counts[pace];
    const wanted = this.filter === "all" || this.filter === pace;
    element.hidden = !wanted || number === 0;
    setText(count, String(number));
    more.hidden = searching || !this.cache.next[pace];
    const shownNow = wanted ? inOrder(sessions, pace) : [];
    keyed(cards, shownNow, (session) => session.session, makeCard, showCard);
    return wanted ? number : 0;
  }

  #drawFilters() {
    const { counts } = this.cache;
    const numbers = { all: PACES.reduce((sum, pace) => sum + counts[pace], 0), ...counts };
    for (const [name, button] of Object.entries(this.filters)) {
      button.setAttribute("aria-pressed", String(this.filter === name));
      setText(button.lastElementChild, String(numbers[name]));
    }
  }

  #drawNothing(total) {
    this.nothing.hidden = total > 0;
    const empty = PACES.every((pace) => this.cache.counts[pace] === 0);
    const search = this.search.words;
    setText(this.nothing, search ? t("nothing_found", { search }) : t(empty ? "nothing_yet" : "nothing_here"));
  }
}
