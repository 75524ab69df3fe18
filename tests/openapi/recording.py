"""Real calls and answers, as the document shows them: the good call of each operation, and one refusal of each cause.

A clock that stands still and a seed make them the same in every run.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.openapi.requests import operation_ids, template
from tests.causes.by_calls import BY_CALLS
from tests.clocks import ManualClock
from tests.routes.good import GOOD, STRIPE, Good, as_client, caller
from tests.wire import Reply, Wire, card_data, wire

Example = dict[str, Any]
TEMPORARY: Final = re.compile(re.escape(tempfile.gettempdir()) + r"/\w+/")
"""Where a file stood while its trouble was recorded: another place each time."""
BASE: Final = "http://127.0.0.1:12190"
LONG: Final = frozenset((
    "control.errors", "control.states", "control.cards", "control.scenario_schema", "control.snapshot",
    "control.workspaces", "control.verdicts", "control.metrics",
))  # fmt: skip
"""Whole tables and the like, which stand in pages of their own."""

BODIES: Final[Mapping[str, Any]] = {
    "payments.create": {
        "amount": 6540,
        "currency": "USD",
        "profile_id": "pro_shop",
        "confirm": True,
        "customer_id": "cus_shopper_42",
        "email": "jane.doe@example.com",
        "description": "Order 1001",
        "payment_method": "card",
        "payment_method_type": "credit",
        "payment_method_data": {"card": card_data(card_holder_name="Jane Doe")},
        "metadata": {"order_id": "1001"},
    },
    "payments.session_tokens": {"wallets": []},
    "payments.cancel": {"cancellation_reason": "requested_by_customer"},
    "refunds.create": {"amount": 1000, "reason": "requested_by_customer", "metadata": {"order_id": "1001"}},
    "accounts.create": {"merchant_id": "merchant_example", "merchant_name": "Example Shop"},
    "api_keys.create": {"name": "Checkout", "expiration": "never"},
    "connectors.create": STRIPE,
}
"""What tells more than the shortest body that succeeds, or what the other dialect requires."""

SCENARIO: Final = """\
summary: Each customer is declined once.
rules:
  - on: charge
    per: customer
    then: [{decline: insufficient_funds}, {outcome: succeeded}]
"""

CONTROL: Final[Mapping[str, Any]] = {
    "control.reset": {"seed": "42"},
    "control.clock_freeze": {},
    "control.clock_advance": {"by": "24h"},
    "control.clock_resume": {},
    "control.set_dialect": {"dialect": "interface"},
    "control.dispute": {"reason": "product_not_received", "amount": 1000},
    "control.settle_refund": {"as": "succeeded"},
    "control.advance_dispute": {"to": "won"},
    "control.put_next": {"on": "charge", "then": {"decline": "insufficient_funds"}},
    "control.set_webhook_target": {"url": "http://localhost:8000/webhooks"},
    "control.sign_webhook": {"body": {"event_type": "payment_succeeded"}},
    "control.authenticate": {"result": "approved"},
    "control.settle": {"as": "succeeded"},
    "control.fail": {"decline": "settlement_failed"},
    "control.expire": {"what": "session"},
    "control.resend_webhooks": {"type": "payment_succeeded"},
}
"""The bodies of control calls; a call without a row here has none."""
WAITING: Final = {
    "control.authenticate": "visa_3ds_required",
    "control.settle": "visa_pending_succeeds",
    "control.fail": "visa_pending_fails",
    "control.settle_refund": "visa_refund_pending",
}
"""The card by which a payment comes to stand where a call has something to do."""


def recorded() -> dict[str, Any]:
    """Everything, by the operation's id and the cause's and event's name."""
    api = wire(clock=ManualClock(), public_url=BASE)
    operations = dict(_of_api(api))
    return {
        "operations": {**operations, **dict(_of_control(api))},
        "errors": dict(_errors()),
        "webhooks": _webhooks(api),
    }


def _of_api(api: Wire) -> Iterator[tuple[str, Example]]:
    for number, (row, name) in enumerate(operation_ids(OPERATIONS)):
        if name != row.name:
            continue  # another route of the same operation: the answer is the same
        own = api.as_key(f"snd_example_{number:03}")
        good = GOOD[row.name](own)
        client = caller(own, row)
        if good.secret is not None and client is not own:
            good = as_client(good, row)
        if row.name in BODIES:
            good.body = {**(good.body or {}), **BODIES[row.name]}
        reply = good.sent(client, row)
        assert reply.status == 200, (row, reply.raw)
        yield name, _example(row, good, reply)


def _example(row: Operation, good: Good, reply: Reply) -> Example:
    found: Example = {}
    if good.form is None and good.body is not None and row.method not in ("GET", "DELETE"):
        found["request"] = good.body
    if reply.headers.get("Content-Type") == "application/json":
        found["answer"] = reply.json
    return found


def _of_control(server: Wire) -> Iterator[tuple[str, Example]]:
    for number, (row, name) in enumerate(operation_ids(CONTROL_OPERATIONS)):
        api = server.as_key(f"snd_control_{number:03}")
        if row.name in LONG:
            continue
        reply = control_call(api, row)()
        assert reply.status == 200, (row, reply.raw)
        found: Example = {"request": CONTROL[row.name]} if CONTROL.get(row.name) else {}
        if reply.headers.get("Content-Type") == "application/json":
            found["answer"] = reply.json
        yield name, found


def control_call(api: Wire, row: Operation) -> Callable[[], Reply]:
    """A good call of the control API, with everything prepared that it needs."""
    ids = prepared(api, row.name)
    path = template(row.path)
    for part in PARTS.findall(row.path):
        path = path.replace(f"{{{part}}}", ids[part])
    body = CONTROL.get(row.name)
    if row.name == "control.put_scenario":
        return lambda: _put_scenario(api, path)
    if row.name == "control.trigger_webhook":
        body = {"type": "payment_succeeded", "object_id": api.pay()["payment_id"]}
    if row.name == "control.search":
        api.pay()
    return lambda: api.call(row.method, path + ("?text=65.40" if row.name == "control.search" else ""), body)


def _put_scenario(api: Wire, path: str) -> Reply:
    return api.call("PUT", path, raw=SCENARIO.encode(), headers={"Content-Type": "application/yaml"})


def prepared(api: Wire, name: str) -> dict[str, str]:
    """What a call needs to be there, and the parts of its path."""
    card = WAITING.get(name)
    payment = api.pay(card or "success", confirm=name != "control.expire")
    ids = {"payment_id": payment["payment_id"], "name": "second_try", "kind": "payments", "number": "1"}
    if "refund" in name:
        ids["refund_id"] = api.post("/refunds", {"payment_id": ids["payment_id"], "amount": 1000})["refund_id"]
    if name == "control.hold":
        ids["payment_id"] = api.pay(capture_method="manual")["payment_id"]
    if name == "control.advance_dispute":
        ids["dispute_id"] = api.post(f"/_sandbox/payments/{ids['payment_id']}/dispute", {})["dispute_id"]
    if "webhook" in name:
        ids["event_id"] = api.get("/_sandbox/webhooks")["data"][0]["event_id"]
    if "scenario" in name and name != "control.put_scenario":
        _put_scenario(api, "/_sandbox/scenarios/second_try")
        if name in ("control.check_scenario", "control.deactivate_scenario", "control.scenario"):
            api.post("/_sandbox/scenarios/second_try/activate")
    if "snapshot" in name:
        ids["name"] = "two_payments"
        if name != "control.take_snapshot":
            api.put("/_sandbox/snapshots/two_payments")
    return ids


def _errors() -> Iterator[tuple[str, Example]]:
    for cause, raising in BY_CALLS:
        clock = ManualClock()
        reply = raising(wire(clock=clock), clock)
        if reply.headers.get("Content-Type") == "application/json":
            yield cause.value, json.loads(TEMPORARY.sub("/data/", reply.raw.decode()))


def _webhooks(api: Wire) -> dict[str, Example]:
    """The first event of each type that any of the calls above has told."""
    found: dict[str, Example] = {}
    for number in range(len(OPERATIONS)):
        inbox = api.as_key(f"snd_example_{number:03}").get("/_sandbox/webhooks?limit=100")
        for event in inbox["data"]:
            found.setdefault(event["event_type"], event["body"])
    return dict(sorted(found.items()))


def text() -> str:
    """The text of `mock_server/openapi/examples.json`: a line an example."""
    parts = []
    for group, rows in recorded().items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items())
        parts.append(f" {json.dumps(group)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
