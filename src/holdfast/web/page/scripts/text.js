// Text that a model or a person wrote: shown, never obeyed. It reaches the page as text only, never as HTML.

const SPACES = /[\t\n\v\f\r\u001c-\u001f\u0085\u2028\u2029]/g;
const CONTROLS = /[\u0000-\u001b]/g;
const HIDDEN = /[\u0080-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** The text on one line: breaks become spaces, control characters and direction overrides become visible. */
export function visible(text) {
  return text
    .replace(SPACES, " ")
    .replace(CONTROLS, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replaceAll("\u007f", "\u2421")
    .replace(HIDDEN, "\ufffd");
}
