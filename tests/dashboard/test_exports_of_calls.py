"""One recorded call in every form: with the card that it sent, with a key that may make it, with its own headers."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME, OPERATIONS
from mock_server.dialects import get
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import KeyKind
from mock_server.testing.sandbox import Sandbox
from tests.dashboard import test_exports_as_made as made
from tests.dashboard.test_exports_as_made import CAUSES, PAID, RULES, exported
from tests.dashboard.test_trying import fields_of
from tests.dashboard.visitor import Visitor, said, text
from tests.wire import Reply, Wire, card_payment

ID: Final = str(PAID["payment_id"])
MARKED: Final = re.compile(r"<(\w+)>")


def taking(field: str) -> list[Operation]:
    """The operations whose body or query has a field."""
    found = []
    for row in OPERATIONS:
        schemas = [getattr(shape.of(INTERFACE), "schema", None) for shape in row.takes if shape is not None]
        if any(schema is not None and field in schema.fields for schema in schemas):
            found.append(row)
    return found


def sent_by(line: str, api: Wire) -> Reply:
    """What a command sends, with the keys that the shell fills in."""
    words = shlex.split(line)
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    headers["api-key"] = {"$PAYMENT_SANDBOX_API_KEY": api.key, "$PAYMENT_SANDBOX_PUBLISHABLE_KEY": api.page().key}[
        headers["api-key"]
    ]  # type: ignore[assignment]  # both are texts
    path = next(word for word in words if word.startswith("http")).removeprefix("http://localhost")
    body = json.loads(words[words.index("-d") + 1]) if "-d" in words else None
    method = words[2] if words[1] == "-X" else "GET"
    return api.call(method, path, body, headers=headers)


# cards

SENT: Final = "mastercard_success"
OTHER: Final = "visa_insufficient_funds"
METHOD: Final = {name: value for name, value in card_payment(SENT).items() if name.startswith("payment_method")}
WITH_CARD: Final = [
    row.name for row in taking("payment_method_data") if "payment_id" in row.path or row.path == "/payments"
]


def number(card: str) -> str:
    return str(card_payment(card)["payment_method_data"]["card"]["card_number"])


def with_a_card(api: Wire, row: Operation, is_open: bool) -> Reply:
    """A call with a card, about a payment that has another one and takes it, or has failed and takes none."""
    stored = {**PAID, **card_payment(OTHER), "confirm": not is_open}
    first = api.post("/payments", stored).json
    body: dict[str, Any] = {
        **METHOD,
        **({"amount": 10, "currency": "EUR", "profile_id": "pro_shop"} if row.method == "PUT" else {}),
    }
    if row.name == "payments.create":
        body |= {"amount": 10, "currency": "EUR", "profile_id": "pro_shop", **({} if is_open else {"payment_id": ID})}
    if KeyKind.SECRET not in row.keys:
        api, body = api.page(), {"client_secret": first["client_secret"], **METHOD, "payment_method_type": "card"}
        body.pop("payment_method")
    return api.call(row.method, row.path.replace("<payment_id>", ID), body)


@pytest.mark.parametrize("is_open", [True, False], ids=["taken", "refused"])
@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
@pytest.mark.parametrize("name", WITH_CARD)
def test_no_form_has_a_card_that_was_not_sent(
    visitor: Visitor, payment_sandbox: Sandbox, tmp_path: Path, name: str, dialect: str, is_open: bool
) -> None:
    visitor.api.put("/_sandbox/dialect", {"dialect": dialect})
    visitor.api.speaks = get(dialect)
    answered = with_a_card(visitor.api, BY_NAME[name], is_open)
    last = visitor.api.get("/_sandbox/journal?limit=1")["data"][0]["number"]
    assert answered.status == 200 if is_open else answered.status in (200, 400), answered.raw
    is_kept = answered.status == 200 and "eligibility" not in name
    command = shlex.split(text(visitor.look(f"journal/{last}?as=curl")))
    card = json.loads(command[command.index("-d") + 1])["payment_method_data"]["card"]["card_number"]
    offered = re.findall(r'name="card"[^>]*? value="(\w*)"', visitor.read(f"journal/{last}/replay"))
    entries = [one["request"] for one in json.loads(exported(visitor, "har"))["log"]["entries"]]
    assert (card, offered) == ((number(SENT), [SENT]) if is_kept else ("[hidden]", [""]))
    if visitor.api.get(f"/_sandbox/journal?payment_id={ID}&limit=1")["data"][0]["number"] == last:
        assert entries[-1]["_card"] == (SENT if is_kept else None)
    if answered.status == 200:
        made.har(visitor, payment_sandbox, tmp_path)
        assert exported(visitor, "scenario").startswith("# verified: "), exported(visitor, "scenario")
    else:
        assert OTHER not in text(visitor.look(f"journal/{last}?as=pytest&later=1"))


def test_a_call_without_a_card_is_archived_without_one(visitor: Visitor) -> None:
    visitor.api.post("/payments", {**PAID, "capture_method": "manual"})
    visitor.api.post(f"/payments/{ID}/capture", {"amount_to_capture": 10})
    visitor.api.get(f"/payments/{ID}")
    entries = json.loads(exported(visitor, "har"))["log"]["entries"]
    assert [one["request"].get("_card") for one in entries] == ["visa_success", None, None]


# keys

SECRETS: Final = [row for row in taking("client_secret") if KeyKind.PUBLISHABLE in row.keys]
BODIES: Final[dict[str, dict[str, Any]]] = {
    "payments.session_tokens": {"payment_id": ID, "wallets": []},
    "payments.update": {"description": "two seats"},
    "payments.confirm": METHOD,
    "payments.post_session_tokens": {"payment_method": "wallet", "payment_method_type": "paypal"},
    "payments.eligibility": {"payment_method_type": "card"},
    "payments.eligibility_check": {"payment_method_type": "card"},
    "payments.calculate_tax": {"shipping": {}},
    "payment_methods.update": {"card": {"nick_name": "mine"}},
    "payment_methods.save": METHOD,
}
ONCE: Final = frozenset({"payments.confirm", "payment_methods.save"})
CHALLENGED: Final = frozenset({"payments.complete_authorize"})


def filled(command: str) -> str:
    """A command with a chosen card where it says that none is stored."""
    return command.replace('"card_cvc": "[hidden]"', '"card_cvc": "123"').replace("[hidden]", number(SENT))


def of_a_page(api: Wire, row: Operation, by_header: bool) -> Reply:
    """A browser's call, with the secret in its query or body, or in the header `Authorization`."""
    customer: dict[str, Any] = {"customer": {"id": "cus_exports"}, "return_url": "https://shop.example/"}
    customer |= {"payment_link": True} if "link" in row.path else {}
    card = card_payment("visa_3ds_required")
    first = api.post("/payments", {**PAID, **card, **customer, "confirm": row.name in CHALLENGED}).json
    data = {"customer_id": "cus_exports", "payment_method": "card", "payment_method_type": "credit",
        "card": METHOD["payment_method_data"]["card"]}  # fmt: skip
    if row.name == "payment_methods.save":  # of a method without details so far
        del data["card"]
    saved = api.post("/payment_methods", data).json if "payment_method_id" in row.path else {}
    assert "client_secret" in {**first, **saved}, (first, saved)
    secret = {**first, **saved}["client_secret"]
    parts = {**first, **saved, "payment_link_id": f"plink_{ID}"}
    path = MARKED.sub(lambda part: str(parts[part[1]]), row.path)
    page = api.page()
    given: dict[str, Any] = {} if by_header else {"client_secret": secret}
    apart = b64encode(f"publishable_key={page.key},client_secret={secret}".encode()).decode()
    page, headers = (api.as_key(None), {"Authorization": apart}) if by_header else (page, {})
    if row.method == "GET":
        return page.call("GET", f"{path}?{urlencode(given)}" if given else path, headers=headers)
    return page.call(row.method, path, {**BODIES.get(row.name, {}), **given}, headers=headers)


@pytest.mark.parametrize("by_header", [False, True], ids=["itself", "header"])
@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row.name)
def test_a_call_of_a_page_can_be_repeated_by_its_merchant(
    visitor: Visitor, payment_sandbox: Sandbox, tmp_path: Path, row: Operation, by_header: bool
) -> None:
    api = visitor.api
    answered = of_a_page(api, row, by_header)
    assert answered.status == 200, answered.raw
    line = api.get("/_sandbox/journal?limit=1")["data"][0]
    found = [text(visitor.look(f"journal/{line['number']}?as=curl"))]
    if line["payment_id"]:
        found.append(exported(visitor, "curl").splitlines()[-1])
        forms: list[Callable[..., None]] = [made.as_scenario, made.as_pytest, made.har]
        # No archive says who ends a bank's page, and no story knows a link by another id than the payment's.
        for form in forms[: 2 if row.name in CHALLENGED or "payment_link_id" in row.path else 3]:
            form(visitor, payment_sandbox, tmp_path)
            payment_sandbox.reset()
    replayed = fields_of(visitor.read(f"journal/{line['number']}/replay"))
    for command in found:
        api.post("/_sandbox/reset")
        of_a_page(api, row, by_header)
        if row.name in ONCE:
            assert sent_by(filled(command), api).error["code"] == "IR_16", command
        else:
            assert sent_by(filled(command), api).status == 200, command
    if row.name not in ONCE:
        again = visitor.send(f"journal/{line['number']}/replay", {**replayed, "card": SENT})
        assert again.status == 200, said(text(again), "notice")


# headers


def replayed(visitor: Visitor, **changed: str) -> Reply:
    """The last call, made again for another payment."""
    page = f"journal/{visitor.api.get('/_sandbox/journal?limit=1')['data'][0]['number']}/replay"
    fields = fields_of(visitor.read(page))
    return visitor.send(page, {**fields, "json": fields["json"].replace(ID, "pay_again"), "card": SENT, **changed})


@pytest.mark.parametrize("cause", [name for name in CAUSES if name != "X-Idempotency-Key"])
def test_a_call_is_replayed_with_its_own_headers(visitor: Visitor, cause: str) -> None:
    api = visitor.api
    for name, rule in RULES.items():
        kind = {"Content-Type": "application/yaml"}
        api.call("PUT", f"/_sandbox/scenarios/{name}", raw=rule.encode(), headers=kind)
    api.post("/_sandbox/scenarios/by_header/activate")
    CAUSES[cause](api)
    again = replayed(visitor, **({"card": "visa_insufficient_funds"} if cause == "a card" else {}))
    assert again.status == 200, said(text(again), "notice")
    first, second = (api.get(f"/payments/{one}").json for one in (ID, "pay_again"))
    assert (first["status"], first["error_code"]) == (second["status"], second["error_code"])
    shown = re.search(r"<code>\s*(curl -X POST .*?)</code>", text(again), re.DOTALL)
    assert shown
    third = sent_by(unescape(shown[1]).replace("pay_again", "pay_third"), api)
    assert (third["status"], third["error_code"]) == (first["status"], first["error_code"])


@pytest.mark.parametrize(
    ("value", "status"), [("café", 400), ("acme\nX-Other: 1", 400), ("a\0b", 400), ("a\u2028b", 400), ("", 200)]
)
def test_a_header_is_sent_as_it_was_typed_or_refused(visitor: Visitor, value: str, status: int) -> None:
    visitor.api.post("/payments", PAID, X_Tenant="acme")
    again = replayed(visitor, **{"header.x-tenant": value})
    assert again.status == status
    if status == 400:
        assert said(text(again), "problem-header.x-tenant")
        assert visitor.api.get("/payments/list")["total_count"] == 1
    else:
        line = visitor.api.get("/_sandbox/journal?operation=payments.create&limit=1")["data"][0]
        assert line["headers"].get("x-tenant", "").encode("latin-1") == value.encode()


def test_only_headers_of_its_own_kind_are_taken(visitor: Visitor) -> None:
    visitor.api.post("/payments", PAID)
    assert replayed(visitor, **{"header.api-key": "snd_other"}).status == 400
