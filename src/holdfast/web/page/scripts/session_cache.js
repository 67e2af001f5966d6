// The sessions that the page has loaded, whichever view is open.
import { askSessions } from "./api.js";
import { GROUPS, serverSort, setQuietAfter } from "./sessions.js";
import { setClock } from "./times.js";

const FIRST = 60;
const CHOICE = "holdfast-order";

export class SessionCache {
  constructor() {
    const chosen = localStorage.getItem(CHOICE);
    this.sort = chosen in GROUPS ? chosen : "pace";
    this.loading = 0;
    this.heard = [];
    this.#forget();
  }

  /** Load the sessions in another order. */
  async setSort(sort) {
    this.sort = sort;
    localStorage.setItem(CHOICE, sort);
    await this.begin();
  }

  #forget() {
    this.sessions = new Map();
    this.counts = { running: 0, waiting: 0, finished: 0 };
    this.hasOlder = false;
    this.next = {};
    this.loaded = new Set();
  }

  /** Load what comes first in the order again. By pace, that is what runs and what waits. Returns the sequence after which to follow, and where the plans are. */
  async begin() {
    const wasLoaded = this.loaded.has("finished");
    this.#forget();
    if (this.sort !== "pace") return this.load("all", FIRST);
    const first = await this.load("running", FIRST);
    await this.load("waiting", FIRST);
    if (wasLoaded) await this.load("finished", FIRST);
    return first;
  }

  /** Load more sessions: of a pace, or of all. */
  async load(pace, limit) {
    const query = { limit, sort: serverSort(this.sort), ...(pace !== "all" && { pace }), ...(this.next[pace] && { after: this.next[pace] }) };
    this.loading += 1;
    const answer = await askSessions(query).finally(() => (this.loading -= 1));
    setClock(answer.now);
    setQuietAfter(answer.quiet_after);
    answer.sessions.forEach((session) => this.sessions.set(session.session, session));
    this.counts = answer.counts;
    this.hasOlder = answer.has_older;
    this.next[pace] = answer.next;
    this.loaded.add(pace);
    this.heard.filter(({ change }) => change.sequence > answer.sequence).forEach((event) => this.#take(event));
    if (this.loading === 0) this.heard = [];
    return answer;
  }

  /** Apply a change. What comes while sessions are loaded is applied again: their answer may be older. */
  change(event) {
    if (this.loading > 0) this.heard.push(event);
    this.#take(event);
  }

  /** Take in a session. A finished one is kept only while it is shown: a page may be open for weeks. */
  #take({ session, counts }) {
    this.counts = counts;
    const name = session.session;
    const isShown = this.loaded.has(session.pace) || this.loaded.has("all");
    if (isShown && session.boards.length > 0) this.sessions.set(name, session);
    else this.sessions.delete(name);
  }

  /** The boards of a session as they are now. */
  async boards(name) {
    const { sessions } = await askSessions({ session: name });
    return sessions[0]?.boards ?? [];
  }
}

