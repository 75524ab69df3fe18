"""The request of a story's step (operation, path, body, headers), and what a step can do and check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct, field

from mock_server.addresses import query_of
from mock_server.contract.control_operations import CONTROL_OPERATIONS, PREFIX
from mock_server.contract.operation import PARTS
from mock_server.contract.operations import BY_NAME, OPERATIONS
from mock_server.domain import cards
from mock_server.domain.card_brands import EXPIRY, brand_of
from mock_server.domain.faults import LineFault
from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.conditions.paths import ABSENT, follow
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.model.scenario import StoryStep

AGAIN: Final = "again"


class Step(Struct, frozen=True):
    """A step that is a call of the control API. `of` fills in `<id>` in the path; `with` overrides parts of `body`."""

    name: str
    path: str
    body: Mapping[str, object]


AUTHENTICATE: Final = "payments/<id>/authenticate"
STEPS: Final[Mapping[str, Step]] = {
    step.name: step
    for step in (
        Step("clock.advance", "clock/advance", {}),
        Step("clock.freeze", "clock/freeze", {}),
        Step("clock.resume", "clock/resume", {}),
        Step("next", "next", {}),
        Step("customer.approve", AUTHENTICATE, {"result": "approved"}),
        Step("customer.decline", AUTHENTICATE, {"result": "declined"}),
        Step("customer.cancel", AUTHENTICATE, {"result": "cancelled"}),
        Step("customer.expire", AUTHENTICATE, {"result": "expired"}),
        Step("customer.unavailable", AUTHENTICATE, {"result": "unavailable"}),
        Step("customer.abandon", AUTHENTICATE, {"result": "abandoned"}),
        Step("payment.settle", "payments/<id>/settle", {"as": "succeeded"}),
        Step("payment.fail", "payments/<id>/fail", {"decline": "generic_decline"}),
        Step("payment.expire", "payments/<id>/expire", {"what": "session"}),
        Step("payment.hold", "payments/<id>/hold", {}),
        Step("payment.dispute", "payments/<id>/dispute", {"reason": "fraudulent"}),
        Step("refund.settle", "refunds/<id>/settle", {"as": "succeeded"}),
        Step("dispute.advance", "disputes/<id>/advance", {}),
    )
}
_BY_PATH: Final = {PARTS.sub("<id>", row.path): row.name for row in CONTROL_OPERATIONS if row.method == "POST"}
CALL_OF: Final = {name: _BY_PATH[PREFIX + step.path] for name, step in STEPS.items()}
"""The call of the control API that a step makes."""

CONNECTIONS: Final = tuple(fault.taken_for for fault in LineFault if fault.taken_for)
"""How a connection can fail for a client."""

SEEN: Final = ("http", "connection", "replayed", "webhooks", *RECORDS)
"""The keys of `see` with a meaning of their own; every other key is a path into the answer's body."""


UNREAD: Final = "?"
"""What a step has for `do` if that is unknown; such a scenario is never played."""
VERBS: Final = (*dict.fromkeys(row.name for row in OPERATIONS), AGAIN, *STEPS)
"""Everything that `do` can be."""


KEY_HEADER: Final = "X-Idempotency-Key"
CREATE: Final = "payments.create"
PROFILE: Final = "pro_story"
OWNERS: Final = {"disputes": "dispute_id"}
"""The field of the body that `of` fills in, by family of calls; elsewhere the payment's id."""
REFERENCE: Final = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_-]+)*)", re.ASCII)


def unused(step: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keys that have no meaning for what a step does, and why."""
    do = str(step.get("do"))
    by_hand, row = STEPS.get(do), BY_NAME.get(do)
    used = {
        "of": "<id>" in by_hand.path if by_hand else row and do != CREATE,
        "with": row or (by_hand and by_hand.path != AUTHENTICATE),
        "by": do == "clock.advance",
        "key": do == AGAIN or (row and row.changes),
        "headers": row,
        "as": "do" in step or "see" not in step,
        "bare": do == CREATE,
    }
    why = f"is not allowed on {do}" if "do" in step else "needs do"
    there = {key.strip("_") for key in step} if do != UNREAD else ()
    yield from ((key, why) for key, is_used in used.items() if key in there and not is_used)


class StoryRequest(Struct, frozen=True):
    """A request; without `json` it has no body."""

    method: str
    path: str
    json: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


def request_of(step: StoryStep, named: Mapping[str, Any], own_cards: Mapping[str, str]) -> StoryRequest:
    """The request of a step. ValueError says what cannot be filled in."""
    body = {name: resolved(value, named) for name, value in step.with_.items()}
    of = None if step.of is None else resolved(step.of, named)
    headers = {name: str(resolved(value, named)) for name, value in step.headers.items()}
    headers.update(key_of(step, named))
    if step.do in STEPS:
        return _control(step, of, body, headers)
    row = BY_NAME[str(step.do)]
    path, used = _path(row.path, of)
    owner = OWNERS.get(str(step.do).split(".", 1)[0], "payment_id")
    body.update({} if used or of is None else {owner: _id(of, owner)})
    if "card" in body:
        body.update(card_fields(str(body.pop("card")), own_cards))
    if step.do == CREATE and not step.bare:
        body.setdefault("profile_id", PROFILE)
    if row.method == "GET" or not row.body:
        return StoryRequest(row.method, path + query_of(body), None, headers)
    return StoryRequest(row.method, path, body, headers)


def key_of(step: StoryStep, named: Mapping[str, Any]) -> dict[str, str]:
    """The header with a step's idempotency key, if it has one. ValueError as for `request_of`."""
    return {} if step.key is None else {KEY_HEADER: str(resolved(step.key, named))}


def _control(step: StoryStep, of: Any, body: dict[str, Any], headers: Mapping[str, str]) -> StoryRequest:
    row = STEPS[str(step.do)]
    part = _id(of, RECORDS[row.path.split("/", 1)[0]]) if "<id>" in row.path else ""
    path = row.path.replace("<id>", quote(part, safe=""))
    time = {} if step.by_ms is None else {"by": f"{step.by_ms}ms"}
    return StoryRequest("POST", PREFIX + path, {**row.body, **time, **body}, headers)


def _path(path: str, of: Any) -> tuple[str, bool]:
    """The path with its ids, and whether there were any."""
    parts = PARTS.findall(path)
    if parts and of is None:
        raise ValueError(f"needs of for the {parts[0]} in {path}")
    for part in parts:
        path = path.replace(f"<{part}>", quote(_id(of, part), safe=""))
    return path, bool(parts)


def _id(of: Any, name: str) -> str:
    """The id that `of` leads to: a text is one, an answer has one."""
    found = of.get(name) if isinstance(of, dict) else of
    if not isinstance(found, str):
        raise ValueError(f"of refers to an answer without {name}")
    return found


def card_fields(name: str, own: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a payment's body for a card. ValueError if there is no such card."""
    number = card_number(name, own)
    cvc = "1234" if brand_of(number) == "AmericanExpress" else "123"
    data = {"card_number": number, **EXPIRY, "card_cvc": cvc}
    return {"payment_method": "card", "payment_method_type": "credit", "payment_method_data": {"card": data}}


def card_number(name: str, own: Mapping[str, str]) -> str:
    """The number of a card, by its name or itself. ValueError if there is no such card."""
    if name in own or (name.isascii() and name.isdecimal()):
        return own.get(name, name)
    row = cards.by_name(name)
    if row is None or not row.listed:
        known = [*own, *(one for it in cards.CARDS if it.listed for one in (it.name, it.name.removeprefix("visa_")))]
        raise ValueError(f"{name} is not a card{nearest(name, known)}")
    return row.number


def unknown_card(with_: Mapping[str, Any], own: Mapping[str, str]) -> str | None:
    """What is wrong with the card in a step's body; `own` are the scenario's cards, as numbers by name."""
    name = with_.get("card")
    if name is not None and str(name)[:1] != "$":
        try:
            card_number(str(name), own)
        except ValueError as wrong:
            return str(wrong)
    return None


def resolved(value: Any, named: Mapping[str, Any]) -> Any:
    """A value with its references replaced; `$$` at the beginning of a text means `$`."""
    if isinstance(value, dict):
        return {key: resolved(item, named) for key, item in value.items()}
    if isinstance(value, list):
        return [resolved(item, named) for item in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    if value.startswith("$$"):
        return value[1:]
    found = REFERENCE.fullmatch(value)
    if found is None or found[1] not in named:
        raise ValueError(f"{value} is not the name of an earlier step{nearest(value[1:].split('.')[0], named)}")
    led = follow(named[found[1]], tuple(found[2].split(".")[1:]))
    if led is ABSENT:
        raise ValueError(f"{value} is missing in the answer of that step")
    return led
