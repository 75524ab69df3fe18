"""The request of a story's step: operation, path, body with cards and references filled in, headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field, structs

from mock_server.contract.operations import OPERATIONS
from mock_server.domain import cards
from mock_server.scenario.conditions.paths import ABSENT, follow
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.model.scenario import StoryStep
from mock_server.scenario.story.steps import STEPS

KEY_HEADER: Final = "X-Idempotency-Key"
PROFILE: Final = "pro_story"
EXPIRY: Final = {"card_exp_month": "12", "card_exp_year": "2045"}
OWNERS: Final = {"disputes": "dispute_id"}
"""What `of` fills in the body of a family's calls; the payment's id everywhere else."""
CONTROL: Final = "/_sandbox/"
PARTS: Final = re.compile(r"<([a-z_]+)>")
REFERENCE: Final = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_-]+)*)", re.ASCII)


class Request(Struct, frozen=True):
    """What goes over the wire; `json` None sends no body."""

    method: str
    path: str
    json: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_control(self) -> bool:
        """Whether it is no call of the API."""
        return self.path.startswith(CONTROL)

    def with_key(self, key: str) -> Request:
        """The same under another idempotency key."""
        return structs.replace(self, headers={**self.headers, KEY_HEADER: key})


def request_of(step: StoryStep, named: Mapping[str, Any], own_cards: Mapping[str, str]) -> Request:
    """The request of a step. ValueError says what cannot be filled in."""
    body = {name: resolved(value, named) for name, value in step.with_.items()}
    of = None if step.of is None else resolved(step.of, named)
    headers = {name: str(resolved(value, named)) for name, value in step.headers.items()}
    headers.update({KEY_HEADER: step.key} if step.key is not None else {})
    if step.do in STEPS:
        return _control(step, of, body, headers)
    row = next(row for row in OPERATIONS if row.name == step.do)
    path, used = _path(row.path, of)
    owner = OWNERS.get(str(step.do).split(".", 1)[0], "payment_id")
    body.update({} if used or of is None else {owner: _id(of, owner)})
    if "card" in body:
        body.update(_card(str(body.pop("card")), own_cards))
    if step.do == "payments.create" and not step.bare:
        body.setdefault("profile_id", PROFILE)
    if row.method == "GET":
        return Request("GET", _with_query(path, body), None, headers)
    return Request(row.method, path, body, headers)


def _control(step: StoryStep, of: Any, body: dict[str, Any], headers: Mapping[str, str]) -> Request:
    row = STEPS[str(step.do)]
    own = {"payments": "payment_id", "refunds": "refund_id", "disputes": "dispute_id"}
    path = row.path.replace("<id>", _id(of, own.get(row.path.split("/", 1)[0], "")) if row.needs_of else "")
    time = {} if step.by_ms is None else {"by": f"{step.by_ms}ms"}
    return Request("POST", CONTROL + path, {**row.body, **time, **body}, headers)


def _path(path: str, of: Any) -> tuple[str, bool]:
    """The path with its ids, and whether there were any."""
    parts = PARTS.findall(path)
    if parts and of is None:
        raise ValueError(f"needs of, for the {parts[0]} in {path}")
    for part in parts:
        path = path.replace(f"<{part}>", _id(of, part))
    return path, bool(parts)


def _id(of: Any, name: str) -> str:
    """The id of what `of` leads to: a text is one, an answer holds one."""
    found = of.get(name) if isinstance(of, dict) else of
    if not isinstance(found, str):
        raise ValueError(f"of leads to nothing with a {name}")
    return found


def _with_query(path: str, body: Mapping[str, Any]) -> str:
    from urllib.parse import urlencode

    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in body.items()}
    return f"{path}?{urlencode(texts)}" if body else path


def _card(name: str, own: Mapping[str, str]) -> dict[str, Any]:
    """What a card stands for in a payment's body."""
    number = card_number(name, own)
    data = {
        "card_number": number,
        **EXPIRY,
        "card_cvc": "1234" if cards.brand_of(number) == "AmericanExpress" else "123",
    }
    return {"payment_method": "card", "payment_method_type": "credit", "payment_method_data": {"card": data}}


def card_number(name: str, own: Mapping[str, str]) -> str:
    """The number of a card, by its name or itself. ValueError where there is no such card."""
    if name in own or name.isdecimal():
        return own.get(name, name)
    row = cards.by_name(name)
    if row is None or not row.listed:
        raise ValueError(
            f"{name} is no card{nearest(name, [*own, *(card.name for card in cards.CARDS if card.listed)])}"
        )
    return row.number


def resolved(value: Any, named: Mapping[str, Any]) -> Any:
    """A value with its references followed; `$$` stands for a `$` at the beginning of a text."""
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
        raise ValueError(f"{value} names no earlier step{nearest(value[1:].split('.')[0], named)}")
    led = follow(named[found[1]], tuple(found[2].split(".")[1:]))
    if led is ABSENT:
        raise ValueError(f"{value} is not there in the answer of that step")
    return led
