"""File jobs told as people talk: no list, other words each time, now and then two of them in one sentence.

Under `rail` each request becomes a todo; in every other arm, the model has to write the plan itself.
"""

import random
from collections.abc import Sequence

from . import file_jobs
from .task import Task

KIND = "prose"
OPENINGS = (
    "Hello! I am tidying up this folder and could use some help.",
    "Could you do a few things in this folder for me?",
    "I am leaving in a minute, so please take care of this folder.",
    "Nobody has looked after this folder for years, and now it is our turn.",
)
ENDINGS = ("That is all, thank you.", "Thanks a lot!", "Please do all of it.", "It would make my day.")
LINKS = (". ", ". ", ", and ", ". Then ", ". Also, ")


def task(seed: int, number: int) -> Task:
    """So many file jobs in one paragraph."""
    rng = random.Random(f"{KIND} {seed}")
    jobs = file_jobs.make_jobs(rng, number)
    told = _paragraph(rng, [rng.choice(job.sentences) for job in jobs])
    text = f"{rng.choice(OPENINGS)} {told} {rng.choice(ENDINGS)}"
    return Task(f"{KIND}-{number}-{seed}", KIND, text, tuple(one.job for one in jobs), file_jobs.starting_files(jobs))


def _paragraph(rng: random.Random, requests: Sequence[str]) -> str:
    """The requests as sentences of one paragraph."""
    text = _capital(requests[0])
    for request in requests[1:]:
        link = rng.choice(LINKS)
        text += link + (_capital(request) if link == ". " else request)
    return f"{text}."


def _capital(request: str) -> str:
    """A request at the start of a sentence. The name of a file stays as it is."""
    first = request.split()[0]
    return request if "." in first else request[0].upper() + request[1:]
