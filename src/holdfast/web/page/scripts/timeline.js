// Where the time went: a bar a todo, from when it was started to when it ended.
import { keyed, make, setText } from "./elements.js";
import { paceOf } from "./sessions.js";
import { visible } from "./text.js";
import { everySecond, moment, now, span } from "./times.js";
import { t } from "./words.js";

const STEPS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];
const MOST_TICKS = 5;
const GAP = 4; // pixels between two labels of the axis

export class Timeline {
  constructor() {
    this.bars = make("ol", { class: "bars" });
    this.axis = make("div", { class: "axis", "aria-hidden": "true" });
    this.element = make("section", { class: "sheet timeline" }, make("h2", { text: t("timeline") }), this.bars, this.axis);
    this.stopClock = everySecond(() => this.isRunning && this.#draw());
    this.resized = new ResizeObserver(() => this.plan && this.#draw());
    this.resized.observe(this.axis);
  }

  end() {
    this.stopClock();
    this.resized.disconnect();
  }

  show(plan, isPast) {
    this.plan = plan;
    this.isPast = isPast;
    const current = plan.todos.find((todo) => todo.status === "in_progress");
    this.isRunning = !isPast && paceOf({ ...plan, current }, now()) === "running";
    this.element.hidden = plan.todos.length === 0;
    this.#draw();
  }

  #draw() {
    const { todos, updated_at: updated } = this.plan;
    if (!todos.length) return;
    const start = Math.min(...todos.map((todo) => todo.started_at ?? todo.created_at));
    const ends = todos.map((todo) => todo.finished_at ?? 0);
    const end = Math.max(this.isRunning ? now() : updated, start + 1, ...ends);
    const scale = (at) => (100 * (at - start)) / (end - start);
    keyed(this.bars, todos, (todo) => todo.id, makeBar, (node, todo) => showBar(node, todo, scale, end));
    this.#drawAxis(end - start);
  }

  /** Draw as many ticks as there is room for, whatever the font and the width. */
  #drawAxis(length) {
    for (let most = MOST_TICKS; most > 0; most--) {
      keyed(this.axis, ticks(length, most), (at) => at, () => make("span"), (node, at) => showTick(node, at, length));
      if (fits(this.axis.children, this.bars.getBoundingClientRect().right)) return;
    }
  }
}

function makeBar() {
  const parts = [make("span", { class: "said label" }), make("span", { class: "track" }, make("i")), make("span", { class: "number" })];
  return make("li", {}, ...parts);
}

function showBar(node, todo, scale, end) {
  const [label, track, time] = node.children;
  const { started_at: started, finished_at: finished, status } = todo;
  const from = started ?? finished;
  const runs = status === "in_progress";
  const to = finished ?? (runs ? end : from);
  node.dataset.status = status;
  node.dataset.kind = from === null ? "none" : started === null ? "point" : "bar";
  setText(label, visible(todo.content));
  track.style.setProperty("--from", `${from === null ? 0 : scale(from)}%`);
  track.style.setProperty("--to", `${from === null ? 0 : scale(to)}%`);
  setText(time, started !== null && (finished !== null || runs) ? span(to - started) : "");
  node.title = about(todo);
}

function about({ content, started_at: started, finished_at: finished }) {
  const parts = [visible(content)];
  if (started === null) parts.push(t(finished === null ? "never_started" : "at_once"));
  else parts.push(t("started_then", { time: moment(started) }));
  if (finished !== null) parts.push(t("finished_then", { time: moment(finished) }));
  return parts.join("\n");
}

function fits(labels, edge) {
  const boxes = [...labels].map((label) => label.getBoundingClientRect());
  return boxes.every(({ right }, at) => right + GAP <= (boxes[at + 1]?.left ?? edge));
}

function ticks(length, most) {
  const step = STEPS.find((seconds) => length / seconds <= most) ?? length / most;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, count) => count * step);
}

function showTick(node, at, length) {
  node.style.insetInlineStart = `${(100 * at) / length}%`;
  setText(node, at === 0 ? "0" : span(at).replace(/ 0+\D*$/, ""));
}
