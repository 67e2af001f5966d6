// Time as the server counts it, in words, and kept up to date once a second.
import { t } from "./words.js";
import { setText } from "./elements.js";

const UNITS = [
  [86400, "about_days"],
  [3600, "about_hours"],
  [60, "about_minutes"],
  [1, "seconds"],
];

let ahead = 0;

/** Take over the server's clock: plans are dated by it. */
export function setClock(serverNow) {
  ahead = serverNow - Date.now() / 1000;
}

/** Seconds since 1970, by the server's clock. */
export function now() {
  return Date.now() / 1000 + ahead;
}

/** A length of time in its two largest units: 12s, 2m 14s, 1h 03m, 3d 4h. */
export function span(seconds) {
  const whole = Math.max(Math.floor(seconds), 0);
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return t("seconds", { n: whole });
  if (whole < 3600) return t("minutes", { n: Math.floor(whole / 60), m: two(whole % 60) });
  if (whole < 86400) return t("hours", { n: Math.floor(whole / 3600), m: two(Math.floor(whole / 60) % 60) });
  return t("days", { n: Math.floor(whole / 86400), m: Math.floor(whole / 3600) % 24 });
}

/** A length of time in its largest unit. */
export function about(seconds) {
  const whole = Math.max(Math.floor(seconds), 0);
  const [size, unit] = UNITS.find(([size]) => whole >= size) ?? UNITS.at(-1);
  return t(unit, { n: Math.floor(whole / size) });
}

/** When something was: the time of the day, with the date if that was another one. */
export function moment(at) {
  const date = new Date(at * 1000);
  const day = date.toDateString() === new Date(now() * 1000).toDateString();
  const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
  return date.toLocaleString(t("locale"), day ? clock : { month: "short", day: "numeric", ...clock });
}

/** Show in an element how long a moment is past, from now on, or roughly how long ago it was. */
export function showSince(node, at, words = "plain") {
  if (at === null || at === undefined) {
    delete node.dataset.since;
    setText(node, "");
    return;
  }
  node.dataset.since = at;
  node.dataset.words = words;
  tell(node);
}

function tell(node) {
  const { since, words } = node.dataset;
  const length = now() - Number(since);
  setText(node, t(words, { time: words === "plain" ? span(length) : about(length) }));
}

const listeners = new Set();

/** Call a function every second; what is returned ends that. */
export function everySecond(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begin to keep times up to date. */
export function startClock() {
  setInterval(() => {
    if (document.hidden) return;
    document.querySelectorAll("[data-since]").forEach(tell);
    for (const listener of listeners) listener();
  }, 1000);
}
