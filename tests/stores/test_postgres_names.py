"""Names in PostgreSQL: any text comes back as it was, and no two names are taken for one."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.postgres.names import digest, from_text, to_text

odd = st.text(st.sampled_from("\0\\0a "))
names = odd | st.text()


@given(names)
def test_a_name_comes_back_as_it_was(name: str) -> None:
    """What is stored holds no NUL, which PostgreSQL cannot have, and leads back to the very same name."""
    stored = to_text(name)
    assert "\0" not in stored
    assert from_text(stored) == name


@given(st.tuples(odd, odd), st.tuples(odd, odd))
def test_no_two_names_have_one_digest(one: tuple[str, str], other: tuple[str, str]) -> None:
    """A session and an agent whose names run into each other are told apart."""
    assert (digest(*one) == digest(*other)) == (one == other)
