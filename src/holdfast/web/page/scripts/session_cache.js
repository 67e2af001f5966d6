// The sessions that the page has loaded, whichever view is open.
import { askSessions } from "./api.js";
import { setQuietAfter } from "./sessions.js";
import { setClock } from "./times.js";

const FIRST = 60;

export class SessionCache {
  constructor() {
    this.#forget();
  }

  #forget() {
    this.sessions = new Map();
    this.counts = { running: 0, waiting: 0, finished: 0 };
    this.next = {};
    this.loaded = new Set();
  }

  /** Load what runs and what waits again. Returns the sequence after which to follow, and where the plans are. */
  async begin() {
    const wasLoaded = this.loaded.has("finished");
    this.#forget();
    const first = await this.load("running", FIRST);
    await this.load("waiting", FIRST);
    if (wasLoaded) await this.load("finished", FIRST);
    return first;
  }

  /** Load more sessions of a pace. */
  async load(pace, limit) {
    const query = { pace, limit, ...(this.next[pace] && { after: this.next[pace] }) };
    const answer = await askSessions(query);
    setClock(answer.now);
    setQuietAfter(answer.quiet_after);
    answer.sessions.forEach((session) => this.sessions.set(session.session, session));
    this.counts = answer.counts;
    this.next[pace] = answer.next;
    this.loaded.add(pace);
    return answer;
  }

  /** Apply a change. Finished sessions are kept only while they are shown: a page may be open for weeks. */
  change({ session, counts }) {
    this.counts = counts;
    const name = session.session;
    if (this.loaded.has(session.pace)) this.sessions.set(name, session);
    else this.sessions.delete(name);
  }

  /** The boards of a session as they are now. */
  async boards(name) {
    const { sessions } = await askSessions({ session: name });
    return sessions[0]?.boards ?? [];
  }
}

