// Where the page begins: it shows the view that the address names, and feeds it with live changes.
import { drawBar, showPlace, showState } from "./bar.js";
import { listenToKeys } from "./keys.js";
import { SessionCache } from "./session_cache.js";
import { complain, notify } from "./notices.js";
import { Overview } from "./overview.js";
import { PlanView } from "./plan.js";
import { Stream } from "./stream.js";
import { startClock } from "./times.js";
import { t } from "./words.js";

const RETRY = 1500;
const main = document.getElementById("main");
const cache = new SessionCache();
const scrolls = new Map();
let view = null;
let address = "";

const stream = new Stream({
  change(event) {
    cache.change(event);
    view?.change(event);
    retitle();
  },
  reset: () => begin(),
  trouble: ({ error }) => complain({ status: 1, message: t("store_trouble", { error }) }),
  state: showState,
});

/** Show what the address names, scrolled to where it was when it was left. */
function show() {
  scrolls.set(address, scrollY);
  address = location.hash;
  view?.end();
  const [, kind, id] = address.split("/");
  view = kind === "plan" && id ? new PlanView(id, cache, retitle) : new Overview(cache);
  main.replaceChildren(view.element);
  scrollTo(0, scrolls.get(address) ?? 0);
  retitle();
}

function retitle() {
  document.title = view.title;
}

function redraw() {
  drawBar(redraw);
  show();
}

/** Load everything, then follow it from there. */
async function begin() {
  try {
    const { sequence, store, damaged } = await cache.begin();
    showPlace(store);
    damaged.forEach(({ damaged: error }) => notify(t("damaged", { error })));
    if (view) view.reset();
    else show();
    stream.begin(sequence);
  } catch {
    showState("broken");
    setTimeout(begin, RETRY);
  }
}

drawBar(redraw);
startClock();
listenToKeys(() => view);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
});
begin();
