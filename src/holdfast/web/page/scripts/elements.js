// Elements: made in one expression, and lists that change in place, so that focus and scroll stay where they are.

const SETTINGS = new Set(["class", "on", "text", "data"]);

/** An element with attributes, listeners and children. Texts become text, whatever is in them. */
export function make(tag, settings = {}, ...children) {
  const node = document.createElement(tag);
  if (settings.class) node.className = settings.class;
  if (settings.text !== undefined) node.textContent = settings.text;
  Object.assign(node.dataset, settings.data ?? {});
  for (const [name, listener] of Object.entries(settings.on ?? {})) node.addEventListener(name, listener);
  for (const [name, value] of Object.entries(settings)) if (!SETTINGS.has(name)) attribute(node, name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Set an attribute, or take it away with false, null or undefined. */
export function attribute(node, name, value) {
  if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : value);
}

/** Set a text, if it is another one. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const rows = new WeakMap();

/**
 * Show items as children of a parent, each by its key: what is there stays the same element, and moves only if it must.
 * `create(item)` gives an element, `update(element, item)` brings it up to date.
 */
export function keyed(parent, items, keyOf, create, update) {
  const known = rows.get(parent) ?? new Map();
  const next = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const node = known.get(key) ?? create(item);
    update(node, item);
    next.set(key, node);
  }
  for (const [key, node] of known) if (!next.has(key)) node.remove();
  let place = parent.firstElementChild;
  for (const node of next.values()) {
    if (node === place) place = place.nextElementSibling;
    else put(parent, node, place);
  }
  rows.set(parent, next);
}

/** The element that shows the item with a key. */
export function keyedChild(parent, key) {
  return rows.get(parent)?.get(key);
}

/** Put an element before another one. One that holds the focus keeps it. */
function put(parent, node, before) {
  if (node.parentNode === parent && parent.moveBefore) {
    parent.moveBefore(node, before);
    return;
  }
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(node, before);
  focused?.focus({ preventScroll: true });
}

const MARKED = 1200;

/** Mark an element for a moment: something in it has changed. */
export function freshen(node) {
  node.classList.remove("was-fresh");
  node.classList.add("is-fresh");
  clearTimeout(node.freshTimer);
  node.freshTimer = setTimeout(() => {
    node.classList.add("was-fresh");
    node.classList.remove("is-fresh");
  }, MARKED);
}
