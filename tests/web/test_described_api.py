"""The API is as its description says: schemathesis asks it everything, and nothing makes the server fail."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from patience import PATIENCE
from schemathesis import checks
from web_driving import EDIT, Served, board, path_of, serving

from holdfast.plan.change_words import KINDS
from holdfast.stores import MemoryStore
from holdfast.web.application import description

ENDLESS = "/api/events"
UNHURRIED = [
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
    HealthCheck.large_base_example,
]
described = schemathesis.openapi.from_dict(description()).exclude(path=ENDLESS)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A server with a plan that is edited at will."""
    store = MemoryStore()
    board(store).write({"todos": [{"content": f"Step {at}"} for at in range(3)]})
    board(store).edit("1", status="completed")
    with serving(store) as server:
        yield server


@described.parametrize()
@settings(max_examples=8, suppress_health_check=UNHURRIED)
def test_no_request_makes_the_server_fail(case: schemathesis.Case[Any], served: Served) -> None:
    """Whatever is asked for, valid or not: the answer is one that the description has, in the form that it has."""
    case.call_and_validate(
        base_url=served.url,
        timeout=PATIENCE,
        excluded_checks=[
            checks.positive_data_acceptance,  # a revision that is not the plan's is refused
            checks.unsupported_method,  # what carries no mark is refused before its method is looked at
            checks.missing_required_header,
            checks.negative_data_rejection,  # a query with an unknown parameter is no error
        ],
    )


@settings(max_examples=15, suppress_health_check=UNHURRIED)
@described.include(path=["/api/plans/{id}/todos", "/api/plans/{id}/todos/{todo}"]).parametrize()
def test_edits_of_a_real_plan_never_make_it_fail(case: schemathesis.Case[Any], served: Served) -> None:
    """With its own id and revision, so that they get as far as the plan."""
    plan = served.ask(path_of()).data
    case.path_parameters = {**(case.path_parameters or {}), "id": plan["id"]}
    headers = {**EDIT, "If-Match": f'"{plan["revision"]}"'}
    response = case.call(base_url=served.url, timeout=PATIENCE, headers=headers)
    assert response.status_code < 500, response.text


def test_the_description_is_served_and_whole(served: Served) -> None:
    """It names every address of the API, and every kind of change."""
    told: Any = served.ask("/api/openapi.json").data
    assert told == description()
    routes = {route.path.replace(":int", "") for route in served.app.routes if route.path.startswith("/api/")}
    assert set(told["paths"]) - {"/healthz"} == routes - {"/api/openapi.json"}
    assert sorted(
        told["components"]["schemas"]["Change"]["properties"]["parts"]["items"]["properties"]["kind"]["enum"]
    ) == sorted(KINDS)
