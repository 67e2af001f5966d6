"""Addresses of databases: what is the driver's, what is ours, and that no password is ever shown."""

import traceback

import pytest

from holdfast.errors import HoldfastError, UsageError
from holdfast.stores import open_store
from holdfast.stores.address import parse, without_password
from holdfast.stores.postgres import PostgresStore

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"postgresql://ann:{SECRET}@db.example/plans", "postgresql://ann@db.example/plans"),
        (f"postgresql://:{SECRET}@db.example/plans", "postgresql://db.example/plans"),
        (
            f"postgres://ann@a:1,b:2/plans?password={SECRET}&sslmode=require",
            "postgres://ann@a:1,b:2/plans?sslmode=require",
        ),
        (f"postgresql:///plans?pass%77ord={SECRET}&host=/run", "postgresql:///plans?host=/run"),
        (f"postgresql://ann:a?{SECRET}@db/plans?sslpassword={SECRET}", "postgresql://ann@db/plans"),
        (f"mysql://ann:{SECRET}@db", "mysql://ann@db"),
        (f"postgresql://ann:a/{SECRET}@db/plans", "postgresql://ann@db/plans"),
        (f"postgresql://ann:a@{SECRET}@db/plans", "postgresql://ann@db/plans"),
        ("postgresql://db/plans?namespace=a", "postgresql://db/plans?namespace=a"),
        ("/a/path/to/plans.db", "/a/path/to/plans.db"),
        ("/a/path@to/plans.db", "/a/path@to/plans.db"),
    ],
)
def test_an_address_is_shown_without_its_passwords(address: str, shown: str) -> None:
    """Whether the password stands before the host or among the options, it is not shown."""
    assert without_password(address) == shown


def test_what_is_ours_is_taken_out_of_an_address() -> None:
    """The driver does not know a namespace or a schema; everything else reaches it as it was written."""
    address = parse("postgresql://ann:a%40b@db/plans?namespace=team%20a%2F%C3%A4&sslmode=require&schema=own")
    assert address.conninfo == "postgresql://ann:a%40b@db/plans?sslmode=require"
    assert (address.namespace, address.schema) == ("team a/ä", "own")
    assert (parse("postgresql:///plans").namespace, parse("postgresql:///plans").schema) == ("default", "holdfast")


@pytest.mark.parametrize(
    "options",
    [
        *("namespace=", "namespace=a%00b", "namespace=a\udcff", f"namespace={'n' * 201}"),
        *("schema=", "schema=pg_mine", "schema=a\udcff", f"schema={'s' * 64}"),
    ],
)
def test_names_that_cannot_be_are_refused(options: str) -> None:
    """A namespace or a schema that the database could not have is refused before it is asked."""
    with pytest.raises(UsageError, match=options.partition("=")[0]):
        parse(f"postgresql:///plans?{options}")


@pytest.mark.parametrize(
    "address",
    [
        f"mysql://ann:{SECRET}@db/plans",
        f"postgresql://ann:{SECRET}@db:port/plans",
        f"postgresql://ann:{SECRET}@db/plans?no_such_option=1",
        f"postgresql://\udcff:{SECRET}@db/plans",
        f"postgresql://ann:{SECRET}%zz@db/plans",
        f"postgresql://ann:{SECRET}/@db/plans",
        f"postgresql://ann:a@{SECRET}@db/plans",
        f"postgresql://ann@db/plans?password={SECRET}&x",
    ],
)
def test_a_bad_address_is_told_without_its_password(address: str) -> None:
    """Neither the message nor the trace under it quotes the password."""
    with pytest.raises(HoldfastError) as caught:
        open_store(address).sessions()
    assert SECRET not in "".join(traceback.format_exception(caught.value)).replace(repr(address), "")
    assert SECRET not in str(caught.value)


def test_limits_of_a_store_are_checked() -> None:
    """A store needs at least one connection, and some time."""
    with pytest.raises(UsageError, match="above 0"):
        PostgresStore("postgresql:///plans", connections=0)
    with pytest.raises(UsageError, match="above 0"):
        PostgresStore("postgresql:///plans", patience=0)
