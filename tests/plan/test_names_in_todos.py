"""The names in a todo's text, that whoever does it has to mention."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.names import MOST_NAMES, mentioned, named_in, names_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("create the file maple.txt containing the word river", ("maple.txt", "river")),
        ("make a folder named marble", ("marble",)),
        ("create the folder marble", ("marble",)),
        ("clean up the folder structure of the docs", ()),
        ("create igloo.txt with the text: cider 517", ("igloo.txt", "cider", "517")),
        ("append the line chalk to brick.txt", ("chalk", "brick.txt")),
        ("replace the word arrow by badge in robin.txt", ("robin.txt",)),
        ("Fix slate_value(x) in src/slate.py", ("src/slate.py",)),
        ('Say "hello world" in README.md', ("hello world", "readme.md")),
        ("the text of robin.txt must be: changed 123", ("robin.txt", "123")),
        ("Fix the bug in the parser, e.g. with 2 tests", ()),
        ("修复解析器", ()),
        ("", ()),
    ],
)
def test_files_numbers_quotes_and_announced_words_are_names(text: str, names: tuple[str, ...]) -> None:
    """Ordinary words are not: a call for "fix the parser" need not say "fix". What is to go away need not be said."""
    assert named_in(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Count the words and commas",
        "See that all texts are short",
        "Keep the text as it is",
        "Draw a line at the top",
        "Sort the words by length",
        "Print the line count",
        "Search the text for errors",
        "Copy the text from the page",
        "Translate the page, i.e. all of it",
        "Sort the words in the page",
        "Find out which line is longest",
        "The text must be short",
        "Fix the text of the page",
        "Fix the text on the page",
        "Remove all words or commas",
        "The text should be short",
        "Fix the text that fails",
        "Give every page the text the user wants",
        "Turn the line this way",
        "Add a text to the page",
        "Begin the line with a dash",
    ],
)
def test_a_word_that_only_joins_others_is_no_name(text: str) -> None:
    """It may stand after "text" or "line", but announces nothing: no call has to mention it."""
    assert named_in(text) == ()


def test_a_dozen_names_at_most_are_looked_for() -> None:
    """The first ones."""
    files = tuple(f"{letter}.txt" for letter in "abcdefghijklmnop")
    assert named_in(" ".join(files)) == files[:12]


def test_a_call_mentions_a_name_in_any_case() -> None:
    """As a part of whatever stands there."""
    assert mentioned(named_in("rename a.txt to b.txt"), '{"command": "mv ./A.txt x"}') == ("a.txt",)


@given(st.text())
def test_any_text_has_a_few_names_at_most(text: str) -> None:
    """Each stands in the text, and each is there once."""
    names = named_in(text)
    assert len(set(names)) == len(names) <= MOST_NAMES
    assert mentioned(names, text) == names


def test_todos_of_one_form_are_about_what_sets_them_apart() -> None:
    """Only where most words are shared with others: todos in different words have no names of this kind."""
    desks = ("the desk of anvil", "the desk of marble", "the room of cabin", "the desk of lemon")
    assert [names_of(text, desks) for text in desks] == [("anvil",), ("marble",), ("room", "cabin"), ("lemon",)]
    assert names_of("Step 1", ("Step 1", "Step 2", "Step 3")) == (), "a number is in many calls"
    tabs, versions = ("open tab ab", "open tab cd", "open tab ef"), ("try build v11", "try build v12", "try build v13")
    assert names_of(tabs[0], tabs) == names_of(versions[0], versions) == (), "nor does so short or odd a word tell much"
    assert names_of("the desk of ivy", (*desks, "the desk of ivy")) == ("ivy",)
    others = ("Fix the parser", "Run the tests", "Write the docs")
    assert [names_of(text, others) for text in others] == [(), (), ()]
    assert names_of("Fix the parser", ("Fix the parser",)) == ()
    assert names_of("the desk of a.txt", desks) == ("a.txt",), "names that are written as such come first"


def test_a_name_that_all_todos_share_tells_nothing() -> None:
    """Then the words that set a todo apart count, too. A name of its own is enough."""
    lookups = tuple(
        f"Find the {it} and write it to all.txt" for it in ("desk of anvil", "room of cabin", "room of ivy")
    )
    assert names_of(lookups[0], lookups) == ("all.txt", "desk", "anvil")
    copies = tuple(f"copy {name}.txt to all.txt" for name in ("anvil", "cabin", "ivy"))
    assert names_of(copies[0], copies) == ("anvil.txt", "all.txt")
