"""The load of `make bench`: what it notes step by step becomes rows and pictures."""

from xml.etree import ElementTree

from dev.bench.load import STEPS, LoadFigures, pictures


def test_a_load_is_drawn() -> None:
    """One picture of each store with its times, one of memory; each is an image with a line per series."""
    steps = [[0.001 * (number + 1), 0.05] for number in range(STEPS)]
    figures = LoadFigures(steps, steps, [40.0 + number for number in range(STEPS)], [])
    drawn = pictures({"SQLite": figures, "PostgreSQL": figures}, 600)
    assert set(drawn) == {"load-memory.svg", "load-sqlite.svg", "load-postgresql.svg"}
    counts = {name: len(ElementTree.fromstring(svg).findall("{*}polyline")) for name, svg in drawn.items()}
    assert counts == {"load-memory.svg": 2, "load-sqlite.svg": 4, "load-postgresql.svg": 4}
