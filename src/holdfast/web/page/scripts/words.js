// What the page says, in the reader's language.
import { en } from "./languages/en.js";
import { zh } from "./languages/zh.js";

const LANGUAGES = { en, zh };
const CHOICE = "holdfast-language";

let language = chosen();

function chosen() {
  const wanted = [localStorage.getItem(CHOICE), ...(navigator.languages ?? [navigator.language])];
  const found = wanted.map((name) => (name ?? "").slice(0, 2).toLowerCase()).find((name) => name in LANGUAGES);
  return found ?? "en";
}

/** The language in use. */
export function currentLanguage() {
  return language;
}

/** Use a language from now on. */
export function setLanguage(name) {
  language = name;
  localStorage.setItem(CHOICE, name);
}

/** The words for a key, with values in their places: `{n}`. Where there are two forms, `n` decides. */
export function t(key, values = {}) {
  const found = LANGUAGES[language][key] ?? en[key];
  if (found === undefined) throw new Error(`no words for ${key}`);
  const form = Array.isArray(found) ? found[values.n === 1 ? 0 : 1] : found;
  return form.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
