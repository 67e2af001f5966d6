// Text that a model or a person wrote: shown, never obeyed. It reaches the page as text only, never as HTML.

const SPACES = /[\t\n\v\f\r\u001c-\u001f\u0085\u2028\u2029]/g;
const CONTROLS = /[\u0000-\u001b]/g;
const HIDDEN = /[\u0080-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u{13430}-\u{1343f}]|\p{Surrogate}/gu;
// What nobody sees, but for joiners and selectors of a variant where another character needs them.
const UNSEEN = new RegExp(
  [
    "(?![\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}])\\p{Default_Ignorable_Code_Point}",
    "(?<=[\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}])[\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
    "(?<![0-9#*\\u00a9\\u00ae\\u0600-\\u{10ffff}])[\\ufe0e\\ufe0f]|(?<![\\u0600-\\u{10ffff}])[\\ufe00-\\ufe0d]",
    "(?<![\\u1820-\\u18aa])[\\u180b-\\u180d\\u180f]",
    "(?<![\\u3400-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}])[\\u{e0100}-\\u{e01ef}]",
    "(?<![\\u0600-\\u109f\\u1780-\\u18af\\u2190-\\u2bff\\ufb50-\\ufdff\\ufe0f\\ufe70-\\ufefc\\u{11000}-\\u{11fff}\\u{1f000}-\\u{1ffff}])[\\u200c\\u200d]",
  ].join("|"),
  "gu",
);

/** The text on one line: breaks become spaces, and what would be obeyed or not be seen becomes visible. */
export function visible(text) {
  return text
    .replace(SPACES, " ")
    .replace(CONTROLS, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replaceAll("\u007f", "\u2421")
    .replace(HIDDEN, "\ufffd")
    .replace(UNSEEN, "\ufffd");
}
