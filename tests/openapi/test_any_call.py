"""Schemathesis calls every operation with what the document allows, and with what it does not.

Whatever comes, the answer is one that the document promises: no other status, content type or shape, and never a 500.
A call or two of each operation in a normal run, hundreds with PAYMENT_SANDBOX_SOAK. In a normal run half of those that
can be called wrongly are not called rightly here: what other tests' calls get is compared with the document too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation import GenerationMode

from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.openapi.agreeing import agree, strict
from tests.routes.good import GOOD, Good, as_client, caller
from tests.wire import Wire, wire

pytestmark = pytest.mark.timeout(1800 if SOAK else 600)
"""The first call of each worker waits for all that must be there before."""
EXAMPLES: Final = {GenerationMode.POSITIVE: 200 if SOAK else 1, GenerationMode.NEGATIVE: 100 if SOAK else 1}
SHARES: Final = 8
HELD: Final = (
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
)
"""Not held: that all that a schema allows is taken, and that another key is refused (decision 0009 says why)."""
LEADING_AWAY: Final = ("X-Sandbox-Scenario", "X-Sandbox-Outcome", "X-Idempotency-Key")
"""What anything sensible but a known word of ends a call too soon."""
NAMES: Final = {"name": "lost_response"}


@pytest.fixture(scope="module")
def server() -> Wire:
    """A server that sends nothing to other machines."""
    return wire(clock=ManualClock(), webhook_hosts=("127.0.0.1",))


@pytest.fixture(scope="module")
def schema(server: Wire) -> Any:
    load_all_checks()
    return schemathesis.openapi.from_wsgi("/_sandbox/openapi.json", server.app)


def goods(api: Wire) -> Iterator[tuple[str, str, Good, Wire]]:
    """Method and path of each operation of the API, with a call that succeeds and who makes it."""
    for number, row in enumerate(OPERATIONS):
        own = api.as_key(f"snd_any_call_{number:04}")
        good = GOOD[row.name](own)
        client = caller(own, row)
        yield (
            row.method,
            row.path.replace("<", "{").replace(">", "}"),
            good if client is own else _of(good, row),
            client,
        )


def _of(good: Good, row: Any) -> Good:
    return as_client(good, row) if good.secret is not None else good


@pytest.fixture(scope="module")
def known(server: Wire) -> dict[tuple[str, str], tuple[Good, Wire]]:
    return {(method, path): (good, client) for method, path, good, client in goods(server)}


WORDS: Final = {part for row in OPERATIONS for part in row.path.split("/")}
"""What stands in paths by name."""


@pytest.mark.parametrize("share", range(SHARES))
def test_any_call_gets_an_answer_that_the_document_promises(
    share: int, server: Wire, schema: Any, known: dict[tuple[str, str], tuple[Good, Wire]]
) -> None:
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > len(OPERATIONS)
    by_hand = server.as_key(f"snd_any_call_{share}")
    steering = _steered(by_hand)
    for number, operation in enumerate(operations[share::SHARES]):
        good, client = known.get((operation.method.upper(), operation.path), (steering, by_hand))
        can_be_wrong = _can_be_wrong(operation)
        if SOAK or not can_be_wrong or number % 2:
            _call(operation, GenerationMode.POSITIVE, good, client)
        if can_be_wrong:
            _call(operation, GenerationMode.NEGATIVE, good, client)


def _steered(api: Wire) -> Good:
    """What the calls of the control API are about."""
    payment = api.pay()["payment_id"]
    refund = api.post("/refunds", {"payment_id": payment, "amount": 1})["refund_id"]
    dispute = api.post(f"/_sandbox/payments/{payment}/dispute")["dispute_id"]
    event = api.get("/_sandbox/webhooks").json["data"][0]["event_id"]
    return Good({**NAMES, "payment_id": payment, "refund_id": refund, "dispute_id": dispute, "event_id": event})


def _call(operation: Any, mode: GenerationMode, good: Good, client: Wire) -> None:
    checks = [CHECKS.get_one(name) for name in HELD]

    @settings(
        max_examples=EXAMPLES[mode],
        derandomize=not SOAK,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def calls(case: Any) -> None:
        assume(WORDS.isdisjoint(map(str, (case.path_parameters or {}).values())))  # another route's, then
        if isinstance(case.body, bytes | str) and not case.body.strip():
            return  # white space is no body, and a call that needs none takes it
        _lead(case, good, client, is_good=mode is GenerationMode.POSITIVE)
        response = case.call()
        assert response.status_code != 500, response.content
        case.validate_response(response, checks=checks)
        headers = {name.title(): values[0] for name, values in response.headers.items()}
        agree(operation.method.upper(), operation.path, response.status_code, response.content, headers)

    calls()


def _can_be_wrong(operation: Any) -> bool:
    """Whether a call can be made that the document does not allow: any text is a part of a path, or a header."""
    raw = strict(INTERFACE.name)["paths"][operation.path][operation.method]
    return "requestBody" in raw or any(one.get("in") == "query" for one in raw.get("parameters", ()))


def _lead(case: Any, good: Good, client: Wire, *, is_good: bool) -> None:
    """Leads a call to something that there is, as somebody who may make it."""
    if client.key is not None:
        case.headers["api-key"] = client.key
    case.headers.update(good.headers)
    if isinstance(case.query, dict):
        case.query.pop("wait", None)
    if is_good:
        for name in LEADING_AWAY:
            case.headers.pop(name, None)
        case.path_parameters.update({name: good.ids[name] for name in case.path_parameters if name in good.ids})
        if good.secret is not None and isinstance(case.body, dict):
            case.body["client_secret"] = good.secret
