// Moving todos by pointer: mouse, pen or finger, by the grip of each row.

const EDGE = 72; // pixels from the edge of the window in which the page scrolls along
const FASTEST = 20; // pixels a frame

/** Lets the rows of a list be dragged; `moved(id, position, seen)` is called when one is dropped elsewhere. */
export class Drag {
  constructor(list, see, moved) {
    this.list = list;
    this.see = see;
    this.moved = moved;
    list.addEventListener("pointerdown", (event) => this.#begin(event));
  }

  #begin(event) {
    if (!event.target.closest(".grip") || event.button !== 0) return;
    event.preventDefault();
    this.row = event.target.closest(".todo");
    this.seen = this.see();
    this.pointer = event.clientY;
    this.start = event.clientY + scrollY;
    const rows = [...this.list.children];
    this.from = this.to = rows.indexOf(this.row);
    this.middles = rows.map((row) => row.offsetTop + row.offsetHeight / 2);
    this.top = rows[0].offsetTop;
    this.bottom = rows.at(-1).offsetTop + rows.at(-1).offsetHeight;
    this.row.setPointerCapture(event.pointerId);
    this.row.classList.add("is-dragged");
    this.#listen();
    this.frame = requestAnimationFrame(() => this.#scroll());
  }

  #listen() {
    const over = new AbortController();
    const on = (name, act) => this.row.addEventListener(name, act, { signal: over.signal });
    const end = (isDone) => {
      over.abort();
      this.#end(isDone);
    };
    on("pointermove", (move) => {
      this.pointer = move.clientY;
      this.#drag();
    });
    on("pointerup", () => end(true));
    on("pointercancel", () => end(false));
  }

  /** Scrolls while the pointer is near an edge, the faster the nearer; the row stays under the pointer. */
  #scroll() {
    const past = Math.min(this.pointer - EDGE, 0) || Math.max(this.pointer - innerHeight + EDGE, 0);
    const middle = this.#middle();
    if ((past < 0 && middle > this.top) || (past > 0 && middle < this.bottom)) {
      scrollBy({ top: FASTEST * Math.max(-1, Math.min(past / EDGE, 1)), behavior: "instant" });
      this.#drag();
    }
    this.frame = requestAnimationFrame(() => this.#scroll());
  }

  /** Where the middle of the row is: under the pointer, and in the list, or it would make the page longer. */
  #middle() {
    const wished = this.middles[this.from] + this.pointer + scrollY - this.start;
    return Math.max(this.top, Math.min(wished, this.bottom));
  }

  #drag() {
    const middle = this.#middle();
    this.row.style.translate = `0 ${middle - this.middles[this.from]}px`;
    this.to = this.middles.filter((other, place) => place !== this.from && other < middle).length;
    const high = this.row.offsetHeight;
    [...this.list.children].forEach((row, place) => {
      if (row === this.row) return;
      const shift = (place > this.from && place <= this.to ? -1 : 0) + (place < this.from && place >= this.to ? 1 : 0);
      row.style.translate = shift ? `0 ${shift * high}px` : "";
    });
  }

  #end(isDone) {
    cancelAnimationFrame(this.frame);
    for (const row of this.list.children) row.style.translate = "";
    this.row.classList.remove("is-dragged");
    if (isDone && this.to !== this.from) this.moved(this.row.dataset.id, this.to, this.seen);
  }
}
