"""A refusal blames what was sent: every time range, and every type of body where another is needed."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.domain.dispute import EVIDENCE_FILES
from mock_server.domain.figures import FigureSubject
from mock_server.domain.report import ReportKind
from tests.api.money_places import disputed
from tests.api.test_evidence import take_back
from tests.wire import Wire, wire

FUTURE, LONG_AGO = "2040-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
BODIES: Final[dict[str, Any]] = {
    **{f"/analytics/v1/metrics/{one}": {"metrics": [f"{one.value[:-1]}_count"]} for one in FigureSubject},
    **{f"/analytics/v1/filters/{one}": {} for one in FigureSubject},
    **{f"/analytics/v1/report/{one}": {"emails": ["jane@example.com"]} for one in ReportKind},
}


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("end", [None, LONG_AGO])
def test_a_time_range_is_blamed_for_what_was_sent(api: Wire, path: str, end: str | None) -> None:
    time = {"startTime": FUTURE, **({"endTime": end} if end else {})}
    body = {**BODIES[path], "timeRange": time}
    at, sent = ("0.", [body]) if "metrics" in path else ("", body)
    reply = api.post(path, sent)
    assert reply.status == 400, reply.raw
    assert [one["field"] for one in reply.error["fields"]] == [f"{at}timeRange.{'endTime' if end else 'startTime'}"]


JSON: Final = {"null": "null", "array": "[]", "object": "{}", "string": '"a"', "number": "1.5", "boolean": "true"}


@pytest.mark.parametrize("kind", JSON)
@pytest.mark.parametrize(("path", "needed"), [("/analytics/v1/metrics/payments", "array"), ("/payments", "object")])
def test_a_body_of_another_type_is_named(api: Wire, path: str, needed: str, kind: str) -> None:
    reply = api.call("POST", path, raw=JSON[kind].encode())
    if kind not in (needed, "null" if needed == "object" else needed):  # there a null is an empty object
        assert reply.error["message"] == f"The body is JSON, but its type is {kind} instead of {needed}."


@pytest.mark.parametrize("kind", EVIDENCE_FILES)
def test_evidence_that_is_not_there_is_not_to_be_uploaded(api: Wire, kind: str) -> None:
    assert take_back(api, disputed(api), kind).error["message"] == f"There is no file of type {kind} here."
