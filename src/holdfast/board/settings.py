"""How a board is set up, kept with its plan: whoever opens it later knows its dialect, its policy and its rules."""

from typing import Any, NamedTuple

from .. import dialects
from ..errors import UsageError
from ..plan import Status
from ..plan.rules import Rules


class Settings(NamedTuple):
    """The dialect and the policy of a board, by name, and the rules that its host and its policy changed."""

    dialect: str = "holdfast"
    policy: str = "quiet"
    rules: Rules = Rules()

    def to_json(self) -> str:
        """The settings as a plan keeps them: an empty text for the defaults."""
        if self == Settings():
            return ""
        import json

        changed = {name: value for name, value in self.rules._asdict().items() if value is not None}
        return json.dumps({"dialect": self.dialect, "policy": self.policy, "rules": changed}, separators=(",", ":"))

    def all_rules(self) -> Rules:
        """Every rule that the board's writes must obey. For an unknown dialect, the default dialect's rules."""
        try:
            own = dialects.get(self.dialect).rules
        except UsageError:
            own = dialects.get("holdfast").rules
        return self.rules.over(own)


def from_json(text: str) -> Settings:
    """The settings that a plan keeps; the defaults if it keeps no settings, or settings that cannot be read."""
    if not text:
        return Settings()
    import json

    try:
        value: Any = json.loads(text)
        rules = dict(value.get("rules", {}))
        if "statuses" in rules:
            rules["statuses"] = tuple(Status(word) for word in rules["statuses"])
        return Settings(str(value.get("dialect", "holdfast")), str(value.get("policy", "quiet")), Rules(**rules))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Settings()
