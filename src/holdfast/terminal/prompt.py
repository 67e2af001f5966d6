"""One line of text that a person types at the bottom of a full screen."""

from typing import NamedTuple

from ..text import fit, one_line, width
from .lines import Line, Span, cut_text

LONGEST = 1000
"""How many characters are taken: more than any todo may have."""

_JUMPS = {"home": 0, "end": LONGEST}
_STEPS = {"left": -1, "right": 1}


class Prompt(NamedTuple):
    """What was typed so far after a label, and where the next character goes."""

    label: str
    text: str = ""
    at: int = 0

    @classmethod
    def with_text(cls, label: str, text: str) -> "Prompt":
        """A prompt with a text in it already, to be changed."""
        return cls(label, text, len(text))

    def typed(self, key: str) -> "Prompt":
        """The prompt after a key. A key that means nothing here changes nothing."""
        before, after = self.text[: self.at], self.text[self.at :]
        if key in _JUMPS:
            return self._replace(at=min(_JUMPS[key], len(self.text)))
        if key in _STEPS:
            return self._replace(at=min(max(self.at + _STEPS[key], 0), len(self.text)))
        if key == "delete":
            return self._replace(text=before + after[1:])
        if key == "backspace":
            return self._with(before[:-1], after)
        if key == "ctrl-u":
            return self._with("", after)
        if key == "ctrl-w":
            return self._with(before.rstrip().rpartition(" ")[0], after)
        char = " " if key == "space" else key
        is_text = len(char) == 1 and char.isprintable() and len(self.text) < LONGEST
        return self._with(before + char, after) if is_text else self

    def _with(self, before: str, after: str) -> "Prompt":
        return self._replace(text=before + after, at=len(before))

    def line(self, columns: int) -> Line:
        """The prompt as a line, with a mark where the next character goes. The end of what is before it is in sight."""
        label = cut_text(f"{self.label}: ", columns // 2)
        room = max(columns - width(label) - 1, 0)
        before, after = one_line(self.text[: self.at]), one_line(self.text[self.at :])
        while before and width(before) > room:
            before = before[1:]
        return Span(label, "cyan"), Span(before), Span("▏", "cyan"), Span(fit(after, max(room - width(before), 0)))
