"""Makes the steps and rules of a story from the journal of a payment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server import jsontext
from mock_server.contract.control_operations import CONTROL_OPERATIONS, PREFIX
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain import cards
from mock_server.domain.card_brands import brand_named
from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.domain.faults import LineFault
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import PAYMENTS
from mock_server.scenario.model.answers import LATER_NAMES
from mock_server.scenario.schema.answers import LINE_KEYS
from mock_server.scenario.story.requests import STEPS
from mock_server.store.records import decode
from mock_server.story.payment_history import BY_HAND

BROKEN: Final = {
    LineFault.CONNECTION_RESET: "reset",
    LineFault.EMPTY_RESPONSE: "empty",
    LineFault.TRUNCATED_BODY: "truncated",
    LineFault.MALFORMED_JSON: "malformed",
    LineFault.HANG: "timeout",
}
"""A story's names for the faults that leave the client without an answer."""
DEFAULT_CARD: Final = "visa_success"
Line = Mapping[str, Any]
Plain = dict[str, Any]
HEADER: Final = "X-Replay-Step"
KEY: Final = "replay-{}"
HIDDEN_METHODS: Final = ("payment_token", "payment_method_id", "mandate_id", "recurring_details")
"""Fields that refer to a saved method of another payment; they are replaced by its card."""
CARD_FIELDS: Final = ("payment_method", "payment_method_type", "payment_method_data", *HIDDEN_METHODS)
_BY_PATH: Final = {PREFIX + step.path: step.name for step in STEPS.values() if step.needs_of}
DONE: Final = {
    row.name: _BY_PATH[path] for row in CONTROL_OPERATIONS if (path := re.sub(r"<\w+>", "<id>", row.path)) in _BY_PATH
}
"""The steps for calls of the control API."""
CUSTOMER: Final = {step.body["result"]: step.name for step in STEPS.values() if "result" in step.body}
"""The steps for actions of a customer, by their result."""


class Replay:
    """The steps and rules so far."""

    def __init__(self, payment: Payment, events: Sequence[Event], is_first: bool) -> None:
        self.steps: list[Plain] = []
        self.rules: list[Plain] = []
        self.is_made = False
        self._has_shop = False
        self._payment = payment
        self._is_first = is_first
        """Whether a call created the payment: then the workspace is empty before it, and the clock can be set back."""
        self._events = {event.number: event for event in events}
        self._now: int | None = None
        self._pay = "$pay"
        self._names: dict[str, str] = {}
        self._keys: dict[tuple[str, str, bytes], str] = {}

    def add(self, line: Line) -> None:
        """Adds one line, unless it was refused, and so changed nothing."""
        operation = str(line["operation"])
        if line["cause"] and not line.get("events"):
            return
        if operation.startswith(BY_HAND):
            self._by_hand(line)
        elif operation.startswith("page."):
            self._page(line)
        elif operation.startswith("profiles."):
            self._profile(line)
        else:
            self._call(line)

    def end(self, events: Sequence[Event]) -> None:
        """Advances the clock to the last event after the last call, and looks at the payment, which is no poll."""
        if events:
            self._clock(max(event.created_at for event in events))
        payment = self._payment
        see = {"data.0.status": str(payment.status), "data.0.amount": payment.amount}
        asked = {"payment_id": self._named(payment.payment_id), "limit": 1}
        self.steps.append({"do": "payments.list", "with": asked, "see": see})

    def _clock(self, at: int) -> None:
        if self._now is None:
            self.steps.append({"do": "clock.freeze", **({"with": {"at": iso(at)}} if self._is_first else {})})
            customer_id = self._payment.customer_id
            if customer_id is not None and self._is_first:
                self.steps.append({"do": "customers.create", "with": {"customer_id": customer_id}})
        elif at > self._now:
            self.steps.append({"do": "clock.advance", "by": f"{at - self._now}ms"})
        self._now = at if self._now is None else max(at, self._now)

    def _call(self, line: Line) -> None:
        row = next((one for one in OPERATIONS if one.name == line["operation"]), None)
        if row is None:
            return
        self._clock(line["at"])
        step: Plain = {"do": row.name}
        parts = parts_of(row, line["path"])
        if parts:
            step["of"] = self._named(next(iter(parts.values())))
        body = self._body(line, row)
        if body:
            step["with"] = body
        if row.name == "payments.create" and "profile_id" not in body:
            step["bare"] = True
        if line["idempotent"]:
            step["key"] = self._key(line)
        self._decided(line, step)
        if line["key"].startswith("pk_"):
            step.setdefault("headers", {})["api-key"] = "$publishable_key"
        step["see"] = seen(line)
        self.steps.append(step)
        self._name(line, row, step)

    def _body(self, line: Line, row: Operation) -> Plain:
        if row.method == "GET":
            return {name: self._named(value) for name, value in parse_qsl(line["query"], keep_blank_values=True)}
        found = parsed(line["request"])
        if not isinstance(found, dict):
            return {}
        body: Plain = {name: self._inside(value) for name, value in found.items()}
        if isinstance(body.get("metadata"), dict):
            body["metadata"] = {k: v for k, v in body["metadata"].items() if k != "sandbox_scenario"}
        return self._with_card(line, body)

    def _inside(self, value: Any) -> Any:
        """A value with references to steps for the ids that they created."""
        if isinstance(value, dict):
            return {name: self._inside(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        return self._named(value) if isinstance(value, str) else value

    def _named(self, text: str) -> str:
        known = self._names.get(text)
        return known or (f"${text}" if text.startswith("$") else text)

    def _with_card(self, line: Line, body: Plain) -> Plain:
        """The body with a card's name instead of its number or of a saved method."""
        method = body.get("payment_method_data")
        is_card = isinstance(method, dict) and "card" in method
        if not is_card and not any(name in body for name in HIDDEN_METHODS):
            return body
        rest = {name: value for name, value in body.items() if name not in CARD_FIELDS}
        return {**rest, "card": self._card(line)}

    def _card(self, line: Line) -> str:
        """The card of the call; for an unlisted number, a test card of its brand."""
        kept = self._payment.card
        for number in line.get("events") or ():
            event = self._events.get(number)
            if event is not None and EVENTS[event.type].about is EventClass.PAYMENTS:
                kept = decode(PAYMENTS, event.object).card or kept
        named_by = [note["inputs"].get("card.name") for note in line["notes"]]
        name = next((one for one in named_by if one), kept.name if kept else DEFAULT_CARD)
        row = cards.by_name(str(name))
        if row is not None and row.listed:
            return row.name
        return card_like(kept.brand if kept else "")

    def _key(self, line: Line) -> str:
        """The idempotency key: the same for repetitions of a call."""
        call = (str(line["operation"]), str(line["path"]), bytes(line["request"]))
        if not line["replayed"] or call not in self._keys:
            self._keys[call] = KEY.format(len(self._keys) + 1)
        return self._keys[call]

    def _decided(self, line: Line, step: Plain) -> None:
        """Adds a rule for every decision that a new sandbox would not make by itself."""
        number = f"{len(self.steps) + 1}"
        for note in line["notes"]:
            inputs = note["inputs"]
            if note["by"] == "header X-Sandbox-Outcome" and note["by"] in inputs:
                step.setdefault("headers", {})["X-Sandbox-Outcome"] = inputs[note["by"]]
            if isinstance(inputs.get("then"), dict):
                self._rule(line["operation"], inputs["then"], number)
                step.setdefault("headers", {})[HEADER] = number

    def _rule(self, operation: str, then: Plain, number: str) -> None:
        """Adds a rule for one decision; several of one call, as retries cause, become a list of answers."""
        is_line = any(key in LINE_KEYS for key in then)
        is_later = operation in LATER_NAMES.values() or operation.startswith("disputes.")
        on = operation if is_later or is_line else "charge"
        rule: Plain = {"on": on, "when": {f"header.{HEADER}": number}, "then": dict(then)}
        before = self.rules[-1] if self.rules and not is_line else {}
        if {**before, "then": None} == {**rule, "then": None} and not any(key in LINE_KEYS for key in before["then"]):
            earlier = before["then"]
            before["then"] = [*(earlier if isinstance(earlier, list) else [earlier]), dict(then)]
        else:
            self.rules.append(rule)

    def _profile(self, line: Line) -> None:
        """Adds a change of the payment's profile. Its route needs the merchant, whose id a payment's answer has."""
        self._clock(line["at"])
        if not self.is_made and not self._has_shop:
            self._has_shop = True
            body = {"amount": 1, "currency": "EUR", "profile_id": self._payment.profile_id}
            self.steps.append({"do": "payments.create", "with": body, "as": "shop"})
        do = str(line["operation"]).replace(".create", ".update")
        body = parsed(line["request"])
        self.steps.append(
            {
                "do": do,
                "of": self._pay if self.is_made else "$shop",
                **({"with": body} if isinstance(body, dict) else {}),
            }
        )

    def _by_hand(self, line: Line) -> None:
        body = parsed(line["request"])
        body = {name: self._inside(value) for name, value in body.items()} if isinstance(body, dict) else {}
        if line["operation"] == "control.authenticate":
            self._customer(line, str(body.get("result")))
            return
        do = DONE.get(line["operation"])
        if do is None:
            return
        self._clock(line["at"])
        step: Plain = {"do": do, "of": self._named(line["path"].split("/")[3])}
        if body:
            step["with"] = body
        self._decided(line, step)
        if do == "payment.dispute":
            self._remember(step, parsed(line["response"]), "dispute_id", "dispute")
        self.steps.append(step)

    def _page(self, line: Line) -> None:
        """Adds the customer's action on a page."""
        if line.get("events") and line["method"] == "POST":
            form = dict(parse_qsl(bytes(line["request"]).decode("utf-8", "replace")))
            self._customer(line, form.get("result", "approved"))
        elif line.get("events"):
            self._customer(line, "approved")

    def _customer(self, line: Line, result: str) -> None:
        self._clock(line["at"])
        step: Plain = {"do": CUSTOMER.get(result, "customer.approve"), "of": self._pay}
        if result not in CUSTOMER:
            step["with"] = {"result": result}
        self._decided(line, step)
        self.steps.append(step)

    def _name(self, line: Line, row: Operation, step: Plain) -> None:
        answer = parsed(line["response"])
        if row.name == "payments.create" and not self.is_made:
            self.is_made = True
            if "connection" not in step["see"] and isinstance(answer, dict) and "payment_id" in answer:
                step["as"] = "pay"
            else:  # without an answer, it is the only payment of the new workspace
                self._pay = "$list.data.0"
                self.steps.append({"do": "payments.list", "with": {"limit": 1}, "as": "list"})
            self._names[self._payment.payment_id] = f"{self._pay}.payment_id"
            self._names[self._payment.client_secret] = f"{self._pay}.client_secret"
        elif row.name == "refunds.create":
            self._remember(step, answer, "refund_id", "refund")

    def _remember(self, step: Plain, answer: Any, field: str, what: str) -> None:
        made = answer.get(field) if isinstance(answer, dict) else None
        if isinstance(made, str) and made not in self._names:
            step["as"] = f"{what}_{sum(name.startswith(f'${what}_') for name in self._names.values()) + 1}"
            self._names[made] = f"${step['as']}.{field}"


def seen(line: Line) -> Plain:
    """The result of a call, in a story's words."""
    fault = line["fault"]
    if fault in BROKEN:
        return {"connection": BROKEN[LineFault(fault)]}
    see: Plain = {"http": line["status"]}
    answer, left = parsed(line["response"]), line.get("left")
    if left is not None and isinstance(answer, dict) and "payment_id" in answer and "client_secret" in answer:
        see["status"] = left[0]
    return see


def parts_of(row: Operation, path: str) -> dict[str, str]:
    """The parts of a path, by their names in the operation's path."""
    pairs = zip(row.path.split("/"), path.split("/"), strict=False)
    return {name.strip("<>"): there for name, there in pairs if name.startswith("<")}


def parsed(raw: bytes | str) -> Any:
    """A body as JSON; None if it is not JSON."""
    data = raw.encode() if isinstance(raw, str) else bytes(raw)
    try:
        return jsontext.parse(data) if data else None
    except jsontext.JsonMistake:
        return None


def card_like(brand: str) -> str:
    """A card of the table that succeeds, of a brand if there is one."""
    row = brand_named(brand) if brand else None
    wanted = f"{row.slug}_success" if row is not None else DEFAULT_CARD
    return wanted if cards.by_name(wanted) else DEFAULT_CARD
