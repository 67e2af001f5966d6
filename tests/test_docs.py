"""The docs cannot go stale: every Python example in them runs and prints the text below it, and the maps are true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

ROOT = Path(__file__).parent.parent
SOURCE = Path(holdfast.__file__).parent
BLOCK = re.compile(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", re.DOTALL)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(code, output, id=f"{page.name}:{page.read_text(encoding='utf-8').index(code)}")
    for page in PAGES
    for code, output in BLOCK.findall(page.read_text(encoding="utf-8"))
]


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder of its own."""
    home = {**os.environ, "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    home.pop("HOLDFAST_DB", None)
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=180, check=False, env=home
    )


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_an_example_runs_and_prints_what_it_says(code: str, output: str, tmp_path: Path) -> None:
    """Each example is a program of its own, and its output is the text below it."""
    ran = run("-c", code, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.rstrip() == output.rstrip()


def test_there_are_examples() -> None:
    """The pattern above finds what it should."""
    assert len(EXAMPLES) >= 4


def test_the_demo_works_a_plan_to_its_end(tmp_path: Path) -> None:
    """`make demo` fixes a project by a plan, shows all it promises, and says that its model is scripted."""
    ran = run(str(ROOT / "examples" / "demo.py"), folder=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "scripted" in ran.stdout
    assert "done · 6/6 todos" in ran.stdout
    assert "The project's tests really pass now." in ran.stdout
    failed = [line for line in ran.stdout.splitlines() if line.startswith("✗")]
    assert all("unittest" in line for line in failed), f"only tests may fail on the way: {failed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link and picture in the docs is there, and so is the heading that a link names."""
    for target, heading in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            there = page.parent / target if target else page
            assert there.exists(), f"{page.name} links to {target}"
            assert not heading or heading in anchors(there), f"{page.name} links to {target}#{heading}"


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def map_of(page: str) -> list[str]:
    """The lines of the map in a page."""
    found = re.search(r"```\nsrc/holdfast/\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1].splitlines()


def test_the_short_map_has_every_room() -> None:
    """The README names each folder and each module at the top, and needs no semicolon for it."""
    lines = [line for line in map_of("README.md") if line.startswith("  ")]
    folders = {f"{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")}
    modules = {path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")}
    assert {word for line in lines for word in line.split() if word.endswith(("/", ".py"))} == folders | modules
    assert not any(";" in line for line in lines)


def test_the_readme_is_read_in_five_minutes() -> None:
    """At most 150 lines, and four doors of three lines each with a link at their end."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert 100 <= len(text.splitlines()) <= 150
    doors = text.partition("## Four doors\n\n")[2].partition("\n\n## ")[0].split("\n\n")
    assert len(doors) == 4
    for door in doors:
        first, *_, last = door.splitlines()
        assert first.startswith("**I ") and last.startswith("See [") and len(door.splitlines()) <= 3


def test_the_long_map_has_every_module() -> None:
    """CONTRIBUTING names each module below its folder, and no folder that is not there."""
    named: dict[str, set[str]] = {"": set()}
    folders: list[tuple[int, str]] = []
    for line in (line for line in map_of("CONTRIBUTING.md") if line.startswith("  ")):
        words, depth = line.split(), len(line) - len(line.lstrip())
        if words[0].endswith("/"):
            folders = [(other, name) for other, name in folders if other < depth]
            folders.append((depth, "".join(name for _, name in folders) + words[0]))
        elif depth == 2:
            folders = []
        named.setdefault(folders[-1][1] if folders else "", set()).update(re.findall(r"\w+", line))
    for path in SOURCE.rglob("*.py"):
        folder = "".join(f"{part}/" for part in path.parent.relative_to(SOURCE).parts)
        if not path.name.startswith("__"):
            assert path.stem in named.get(folder, ()), f"CONTRIBUTING.md: {folder}{path.stem}"
    assert [folder for folder in named if not (SOURCE / folder).is_dir()] == []


def test_the_site_has_the_colours_and_the_mark_of_the_page() -> None:
    """Light and dark: each colour that the site uses is the page's own."""
    page = SOURCE / "web" / "page"
    colour = re.compile(r"(--[a-z-]+): (#[0-9a-f]{6});")
    light, dark = (
        set(colour.findall(part)) for part in (page / "styles" / "colours.css").read_text().split("data-theme", 1)
    )
    mine, mine_dark = (
        set(colour.findall(part)) for part in (ROOT / "docs/styles/holdfast.css").read_text().split('"slate"', 1)
    )
    assert mine and mine <= light
    assert mine_dark and mine_dark <= dark
    assert (ROOT / "docs/images/mark.svg").read_bytes() == (page / "mark.svg").read_bytes()
