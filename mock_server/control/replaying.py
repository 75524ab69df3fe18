"""Makes the steps and rules of a story from the journal of a payment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server import jsontext
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.domain import cards
from mock_server.domain.card_brands import brand_named
from mock_server.domain.events import Event, EventClass
from mock_server.domain.faults import LineFault
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import PAYMENTS
from mock_server.scenario.conditions.paths import follow
from mock_server.scenario.model.answers import LATER_NAMES
from mock_server.scenario.schema.answers import LINE_KEYS
from mock_server.scenario.story.requests import CALL_OF, STEPS
from mock_server.store.records import decode
from mock_server.story.payment_history import BY_HAND

parsed: Final = partial(jsontext.read_or, None)
"""A body as JSON; None if it is not JSON."""
BROKEN: Final = {fault: fault.taken_for for fault in LineFault if fault.taken_for}
"""A story's names for the faults that leave the client without an answer."""
DEFAULT_CARD: Final = "visa_success"
Entry = Mapping[str, Any]
Plain = dict[str, Any]
HEADER: Final = "X-Replay-Step"
HIDDEN_METHODS: Final = ("payment_token", "payment_method_id", "mandate_id", "recurring_details")
"""Fields that refer to a saved method of another payment; they are replaced by its card."""
CARD_FIELDS: Final = ("payment_method", "payment_method_type", "payment_method_data", *HIDDEN_METHODS)
ASKING: Final = frozenset({"payments.eligibility", "payments.eligibility_check"})
"""Calls that only ask about a card: no answer names it, and they need none."""
NOT_MADE: Final = ("files.", "disputes.attach_", "disputes.delete_", "events.", "payments.link", "payments.poll")
"""Calls that a story does not make: it sends no files, and knows no id of an event, a link or a poll."""
DONE: Final = {CALL_OF[step.name]: step.name for step in STEPS.values() if "<id>" in step.path}
"""The steps for calls of the control API."""
CUSTOMER: Final = {step.body["result"]: step.name for step in STEPS.values() if "result" in step.body}


@dataclass(slots=True)
class Replay:
    """The steps and rules so far. `is_first`: a call created the payment, so before it the clock can be set back.

    `disputes` has the ids of the payment's disputes, in the order in which it shows them.
    """

    payment: Payment
    events: Sequence[Event]
    disputes: Sequence[str]
    is_first: bool
    steps: list[Plain] = field(default_factory=list)
    rules: list[Plain] = field(default_factory=list)
    is_made: bool = False
    has_shop: bool = False
    now: int | None = None
    pay: str = "$pay"
    names: dict[str, str] = field(default_factory=dict)
    keys: dict[tuple[str, str, bytes], str] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Adds one line, unless it was refused, and so changed nothing."""
        operation = str(entry["operation"])
        if entry["cause"] and not entry.get("events"):
            return
        if operation.startswith(BY_HAND):
            self._by_hand(entry)
        elif operation.startswith("page."):
            self._page(entry)
        elif operation.startswith("profiles."):
            self._profile(entry)
        else:
            self._call(entry)

    def end(self) -> None:
        """Advances the clock to the last event after the last call, and looks at the payment, which is no poll."""
        if self.events:
            self._clock(max(event.created_at for event in self.events))
        payment = self.payment
        see = {"data.0.status": str(payment.status), "data.0.amount": payment.amount}
        asked = {"payment_id": self._named(payment.payment_id), "limit": 1}
        self.steps.append({"do": "payments.list", "with": asked, "see": see})

    def _clock(self, at: int) -> None:
        if self.now is None:
            self.steps.append({"do": "clock.freeze", **({"with": {"at": iso(at)}} if self.is_first else {})})
            customer_id = self.payment.customer_id
            if customer_id is not None and self.is_first:
                self.steps.append({"do": "customers.create", "with": {"customer_id": customer_id}})
        elif at > self.now:
            self.steps.append({"do": "clock.advance", "by": f"{at - self.now}ms"})
        self.now = at if self.now is None else max(at, self.now)

    def _call(self, entry: Entry) -> None:
        row = BY_NAME.get(entry["operation"])
        if row is None or row.name.startswith(NOT_MADE):
            return
        self._clock(entry["at"])
        step: Plain = {"do": row.name}
        if parts := parts_of(row, entry["path"]):
            step["of"] = self._named(next(iter(parts.values())))
        body = self._body(entry, row)
        if row.name == "payments.create":  # in another dialect, a merchant's only profile need not be named
            body["profile_id"] = body.get("profile_id") or self.payment.profile_id
        if body:
            step["with"] = body
        if entry["idempotent"] and row.changes:
            step["key"] = self._key(entry)
        self._decided(entry, step)
        if entry["key"].startswith("pk_"):
            step.setdefault("headers", {})["api-key"] = "$publishable_key"
        step["see"] = seen(entry)
        self.steps.append(step)
        self._name(entry, row, step)

    def _body(self, entry: Entry, row: Operation) -> Plain:
        if row.method == "GET":
            return {name: self._named(value) for name, value in parse_qsl(entry["query"], keep_blank_values=True)}
        found = parsed(entry["request"])
        if not isinstance(found, dict):
            return {}
        body: Plain = self._inside(found)
        if isinstance(body.get("metadata"), dict):
            body["metadata"] = {k: v for k, v in body["metadata"].items() if k != "sandbox_scenario"}
        return self._with_card(entry, body)

    def _inside(self, value: Any) -> Any:
        """A value with references to steps for the ids that they created, and without empty email addresses."""
        if isinstance(value, dict):
            return {name: self._inside(item) for name, item in value.items() if item or not name.endswith("email")}
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        return self._named(value) if isinstance(value, str) else value

    def _named(self, text: str) -> str:
        if text in self.disputes and text not in self.names:  # its bank opened it: a look at the payment finds it
            of, name = self._named(self.payment.payment_id), f"look_{len(self.steps) + 1}"
            self.steps.append({"do": "payments.retrieve", "of": of, "as": name})
            self.names[text] = f"${name}.disputes.{self.disputes.index(text)}.dispute_id"
        return self.names.get(text) or (f"${text}" if text.startswith("$") else text)

    def _with_card(self, entry: Entry, body: Plain) -> Plain:
        """The body with a card's name instead of its number or of a saved method."""
        if entry["operation"] in ASKING:
            return {name: value for name, value in body.items() if name != "payment_method_data"}
        is_card = "card" in (body.get("payment_method_data") or {})
        if not is_card and not any(name in body for name in HIDDEN_METHODS):
            return body
        rest = {name: value for name, value in body.items() if name not in CARD_FIELDS}
        return {**rest, "card": self._card(entry)}

    def _card(self, entry: Entry) -> str:
        """The card of the call; for an unlisted number, a test card of its brand."""
        card = self.payment.card
        caused = entry.get("events") or ()
        for event in self.events:
            if event.number in caused and event.type.about is EventClass.PAYMENTS:
                card = decode(PAYMENTS, event.object).card or card
        return card_sent(entry["notes"], parsed(entry["response"])) or card_like(card.brand if card else "")

    def _key(self, entry: Entry) -> str:
        """The idempotency key: the same for repetitions of a call."""
        call = (str(entry["operation"]), str(entry["path"]), bytes(entry["request"]))
        if not entry["replayed"] or call not in self.keys:
            self.keys[call] = f"replay-{len(self.keys) + 1}"
        return self.keys[call]

    def _decided(self, entry: Entry, step: Plain) -> None:
        """Adds a rule for every decision that a new sandbox would not make by itself."""
        number = f"{len(self.steps) + 1}"
        for note in entry["notes"]:
            inputs = note["inputs"]
            if note["by"] == "header X-Sandbox-Outcome" and note["by"] in inputs:
                step.setdefault("headers", {})["X-Sandbox-Outcome"] = inputs[note["by"]]
            then = inputs.get("then") or {}
            if not then or (entry["operation"].startswith("page.") and not then.keys().isdisjoint(LINE_KEYS)):
                continue  # no story opens a page
            if step["do"] in STEPS:  # they take no header
                self.steps.append({"do": "next", "with": {"on": "charge", "then": dict(then)}})
                continue
            self._rule(entry["operation"], then, number)
            step.setdefault("headers", {})[HEADER] = number

    def _rule(self, operation: str, then: Plain, number: str) -> None:
        """Adds a rule for one decision; several of one call, as retries cause, become a list of answers."""
        is_line = not then.keys().isdisjoint(LINE_KEYS)
        is_later = operation in LATER_NAMES.values() or operation.startswith("disputes.")
        on = operation if is_later or is_line else "charge"
        rule: Plain = {"on": on, "when": {f"header.{HEADER}": number}, "then": dict(then)}
        before = self.rules[-1] if self.rules and not is_line else {}
        if {**before, "then": None} == {**rule, "then": None} and not any(key in LINE_KEYS for key in before["then"]):
            earlier = before["then"]
            before["then"] = [*(earlier if isinstance(earlier, list) else [earlier]), dict(then)]
        else:
            self.rules.append(rule)

    def _profile(self, entry: Entry) -> None:
        """Adds a change of the payment's profile. Its route needs the merchant, whose id a payment's answer has."""
        self._clock(entry["at"])
        if not self.is_made and not self.has_shop:
            self.has_shop = True
            body = {"amount": 1, "currency": "EUR", "profile_id": self.payment.profile_id}
            self.steps.append({"do": "payments.create", "with": body, "as": "shop"})
        do = str(entry["operation"]).replace(".create", ".update")
        body = parsed(entry["request"])
        step = {"do": do, "of": self.pay if self.is_made else "$shop"}
        self.steps.append({**step, **({"with": body} if isinstance(body, dict) else {})})

    def _by_hand(self, entry: Entry) -> None:
        body = parsed(entry["request"])
        body = self._inside(body) if isinstance(body, dict) else {}
        do = CUSTOMER.get(body.pop("result", "")) or DONE.get(entry["operation"])
        if do is None:
            return
        self._clock(entry["at"])
        of = self._named(entry["path"].split("/")[3])
        step: Plain = {"do": do, "of": of, **({"with": body} if body else {})}
        if do == "payment.dispute":
            self._remember(step, parsed(entry["response"]), "dispute_id", "dispute")
        self._do(entry, step)

    def _page(self, entry: Entry) -> None:
        """Adds what the customer did on a page, as its reasons name it."""
        for note in entry["notes"] if entry.get("events") else ():
            inputs = note["inputs"] if note["by"] == "page" else {}
            if "result" in inputs:
                self._do(entry, {"do": CUSTOMER[inputs["result"]], "of": self.pay})
            elif "payment_method" in inputs:
                body = {"card": self._card(entry)} if inputs["payment_method"] == "card" else dict(inputs)
                self._do(entry, {"do": "payments.confirm", "of": self.pay, "with": body, "see": {"http": 200}})

    def _do(self, entry: Entry, step: Plain) -> None:
        self._clock(entry["at"])
        self._decided(entry, step)
        self.steps.append(step)

    def _name(self, entry: Entry, row: Operation, step: Plain) -> None:
        answer = parsed(entry["response"])
        if row.name == "payments.create" and not self.is_made:
            self.is_made = True
            if "connection" not in step["see"] and isinstance(answer, dict) and "payment_id" in answer:
                step["as"] = "pay"
            else:  # without an answer, it is the only payment of the new workspace
                self.pay = "$list.data.0"
                self.steps.append({"do": "payments.list", "with": {"limit": 1}, "as": "list"})
            self.names[self.payment.payment_id] = f"{self.pay}.payment_id"
            self.names[self.payment.client_secret] = f"{self.pay}.client_secret"
        elif row.name == "refunds.create":
            self._remember(step, answer, "refund_id", "refund")

    def _remember(self, step: Plain, answer: Any, part: str, what: str) -> None:
        made = answer.get(part) if isinstance(answer, dict) else None
        if isinstance(made, str) and made not in self.names:
            step["as"] = f"{what}_{sum(name.startswith(f'${what}_') for name in self.names.values()) + 1}"
            self.names[made] = f"${step['as']}.{part}"


def seen(entry: Entry) -> Plain:
    """The result of a call, in a story's words."""
    fault = entry["fault"]
    if fault in BROKEN:
        return {"connection": BROKEN[fault]}
    see: Plain = {"http": entry["status"]}
    answer, left = parsed(entry["response"]), entry.get("left")
    if left is not None and isinstance(answer, dict) and "payment_id" in answer and "client_secret" in answer:
        see["status"] = left[0]
    return see


def parts_of(row: Operation, path: str) -> dict[str, str]:
    """The parts of a path, by their names in the operation's path."""
    pairs = zip(row.path.split("/"), path.split("/"), strict=False)
    return {name.strip("<>"): there for name, there in pairs if name.startswith("<")}


def card_sent(notes: Sequence[Mapping[str, Any]], answer: object) -> str | None:
    """The name of a call's test card, by the reasons of its decisions or by the card in its answer, a payment."""
    named = next((name for note in notes if (name := note["inputs"].get("card.name"))), None)
    ends = tuple(follow(answer, ("payment_method_data", "card", end)) for end in ("card_isin", "last4"))
    alike = (row for row in cards.CARDS if (row.number[:6], row.number[-4:]) == ends)
    row = cards.by_name(str(named)) if named else next(alike, None)
    return row.name if row is not None and row.listed else None


def card_like(brand: str) -> str:
    """A card of the table that succeeds, of a brand if there is one."""
    row = brand_named(brand) if brand else None
    wanted = f"{row.slug}_success" if row is not None else DEFAULT_CARD
    return wanted if cards.by_name(wanted) else DEFAULT_CARD
