"""What people know a session by, kept with its plan: a name, a title, the client, the folder, the branch."""

from typing import NamedTuple


class About(NamedTuple):
    """What a session is called, and where it comes from. An empty text is not known.

    `name` is what a person calls it, `title` what its host does. `archived_at` is when a person put it away: whoever
    changes the plan after that brings it back.
    """

    name: str = ""
    title: str = ""
    client: str = ""
    folder: str = ""
    branch: str = ""
    archived_at: float = 0.0

    @property
    def label(self) -> str:
        """What to call it beside its id: the person's word counts first. Empty if it has no name."""
        return self.name or self.title

    def over(self, known: "About") -> "About":
        """These facts, and for those that are not known here, the ones known before."""
        return known._replace(**{field: new for field, new in self._asdict().items() if new})


NOTHING_KNOWN = About()
