"""What the public API says of its answers (public_api.txt), as a schema that answers in its dialect are held against.

The table is read strictly: an answer has every key that its schema names, and no other. Where the public document is
wrong, or the server that it is about does otherwise, it is said here, with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema_rs

from tests.openapi.agreeing import Disagreement

Json = dict[str, Any]
TABLE: Final = Path(__file__).with_name("public_api.txt")
URI: Final = "urn:public"

TYPES: Final[Mapping[str, Json]] = {
    "string": {"type": "string"},
    "string (date-time)": {"type": "string", "format": "date-time"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object", "additionalProperties": True},
    "any": {"additionalProperties": True},
}

BESIDE: Final[Mapping[str, str]] = {
    "POST /payments": "PaymentsResponse",  # the document's own schema for it lacks four keys that the server gives
    "POST /payments/{payment_id}": "PaymentsResponse",
    "POST /payments/{payment_id}/confirm": "PaymentsResponse",
    "POST /payments/{payment_id}/cancel": "PaymentsResponse",
    "POST /payments/{payment_id}/extend_authorization": "PaymentsResponse",
    "POST /payments/{payment_id}/approve": "PaymentsResponse",
    "POST /payments/{payment_id}/reject": "PaymentsResponse",
    "POST /payments/sync": "PaymentsResponse",
    "POST /payments/filter": (
        "{connector!: map of [MerchantConnectorInfo], currency!: [string], status!: [IntentStatus], "
        "payment_method!: map of [PaymentMethodType], authentication_type!: [AuthenticationType], "
        "card_network!: [CardNetwork], card_discovery!: [CardDiscovery]}"
    ),
    "POST /refunds/filter": (
        "{connector!: map of [MerchantConnectorInfo], currency!: [string], refund_status!: [RefundStatus]}"
    ),
    "GET /account/{account_id}/profile": "[ProfileResponse]",
    "POST /payments/profile/list": "{count!: integer, total_count!: integer, data!: [PaymentsResponse]}",
    "GET /payments/profile/list": "PaymentListResponse",
    "POST /refunds/profile/list": "RefundListResponse",
    "GET /payments/aggregate": "{status_with_count!: map of integer}",
    "GET /refunds/aggregate": "{status_with_count!: map of integer}",
    "GET /payments/list": "PaymentListResponse",  # the document has an array of it
    "POST /payments/list": "{count!: integer, total_count!: integer, data!: [PaymentsResponse]}",
    "POST /refunds/sync": "RefundResponse",
    "POST /customers": "allOf(CustomerResponse, {ephemeral_key: object?})",  # and a key for the browser
    "GET /customers/list_with_count": "{data!: [CustomerResponse], total_count!: integer}",
    "POST /payment_methods/{method_id}/save": "PaymentMethodResponse",
    "GET /payment_methods": "PaymentMethodListResponse",
    "POST /customers/{customer_id}/payment_methods/{payment_method_id}/default": "CustomerDefaultPaymentMethodResponse",
    "GET /mandates/list": "[MandateResponse]",
    "GET /blocklist": "[BlocklistResponse]",  # the document has one entry alone
    "POST /ephemeral_keys": (
        "{id!: string, merchant_id!: string, customer_id!: string, created_at!: integer, expires!: integer, "
        "secret!: string}"
    ),
}
"""Answers of routes that the public document does not have, gives no schema, or a wrong one (facts §1)."""

OTHERWISE: Final[Mapping[str, str]] = {
    "PaymentsResponse.payment_method": "PaymentMethod?",  # null until the payment has a method
    "MerchantConnectorResponse.connector_account_details": "object?",  # as it was sent, the secrets left out
    "PaymentMethodResponse.payment_method": "PaymentMethod?",  # null while a reserved one has no method
    "NextActionData.voucher_details": "object",  # said to be a text
    "MerchantConnectorResponse.connector_name": "string",  # the sandbox's own names are taken too
    "MerchantConnectorListResponse.connector_name": "string",
    "PaymentMethodListResponse.mandate_payment": "MandateType?",  # null for a payment without mandate_data
    "WebhookDetails.refund_statuses_enabled": "[RefundStatus]",  # said to be statuses of payments
}
"""Fields whose type in the public document is not what its server gives."""


INBOX: Final = "/_sandbox/webhooks"
TOLD: Final = {
    "payment_details": "PaymentsResponse",
    "refund_details": "RefundResponse",
    "dispute_details": "DisputeResponse",
    "mandate_details": "MandateResponse",
}
"""What a webhook shows, by its content's type (facts §2.9)."""

LEFT_OUT: Final = frozenset(("attempts", "captures"))
"""Keys that are not there where they have no value; all others of a response are null then (facts §2)."""


class _Reader:
    """Reads one type of the table, from where it is."""

    def __init__(self, text: str) -> None:
        self.left = text.strip()

    def takes(self, start: str) -> bool:
        found = self.left.startswith(start)
        if found:
            self.left = self.left.removeprefix(start).lstrip()
        return found

    def type(self) -> Json:
        made = self._plain()
        return {"anyOf": [made, {"type": "null"}]} if self.takes("?") else made

    def _plain(self) -> Json:
        if self.takes("one of "):
            return {"enum": list(self._divided("|"))}
        if self.takes("map of "):
            return {"type": "object", "additionalProperties": self.type()}
        if self.takes("["):
            inner = self.type()
            assert self.takes("]"), self.left
            return {"type": "array", "items": sealed(inner)}
        if self.takes("{"):
            return self._record()
        if self.takes("allOf("):
            return {"allOf": [flat(one) for one in self._types(")")]}
        if self.takes("string (date-time)"):
            return dict(TYPES["string (date-time)"])
        word = self._word()
        return dict(TYPES[word]) if word in TYPES else {"$ref": f"{URI}#/{word}"}

    def _word(self) -> str:
        found = re.match(r"[\w.-]+(?::\w+)*", self.left)
        assert found, self.left
        self.left = self.left[found.end() :].lstrip()
        return found.group()

    def _divided(self, by: str) -> Iterator[str]:
        yield self._word()
        while self.takes(by):
            yield self._word()

    def _types(self, end: str) -> Iterator[Json]:
        yield self.type()
        while self.takes(","):
            yield self.type()
        assert self.takes(end), self.left

    def _record(self) -> Json:
        fields: dict[str, Json] = {}
        needed = []
        while not self.takes("}"):
            name = self._word()
            if self.takes("!"):
                needed.append(name)
            assert self.takes(":"), self.left
            fields[name] = sealed(self.type())
            self.takes(",")
        return {"type": "object", "properties": fields, "required": needed}


def type_of(said: str) -> Json:
    """The schema of a type as the table says it."""
    return _Reader(said).type()


def flat(schema: Json) -> Json:
    """A part of an `allOf`, whose keys stand among those of the others; where it may be null they may be missing."""
    return {"anyOf": [schema["anyOf"][0], {"type": "object"}]} if "anyOf" in schema else schema


def sealed(schema: Json) -> Json:
    """The same, with no room for keys beside those that are named."""
    return {**schema, "unevaluatedProperties": False}


def _read(head: str, rows: list[str]) -> Json:
    if head in ("oneOf", "allOf"):
        found = [_Reader(row.removeprefix("  - ")).type() for row in rows]
        return {"anyOf": found} if head == "oneOf" else {"allOf": [flat(one) for one in found]}
    if not rows:
        return _Reader(head).type()
    return _Reader("{" + ", ".join(row.strip() for row in rows) + "}").type()


def read(path: Path) -> tuple[dict[str, str], Json]:
    """The schemas' names by route, and the schemas by name, of one table."""
    _, routes, schemas = re.split(r"^# (?:Routes|Schemas)\n\n", path.read_text(), flags=re.MULTILINE)
    found: dict[str, Json] = {}
    for block in re.split(r"\n(?! )", schemas.strip()):
        (first, *rows) = block.splitlines()
        name, _, head = first.partition(":")
        found[name] = _read(head.strip(), rows)
    rows = (line.rsplit(" ", 1) for line in routes.splitlines() if line)
    return dict(rows), found


@cache
def table() -> tuple[dict[str, str], Json]:
    """The schemas' names by route, and the schemas by name, as the public document has them."""
    routes, found = read(TABLE)
    for place, kind in OTHERWISE.items():
        name, _, field = place.partition(".")
        (record,) = (one for one in (found[name], *found[name].get("anyOf", ())) if field in one.get("properties", ()))
        record["properties"][field] = sealed(_Reader(kind).type())
    for name, one in found.items():
        if name.endswith(("Response", "SdkNextAction", "IntentData")) and "properties" in one:
            one["required"] = [key for key in one["properties"] if key not in LEFT_OUT]
    return {**routes, **BESIDE}, found


def agree(method: str, path: str, status: int, raw: bytes) -> None:
    """Holds one answer against the table. Raises Disagreement."""
    plain = path.partition("?")[0]
    found = schema_of(method, plain)
    if found is not None and status == 200:
        held(found, json.loads(raw), f"{method} {path}")
    if (method, plain, status) == ("GET", INBOX, 200) and raw:
        for event in json.loads(raw)["data"]:
            told(event["body"]["content"])


def told(content: Mapping[str, Any]) -> None:
    """Holds what a webhook says of its object against the table. Raises Disagreement."""
    held(TOLD[content["type"]], content["object"], f"a webhook with {content['type']}")


@cache
def _routes() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    rows = (route.split(" ") for route in sorted(table()[0], key=lambda route: route.count("{")))
    return tuple((method, re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), f"{method} {path}") for method, path in rows)


@cache
def schema_of(method: str, path: str) -> str | None:
    """The schema of what a call answers; None where the table does not have the call."""
    found = next((route for verb, pattern, route in _routes() if verb == method and pattern.fullmatch(path)), None)
    return None if found is None else table()[0][found]


@cache
def _registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(URI, table()[1])], draft=jsonschema_rs.Draft202012)


@cache
def _validator(schema: str) -> Any:
    one = sealed(_Reader(schema).type())
    return jsonschema_rs.Draft202012Validator(one, registry=_registry(), validate_formats=True)


def held(schema: str, value: Any, what: str) -> None:
    """Raises Disagreement where a value is not what the table says."""
    wrong = [
        f"at {'/'.join(map(str, one.instance_path)) or 'the top'}: {one.message[:300]}"
        for one in _validator(schema).iter_errors(value)
    ]
    if wrong:
        raise Disagreement(f"{what}: no {schema}: {'; '.join(wrong)}")
