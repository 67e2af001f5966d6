// Moving todos by pointer: mouse, pen or finger, by the grip of each row.

/** Lets the rows of a list be dragged; `moved(id, place)` is called when one is let go elsewhere. */
export class Dragging {
  constructor(list, moved) {
    this.list = list;
    this.moved = moved;
    list.addEventListener("pointerdown", (event) => this.#begin(event));
  }

  #begin(event) {
    if (!event.target.closest(".grip") || event.button !== 0) return;
    event.preventDefault();
    this.row = event.target.closest(".todo");
    this.start = event.clientY;
    this.from = this.to = [...this.list.children].indexOf(this.row);
    this.tops = [...this.list.children].map((row) => row.offsetTop + row.offsetHeight / 2);
    this.row.setPointerCapture(event.pointerId);
    this.row.classList.add("is-dragged");
    const drag = (move) => this.#drag(move.clientY - this.start);
    const end = (last) => {
      this.row.removeEventListener("pointermove", drag);
      this.#end(last.type === "pointerup");
    };
    this.row.addEventListener("pointermove", drag);
    this.row.addEventListener("pointerup", end, { once: true });
    this.row.addEventListener("pointercancel", end, { once: true });
  }

  #drag(by) {
    const middle = this.tops[this.from] + by;
    this.row.style.translate = `0 ${by}px`;
    this.to = this.tops.filter((top, place) => place !== this.from && top < middle).length;
    const high = this.row.offsetHeight;
    [...this.list.children].forEach((row, place) => {
      if (row === this.row) return;
      const shift = (place > this.from && place <= this.to ? -1 : 0) + (place < this.from && place >= this.to ? 1 : 0);
      row.style.translate = shift ? `0 ${shift * high}px` : "";
    });
  }

  #end(isDone) {
    for (const row of this.list.children) row.style.translate = "";
    this.row.classList.remove("is-dragged");
    if (isDone && this.to !== this.from) this.moved(this.row.dataset.id, this.to);
  }
}
