"""What people know a session by, kept with its plan: a name, a title, the client, the folder, the branch."""

from typing import Literal, NamedTuple

Review = Literal["", "waiting", "approved"]
"""Whether a person looks at the plan before the work begins: nobody asked for that, it waits, it was approved."""


class About(NamedTuple):
    """What a session is called, and where it comes from. An empty text is not known.

    `name` is what a person calls it, `title` what its host does. `archived_at` is when a person put it away: whoever
    changes the plan after that brings it back. `review` says whether the plan waits for a person's approval,
    `began_at` when its session began, and `task_ids` the highest number that a coding agent has given to a task of its
    own list: todos above it are only here. `deleted_at` is when a person deleted the plan, with its history.
    """

    name: str = ""
    title: str = ""
    client: str = ""
    folder: str = ""
    branch: str = ""
    archived_at: float = 0.0
    review: Review = ""
    began_at: float = 0.0
    task_ids: int = 0
    deleted_at: float = 0.0

    @property
    def label(self) -> str:
        """What to call it beside its id: the person's word counts first. Empty if it has no name."""
        return self.name or self.title

    def over(self, known: "About") -> "About":
        """These facts, and for those that are not known here, the ones known before."""
        return known._replace(**{field: new for field, new in self._asdict().items() if new})


NOTHING_KNOWN = About()
