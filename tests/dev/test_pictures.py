"""The picture in the docs: it can still be made, from a real run."""

import importlib.util
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

SCRIPT = Path(__file__).parents[2] / "dev" / "pictures" / "terminal_picture.py"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_picture_is_made_of_a_real_run() -> None:
    """The script draws what the real command shows: every agent, in colour, as a well-formed picture."""
    spec = importlib.util.spec_from_file_location("terminal_picture", SCRIPT)
    assert spec is not None and spec.loader is not None
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    root = ElementTree.fromstring(picture.svg(picture.screen_lines(picture.screen())))
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"token-refresh", "explorer", "nightly-import", "docs", "holdfast"} <= words
    yellow = [element.text for element in root.iter() if element.get("fill") == picture.COLOURS["brown"]]
    assert any(text and text.endswith("Moving the refresh into the middleware...") for text in yellow)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_moving_picture_is_made_of_a_real_run() -> None:
    """Its frames show an agent at work, a person who types, and the end; one is in sight at a time."""
    from dev.pictures.moving_picture import WISH, frames, moving_svg

    drawn = moving_svg(list(frames()))
    root = ElementTree.fromstring(drawn)
    groups = [group for group in root.iter("{http://www.w3.org/2000/svg}g") if "frame" in (group.get("class") or "")]
    texts = [" ".join(element.text or "" for element in group.iter()) for group in groups]
    assert "Moving the refresh" in texts[0] and WISH not in texts[0]
    assert "add to token-refresh" in " ".join(texts) and WISH in texts[-2]
    assert drawn.count("@keyframes") == len(groups) and "prefers-reduced-motion" in drawn
