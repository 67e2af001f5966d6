// The overview: what runs, what waits, what is finished, as cards or as a list; a filter and a search over all of it.
import { Activity } from "./activity.js";
import { askSessions } from "./api.js";
import { makeCard, showCard } from "./card.js";
import { freshen, keyed, keyedChild, make, setText } from "./elements.js";
import { complain, say } from "./notices.js";
import { Search } from "./search.js";
import { GROUPS, PACES, groupOf, groupsOf, inOrder, serverSort, sessionPace } from "./sessions.js";
import { visible } from "./text.js";
import { everySecond, now } from "./times.js";
import { t } from "./words.js";

const PAGE = 60;
const SETTLE = 20;
const VIEWS = ["cards", "list"];
const CHOICE = "holdfast-view";

/** The overview as a view: `element` shows it, `change` takes a change in, `end` lets go. */
export class Overview {
  constructor(cache) {
    this.cache = cache;
    this.filter = "all";
    this.fresh = new Set();
    this.frame = null;
    this.search = new Search((words) => this.#searched(words));
    this.activity = new Activity();
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
    this.activity.add(change);
    this.fresh.add(session.session);
    this.frame ??= requestAnimationFrame(() => this.#drawFresh());
    this.#announce(change, session);
  }

  /** Draw once a frame, however many changes came. */
  #drawFresh() {
    this.frame = null;
    this.draw();
    const cards = Object.values(this.sections).map((section) => section.cards);
    for (const name of this.fresh) cards.map((list) => keyedChild(list, name)).forEach((card) => card && freshen(card));
    this.fresh.clear();
  }

  reset() {
    this.search.again();
    this.activity.load();
    this.draw();
  }

  focusSearch() {
    this.search.input.focus();
    this.search.input.select();
  }

  #announce(change, session) {
    const name = visible(session.session);
    if (session.pace === "finished" && !change.is_cleared) say(t("now_finished", { session: name }));
    else if (change.parts.some((part) => part.kind === "blocked")) say(t("now_blocked", { session: name }));
  }

  #build() {
    this.filters = Object.fromEntries(["all", ...PACES].map((name) => [name, this.#button(name, () => this.#choose(name))]));
    this.views = Object.fromEntries(VIEWS.map((name) => [name, this.#button(name, () => this.#setView(name))]));
    this.groups = make("div", { class: "groups" });
    this.more = this.#moreButton("all");
    this.older = make("p", { class: "older", text: t("older") });
    this.nothing = make("div", { class: "nothing" });
    const filters = make("div", { class: "paces", role: "group" }, ...Object.values(this.filters));
    const views = make("div", { class: "paces views", role: "group" }, ...Object.values(this.views));
    const finder = make("div", { class: "finder" }, this.search.element, filters, this.#orders(), views);
    const sessions = make("div", { class: "sessions" }, this.nothing, this.groups, this.more, this.older);
    const below = make("div", { class: "beside" }, sessions, this.activity.element);
    this.element.append(make("h1", { class: "unseen", text: t("overview") }), finder, below);
    this.#setView(localStorage.getItem(CHOICE) === "list" ? "list" : "cards");
    this.#buildGroups();
  }

  #button(name, act) {
    const button = make("button", { type: "button", on: { click: act } }, make("span", { text: t(name) }));
    if (this.filters === undefined) button.append(make("span", { class: "number" }));
    return button;
  }

  #moreButton(pace) {
    return make("button", { class: "more", type: "button", text: t("more"), on: { click: () => this.#more(pace) } });
  }

  #orders() {
    const options = Object.keys(GROUPS).map((name) => make("option", { value: name, text: t(`order_${name}`) }));
    const select = make("select", { class: "orders", "aria-label": t("order") }, ...options);
    select.value = this.cache.sort;
    select.addEventListener("change", () => this.#setOrder(select.value));
    return select;
  }

  async #setOrder(order) {
    try {
      await this.cache.setSort(order);
      this.#buildGroups();
      this.draw();
      this.search.again();
    } catch (trouble) {
      complain(trouble);
    }
  }

  #setView(name) {
    localStorage.setItem(CHOICE, name);
    this.element.dataset.view = name;
    for (const view of VIEWS) this.views[view].setAttribute("aria-pressed", String(view === name));
  }

  #buildGroups(names = GROUPS[this.cache.sort]) {
    this.groupNames = names.join("\n");
    this.sections = Object.fromEntries(names.map((name) => [name, this.#section(name)]));
    this.groups.replaceChildren(...Object.values(this.sections).map((section) => section.element));
  }

  #section(name) {
    const cards = make("ul", { class: "cards" });
    const count = make("span", { class: "number" });
    const more = this.#moreButton(name);
    const isNamed = GROUPS[this.cache.sort].length > 0;
    const heading = make("h2", {}, make("span", { class: "said", text: isNamed ? t(name) : visible(name) }), " ", count);
    const folds = name === "finished";
    const element = make(folds ? "details" : "section", { class: "pace", data: { pace: name } });
    element.append(folds ? make("summary", {}, heading) : heading, cards, more);
    if (folds) element.addEventListener("toggle", () => this.#unfolded(element));
    return { element, cards, count, more };
  }

  #choose(name) {
    this.filter = name;
    this.#unfold(name === "finished");
    this.draw();
  }

  #unfold(isOpen) {
    if (this.sections.finished) this.sections.finished.element.open ||= isOpen;
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
      this.found = (await askSessions({ search: words, limit: PAGE, sort: serverSort(this.cache.sort) })).sessions;
      this.found.forEach((session) => this.cache.sessions.set(session.session, session));
      this.#unfold(true);
    } else {
      this.found = null;
      if (this.sections.finished) this.sections.finished.element.open = this.filter === "finished";
    }
    this.draw();
  }

  /** Bring everything up to date. */
  draw() {
    const moment = now();
    const names = this.found && new Set(this.found.map((session) => session.session));
    const isWanted = (session) =>
      (!names || names.has(session.session)) && (this.filter === "all" || sessionPace(session, moment) === this.filter);
    const sessions = [...this.cache.sessions.values()].filter(isWanted);
    const groups = groupsOf(this.cache.sort, sessions, moment);
    if (groups.join("\n") !== this.groupNames) this.#buildGroups(groups);
    let total = 0;
    for (const name of Object.keys(this.sections)) {
      const here = sessions.filter((session) => groupOf(session, this.cache.sort, moment) === name);
      const moved = name === "approval" ? 0 : sessions.filter((session) => isMoved(session, this.cache.sort, name, moment)).length;
      total += this.#drawSection(name, here, Boolean(names), moved);
    }
    this.more.hidden = Boolean(names) || !this.cache.next.all;
    this.older.hidden = Boolean(names) || !this.cache.hasOlder;
    this.#drawFilters();
    this.#drawNothing(total);
  }

  /** Draw one group. By pace, the server has counted what is not loaded yet; elsewhere only what is shown is known. Those that wait for approval were moved to a group of their own. */
  #drawSection(name, sessions, searching, moved) {
    const { element, cards, count, more } = this.sections[name];
    const isCounted = !searching && (this.filter === "all" || this.filter === name);
    const number = isCounted ? (this.cache.counts[name] - moved || sessions.length) : sessions.length;
    element.hidden = number === 0;
    setText(count, name in this.cache.counts || searching || name === "approval" ? String(number) : "");
    more.hidden = searching || !this.cache.next[name];
    keyed(cards, inOrder(sessions, this.cache.sort, name), (session) => session.session, makeCard, showCard);
    return number;
  }

  #drawFilters() {
    const { counts } = this.cache;
    const numbers = { all: PACES.reduce((sum, pace) => sum + counts[pace], 0), ...counts };
    for (const [name, button] of Object.entries(this.filters)) {
      button.setAttribute("aria-pressed", String(this.filter === name));
      setText(button.lastElementChild, String(numbers[name]));
    }
  }

  /** Say why there is nothing to see; where no agent has planned anything yet, say how to begin. */
  #drawNothing(total) {
    const search = this.search.words;
    const isNew = !search && PACES.every((pace) => this.cache.counts[pace] === 0);
    const words = search ? t("nothing_found", { search }) : t(isNew ? "nothing_yet" : "nothing_here");
    this.nothing.hidden = total > 0;
    if (this.nothing.dataset.words === words) return;
    this.nothing.dataset.words = words;
    this.nothing.replaceChildren(make("p", { text: words }), ...(isNew ? firstSteps() : []));
  }
}

/** Whether a session that the server counts here is shown with those that wait for approval. */
function isMoved(session, order, name, moment) {
  return order === "pace" && sessionPace(session, moment) === name && groupOf(session, order, moment) !== name;
}

function firstSteps() {
  const steps = [
    ["holdfast install claude-code", "step_install"],
    ['holdfast add "Read the code"', "step_add"],
  ];
  const rows = steps.flatMap(([command, words]) => [make("dt", {}, make("code", { text: command })), make("dd", { text: t(words) })]);
  return [make("dl", { class: "steps" }, ...rows)];
}
