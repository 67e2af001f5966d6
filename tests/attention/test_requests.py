"""What a user asks for in sentences: a plan as it stands, or something for the model to put into words."""

import pytest

from holdfast import Attention, Board
from holdfast.attention.coverage import goal_around, points_to_adopt, points_to_catch_up
from holdfast.attention.requests import MOST_CHARACTERS, named_sentences, requests_in, sentences_of
from holdfast.evaluation.tasks import generate_task


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Create a.txt. Then delete b.txt.", ("Create a.txt", "delete b.txt")),
        ("Please create a.txt, and also delete b.txt!", ("create a.txt", "delete b.txt")),
        (
            "Create a.txt; then delete b.txt; rename c.txt to d.txt",
            ("Create a.txt", "delete b.txt", "rename c.txt to d.txt"),
        ),
        ("Could you rename a.txt to b.txt? Delete c.txt.", ("rename a.txt to b.txt", "Delete c.txt")),
        (
            "I need a folder called attic.\nb.txt must go into it, so move b.txt.",
            ("I need a folder called attic", "b.txt must go into it, so move b.txt"),
        ),
        (
            "c.txt should be called d.txt. We want e.txt sorted.",
            ("c.txt should be called d.txt", "We want e.txt sorted"),
        ),
        (
            'Add "x y" to a.txt. Nobody needs b.txt, so it can go.',
            ('Add "x y" to a.txt', "Nobody needs b.txt, so it can go"),
        ),
    ],
)
def test_requests_are_taken_one_by_one(text: str, points: tuple[str, ...]) -> None:
    """Each is in the user's own words, without what only links it to the others."""
    assert points_to_adopt(text) == requests_in(text).points == points


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Copy a.txt and call it b.txt. Delete c.txt.", ("Copy a.txt and call it b.txt", "Delete c.txt")),
        (
            "Count the lines of a.txt and write that number to b.txt. Delete c.txt.",
            ("Count the lines of a.txt and write that number to b.txt", "Delete c.txt"),
        ),
        ("Write tests for a.py and b.py. Update c.md.", ("Write tests for a.py and b.py", "Update c.md")),
        (
            "Add a flag to cli.py, document it in a.md, and run b.py.",
            ("Add a flag to cli.py, document it in a.md", "run b.py"),
        ),
        ("Make a file x.txt that says hello and write y.txt.", ("Make a file x.txt that says hello", "write y.txt")),
    ],
)
def test_what_refers_back_stays_with_what_it_refers_to(text: str, points: tuple[str, ...]) -> None:
    """A request that cannot stand alone is not cut off."""
    assert requests_in(text).points == points


@pytest.mark.parametrize(
    "text",
    [
        "Create a.txt.",
        "Fix the bug in parser.py. The tests in tests/test_parser.py show it.",
        "Create a.txt. Create b.txt. Do not touch c.txt.",
        "Create a.txt. Create b.txt. Then run all tests.",
        "Create a.txt. Create b.txt. We need it today.",
        "Delete b.txt. What is in a.txt?",
        "Create a.txt. Create a.txt.",
        "Write it to a.txt. Delete b.txt. Delete c.txt.",
        "Update setup.py. See docs/x.html for details. Run b.py.",
        "Write 10 lines. Write 20 lines.",
        "Bitte lösche a.txt. Dann lösche b.txt.",
        "Run this:\n```\nrm a.txt\n```\nDelete b.txt. Delete c.txt.",
        "",
    ],
)
def test_what_is_not_plainly_a_request_is_left_to_the_model(text: str) -> None:
    """One request, a remark or a question about a file, what is forbidden, a request that names nothing, code."""
    assert requests_in(text) == ((), "")
    assert points_to_adopt(text) == ()


def test_a_long_text_is_material() -> None:
    """However many requests there are in it."""
    text = "Delete a.txt. Delete b.txt."
    padding = " Thanks." * ((MOST_CHARACTERS - len(text)) // 8)
    assert requests_in(text + padding).points == ("Delete a.txt", "Delete b.txt")
    assert requests_in(text + padding + " Thanks.").points == ()
    assert named_sentences(text + padding + " Thanks.") == ()


def test_what_is_said_beside_the_requests_is_the_goal() -> None:
    """If it is more than a greeting. It stands before each todo, like the words around a list."""
    beside = "This folder belongs to the museum, and every name in it is read by visitors. Their letters are capitals."
    text = f"Hello! Delete a.txt. {beside} Rename b.txt to c.txt."
    assert goal_around(text) == f"Hello! {beside}"
    assert goal_around("Hello! Delete a.txt. Rename b.txt to c.txt. Thanks!") == ""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message(text)
    first = attention.before_request()
    assert first is not None
    assert first.text == (f"Task: Hello! {beside}\nNow do item 1 with the tool that fits best: Delete a.txt")


def test_a_paragraph_becomes_the_plan_under_rail_alone() -> None:
    """No token is spent on it. Under `quiet` the model decides."""
    text = "Create a.txt. Then rename b.txt to c.txt, and I need a folder called attic. Thanks!"
    for policy, contents in (
        ("rail", ("Create a.txt", "rename b.txt to c.txt", "I need a folder called attic")),
        ("quiet", ()),
    ):
        attention = Attention(Board(policy=policy))  # type: ignore[arg-type]  # each is the name of a policy
        attention.on_user_message(text)
        assert attention.board.plan.contents == contents


def test_later_requests_are_added_to_the_plan() -> None:
    """What the user asks for in the middle of a plan comes after what is open."""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message("- create a.txt\n- delete b.txt")
    attention.on_user_message("Also rename c.txt to d.txt. And delete e.txt, please.")
    assert attention.board.plan.contents == (
        "create a.txt",
        "delete b.txt",
        "rename c.txt to d.txt",
        "delete e.txt",
    )


@pytest.mark.parametrize("seed", range(1, 40))
def test_a_task_in_prose_is_a_plan(seed: int) -> None:
    """There is one todo for each job, and it has the names of that job and of no other."""
    task = generate_task("prose", seed)
    points = points_to_adopt(task.text)
    assert len(points) == len(task.jobs)
    for point, job in zip(points, task.jobs, strict=True):
        assert all(name in point for name in job.names), (point, job.text)


def test_a_model_in_trouble_is_held_to_every_sentence_that_names_something() -> None:
    """Also where nobody can say what is a request: better too much than the junk that it has planned."""
    text = "Fix the bug in parser.py. The tests in test_parser.py show it! What is in c.txt? Thanks."
    assert points_to_adopt(text) == ()
    assert points_to_catch_up(text) == ("Fix the bug in parser.py", "The tests in test_parser.py show it")
    assert points_to_catch_up("Fix parser.py. Thanks.") == ()
    assert points_to_catch_up("- fix a.py\n  - and b.py\n- run c.py") == ()


@pytest.mark.parametrize(
    "text",
    [
        "Delete a.txt. Delete b.txt. ```x```",
        "Should a.txt go? Delete b.txt. Delete c.txt.",
        "Don't delete a.txt. Delete b.txt. Delete c.txt.",
        "Don’t delete a.txt. Delete b.txt. Delete c.txt.",
        "a.txt should never change. Delete b.txt. Delete c.txt.",
        "a.txt should stay, so don't touch it. Delete b.txt. Delete c.txt.",
    ],
)
def test_code_questions_and_what_is_forbidden_keep_a_text_from_being_a_plan(text: str) -> None:
    """However plain the other requests are."""
    assert requests_in(text).points == ()


def test_code_is_not_what_a_model_is_held_to() -> None:
    """A text with code in it is material."""
    assert named_sentences("The file a.txt is here. The file b.txt is there. ```x```") == ()


def test_lines_are_sentences_and_empty_ones_are_none() -> None:
    """Also without a full stop, and with space around them."""
    assert requests_in("Delete a.txt\n\n  Delete b.txt.\n").points == ("Delete a.txt", "Delete b.txt")
    assert sentences_of(" One.  Two!\n\n\nThree?\n") == ["One.", "Two!", "Three?"]


def test_a_text_may_be_as_long_as_the_limit() -> None:
    """One character more is too much."""
    text = "Delete a.txt. Delete b.txt."
    full = text + " " * (2000 - len(text) - 1) + "."
    assert len(full) == MOST_CHARACTERS == 2000
    assert len(requests_in(full).points) == len(named_sentences(full)) == 2
    assert requests_in(full + ".").points == named_sentences(full + ".") == ()


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (
            "Create a.txt with ‘x, and delete y.txt. Delete z.txt’ in it. Delete b.txt.",
            ("Create a.txt with ‘x, and delete y.txt. Delete z.txt’ in it", "Delete b.txt"),
        ),
        ("Never mind the dust. Delete a.txt. Delete b.txt.", ("Delete a.txt", "Delete b.txt")),
        ("Delete a.txt. Rename b.txt to B.TEX.", ("Delete a.txt", "Rename b.txt to B.TEX")),
        (
            'In a.txt and b.txt it should say "x". Delete c.txt.',
            ('In a.txt and b.txt it should say "x"', "Delete c.txt"),
        ),
    ],
)
def test_a_request_is_whole(text: str, points: tuple[str, ...]) -> None:
    """Nothing is cut off its end, nothing off its start, and a remark beside it does not count."""
    assert requests_in(text).points == points


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (
            'Put "Delete b.txt. Create c.txt." into a.txt. Run d.py.',
            ('Put "Delete b.txt. Create c.txt." into a.txt', "Run d.py"),
        ),
        (
            "Write 'create b.txt, and delete c.txt' to a.txt and delete d.txt.",
            ("Write 'create b.txt, and delete c.txt' to a.txt", "delete d.txt"),
        ),
        ("Add `x = 1. y = 2` to a.py. Run b.py.", ("Add `x = 1. y = 2` to a.py", "Run b.py")),
        ("Say “open b.txt. Thanks.” in a.txt. Run b.py.", ()),
        ("Add “open b.txt. Thanks.” to a.txt. Run b.py.", ("Add “open b.txt. Thanks.” to a.txt", "Run b.py")),
        (
            "Update a.py (and delete b.py, and run c.py). Fix d.py.",
            ("Update a.py (and delete b.py, and run c.py)", "Fix d.py"),
        ),
        ("Update a.txt, e.g. with a date. Delete b.txt.", ("Update a.txt, e.g. with a date", "Delete b.txt")),
        ("Update the dog's a.txt. Fix the cats' b.txt.", ("Update the dog's a.txt", "Fix the cats' b.txt")),
        ('Put "Delete b.txt. Create c.txt. Run d.py.', ()),
        ("Please do: 1. Create a.txt 2. Delete b.txt 3. Run c.py", ()),
        ("Do this: 1) Create a.txt 2) Delete b.txt.\nRun c.py.", ()),
    ],
)
def test_a_request_is_not_cut_within(text: str, points: tuple[str, ...]) -> None:
    """Neither in a quotation, in brackets, nor after a short form. Where nobody can tell, the model has to."""
    assert requests_in(text).points == points


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ('Create a.txt. Then add "hello" to it. Delete b.txt.', ('Create a.txt. add "hello" to it', "Delete b.txt")),
        (
            "Create a.txt. It should contain the word river, and delete b.txt.",
            ("Create a.txt. It should contain the word river", "delete b.txt"),
        ),
        (
            "Create a.txt. Put the word hello in that file. Run b.py.",
            ("Create a.txt. Put the word hello in that file", "Run b.py"),
        ),
        ("Delete c.txt. Copy a.txt and call it b.txt.", ("Delete c.txt", "Copy a.txt and call it b.txt")),
        ('Put "make it so" into a.txt. Put "x" into b.txt.', ('Put "make it so" into a.txt', 'Put "x" into b.txt')),
        ('I have a folder. Add "hello" to it. Delete b.txt. Run c.py.', ()),
        ('Create a.txt. Create b.txt. Both should say "hi".', ()),
        ('Create a.txt. Create b.txt. Put "hi" into them.', ()),
    ],
)
def test_a_sentence_about_the_one_before_it_is_a_part_of_that_request(text: str, points: tuple[str, ...]) -> None:
    """Alone it would say nothing. If it is about several requests, or about none, the model has to tell."""
    assert requests_in(text).points == points


@pytest.mark.parametrize(
    "text",
    [
        "Create a.txt. Delete b.txt. How do I do that?",
        "What do these commits do?\nFix the crash in a.py\nAdd b.py",
        "Can you explain what these commits do?\nFix the crash in a.py\nAdd b.py",
        "Explain this:\nFix the crash in a.py\nAdd b.py",
        "Create a.txt. Delete b.txt. Then check that the tests pass.",
        "Create a.txt. Delete b.txt. Ask me first.",
        "Create a.txt. Delete b.txt. Do not begin yet.",
        "Create a.txt. Delete b.txt. Don't run anything.",
        "You can go to a.com. We need b.com.",
        "Call me at 10.30. Set the alarm to 11.45.",
        "test.py fails on Windows. build.sh hangs.",
        'print("a.txt")\nopen("b.txt").read()',
        "CREATE TABLE shop.users (id int);\nINSERT INTO shop.users VALUES (1);",
        "Run these:\n~~~\ndelete a.txt\nmove b.txt\n~~~",
        "The log says this:\n    Delete a.txt\n    Move b.txt",
        "The log says this:\n\tDelete a.txt\n\tMove b.txt",
        "Delete a.txt. Move b.txt.\n> Thanks for that!",
    ],
)
def test_what_asks_for_something_else_is_left_to_the_model(text: str) -> None:
    """An answer, something without a name, or that nothing be done; and what is no request at all, such as code."""
    assert requests_in(text) == ((), "")


def test_polite_words_in_any_order_are_no_question() -> None:
    """Nobody waits for an answer to them."""
    text = "Please, could you delete a.txt? And can you move b.txt to c.txt? Would you mind?"
    assert requests_in(text) == (("delete a.txt", "move b.txt to c.txt"), "Would you mind?")


@pytest.mark.parametrize(
    "text",
    [
        "    open a.txt\n    close b.txt",
        "> a.txt is old\n> b.txt is new",
        'Take "a.txt. Leave b.txt.',
    ],
)
def test_nobody_is_held_to_material(text: str) -> None:
    """To code, to what somebody else has written, or to half of a quotation."""
    assert named_sentences(text) == ()
