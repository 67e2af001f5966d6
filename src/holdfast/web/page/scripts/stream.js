// The live changes. A stream that breaks off is taken up again where it ended; a page that nobody sees lets go of it.

const FIRST_WAIT = 300;
const LONGEST_WAIT = 10_000;
const UNSEEN_FOR = 5_000;

/** Follows the server's events. `heard` has a function for each kind: change, reset, trouble, state. */
export class Stream {
  constructor(heard) {
    this.heard = heard;
    this.sequence = null;
    this.wait = FIRST_WAIT;
    document.addEventListener("visibilitychange", () => this.#seen());
  }

  /** Follow from a sequence on. */
  begin(sequence) {
    this.sequence = sequence;
    this.#open();
  }

  #open() {
    clearTimeout(this.timer);
    this.source?.close();
    const source = (this.source = new EventSource(`/api/events?since=${this.sequence}`));
    source.addEventListener("ready", (event) => this.#ready(event));
    source.addEventListener("reset", (event) => this.#reset(event));
    source.addEventListener("change", (event) => this.#change(event));
    source.addEventListener("trouble", (event) => this.heard.trouble(JSON.parse(event.data)));
    source.addEventListener("error", () => this.#broken(source));
  }

  #ready(event) {
    this.sequence = Number(event.lastEventId);
    this.wait = FIRST_WAIT;
    this.heard.state("live");
  }

  #reset(event) {
    this.#ready(event);
    this.heard.reset();
  }

  #change(event) {
    const sequence = Number(event.lastEventId);
    if (sequence <= this.sequence) return;
    this.sequence = sequence;
    this.heard.change(JSON.parse(event.data));
  }

  /** Come back by ourselves: a browser gives up for good when a server that starts says no. */
  #broken(source) {
    source.close();
    if (source !== this.source) return;
    this.heard.state("broken");
    this.timer = setTimeout(() => this.#open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  /** A browser holds few connections to one server: pages in the background must not take them all. */
  #seen() {
    clearTimeout(this.unseenTimer);
    if (this.sequence === null) return;
    if (document.hidden) this.unseenTimer = setTimeout(() => this.#rest(), UNSEEN_FOR);
    else if (this.source === null) this.#open();
  }

  #rest() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.heard.state("connecting");
  }
}
