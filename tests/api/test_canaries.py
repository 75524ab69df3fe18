"""Card data in every place of a request is in no view of the server afterwards (decision 0013)."""

from __future__ import annotations

import copy
import io
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.control.journal import line_shown
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import hiding
from tests.dashboard.visitor import Visitor
from tests.logged import logged
from tests.routes.good import GOOD, Good, caller
from tests.wire import Wire, card_data, card_payment, wire

NUMBER: Final = "4539578763621486"
"""Of no table; in places whose text is no record's."""
OWN: Final = "5425233430109903"
"""Of no table; in fields that can be a record's own text, which the record's own views give back as it came."""
CODE: Final = "8642"
OWN_CODE: Final = "7519"

NAMES: Final = (
    "card_cvc", "cvc", "CVC2", "cvv", "cvv2", "csc", "cid", "card-csc", "cardCvc", "cvn", "cvd", "security_code",
    "securityCode", "card_security_code", "verification_value", "cardVerificationValue", "verification-code", "CVVCode",
)  # fmt: skip


def spellings(number: str) -> Iterator[str]:
    """One number as people and programs write it."""
    groups = [number[at : at + 4] for at in range(0, len(number), 4)]
    yield number
    for between in (" ", "-", "  ", ".", "\u00a0", "\u2011", " - ", "\r\n", ", ", " | "):
        yield between.join(groups)
    yield f"paid with {number}, thanks"
    yield f"7 {' '.join(groups)} 12"
    yield "".join(chr(0xFF10 + int(sign)) for sign in number)
    yield "".join(chr(0x2080 + int(sign)) for sign in number)
    yield "".join(f"%{ord(sign):x}" for sign in number)
    yield f"https://shop.example/?card={'%2D'.join(groups)}"
    yield quote(quote("\u00a0".join(groups)))


def test_every_spelling_of_a_code_is_known_by_its_name() -> None:
    assert all(map(hiding.is_code_name, NAMES))
    innocent = ("amount", "code", "error_code", "country_code", "incident", "description", "card_network", "zip")
    assert not any(map(hiding.is_code_name, innocent))


@pytest.mark.parametrize("text", list(spellings(NUMBER)))
def test_a_number_is_known_by_its_value(text: str) -> None:
    assert hiding.HIDDEN in hiding.without_numbers(text)


@pytest.mark.parametrize("text", ["4539578763621487", "12345678", "1732253969123", "2026-11-22 05:39:29"])
def test_what_is_no_number_stays(text: str) -> None:
    assert hiding.cleaned(text) == text


# where card data can stand


def broken_bodies() -> Iterator[tuple[str, bytes]]:
    """Bodies that are refused, of every form."""
    card = {"card_number": NUMBER, "card_cvc": CODE}
    good = json.dumps({**card_payment(NUMBER), "cvc": CODE, "card": card})
    yield "application/json", good.encode()[:-7]
    yield "application/json", good.replace('"', "'").encode()
    yield "application/json", good.replace('"', "").encode()
    yield "application/json", good.replace('"', '\\"').encode()
    yield "application/json", json.dumps(good[:-3]).encode()
    yield "application/json", f'{{"card\\u005fcvc": "{CODE}", "x": "\\u0034{NUMBER[1:]}",}}'.encode()
    yield "application/json", f'{{"card_cvc": {CODE}, "card_number": {NUMBER},}}'.encode()
    yield "application/json", f'{{"cvc": ["{CODE}"], "pan": {{"is": "{NUMBER}"}}'.encode()
    yield "application/json", good.encode("utf-16")
    for kind in ("application/x-www-form-urlencoded", "application/json"):
        yield kind, f"card_number={NUMBER}&card_cvc={CODE}&note={quote(' '.join(NUMBER[::4]))}".encode()
        yield kind, f"card%5Fnumber={NUMBER}&c%76c={CODE}".encode()
    for kind in ("application/xml", "application/json"):
        yield kind, f'<card number="{NUMBER}"><cvc><![CDATA[{CODE}]]></cvc><csc>{CODE}</csc></card>'.encode()
    yield "text/yaml", f"card_number: {NUMBER}\ncvv: {CODE}\n".encode()
    yield "multipart/form-data; boundary=x", f'--x\r\nname="cvc"\r\n\r\n{CODE}\r\n{NUMBER}--x--'.encode()


def refused(api: Wire) -> Iterator[bytes]:
    """Calls that are refused, or whose data stands where nothing of it is a record's."""
    card = card_data(NUMBER, card_cvc=CODE)
    paid = {**card_payment(NUMBER), "payment_method_data": {"card": card}}
    yield api.post("/payments", {**paid, "confirm": True}).raw
    yield api.call("POST", "/payments", raw=json.dumps(paid).replace("card_cvc", "card\\u005fcvc").encode()).raw
    for kind, raw in broken_bodies():
        yield api.call("POST", "/payments", raw=raw, headers={"Content-Type": kind}).raw
    for name in NAMES:
        yield api.post("/payments", {**paid, name: CODE}).raw
        yield api.post(
            "/payments", {**card_payment(), "payment_method_data": {"card": {**card_data(), name: CODE}}}
        ).raw
        yield api.post("/payments", {**card_payment(), "card": {"a": [{name: int(CODE)}]}}).raw
        yield api.get(f"/payments/list?{quote(name)}={CODE}").raw
    for number in spellings(NUMBER):
        yield api.post("/payments", {**paid, "unheard_of": number}).raw
        yield api.post("/payments", {**paid, number: "unheard of"}).raw
        yield api.get(f"/payments/list?limit=2&note={quote(number)}").raw
        yield api.get(f"/payments/list?{quote(number)}=1").raw
        yield api.get(f"/payments/{quote(number)}").raw
        yield api.post(f"/payments/{quote(number)}/capture", {}).raw
    yield api.post("/payments", {**paid, "unheard_of": CODE}).raw
    yield api.post(f"/payments?a=1&note={CODE}", paid).raw
    for header in ("X-Idempotency-Key", "X-Sandbox-Outcome", "X-Sandbox-Scenario", "User-Agent", "Referer", "X-Note"):
        yield api.call("POST", "/payments", paid, headers={header: NUMBER}).raw


def leaves(body: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the plain values of a body stand."""
    if isinstance(body, dict | list):
        for at, member in body.items() if isinstance(body, dict) else enumerate(body):
            yield from leaves(member, (*path, at))
    else:
        yield path


def with_leaf(body: Any, path: tuple[Any, ...], value: object) -> Any:
    changed = copy.deepcopy(body)
    inside = changed
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return changed


def in_every_field(api: Wire, row: Operation, number: Iterator[str]) -> None:
    """A good call of an operation, with the number in each of its fields in turn."""
    for at, path in enumerate(leaves(GOOD[row.name](api).body or {})):
        other = api.as_key(f"snd_canary_{at:012}")
        good = GOOD[row.name](other)
        body = with_leaf(good.body, path, next(number))
        Good(good.ids, body, good.query, headers=good.headers).sent(caller(other, row), row)


def accepted(api: Wire) -> None:
    """Card data in fields that a payment keeps as they came."""
    for name in NAMES:
        card = card_data(card_cvc=OWN_CODE)
        body = {**card_payment(), "payment_method_data": {"card": card}, "description": f"{name}: {OWN_CODE}"}
        metadata = {name: OWN_CODE, "note": OWN_CODE, "text": json.dumps({name: OWN_CODE}), "number": OWN}
        api.post("/payments", {**body, "metadata": metadata})
        api.post("/payments", {**body, "metadata": {"note": OWN_CODE}})


# the rules that name it

RULES: Final = """
name: curious
rules:
  - on: charge
    when: {body.payment_method_data.card.card_number: "1"}
    then: {decline: do_not_honor}
  - on: charge
    when: {body.payment_method_data.card.card_cvc: {in: ["1", "2"]}}
    then: {decline: do_not_honor}
  - on: charge
    when: {body.payment_method_data.card.card_cvc: {exists: true}, body.payment_method_data: 1}
    then: {decline: do_not_honor}
  - on: charge
    when: {body.metadata.note: "1"}
    then: {decline: do_not_honor}
  - on: charge
    when: {header.X-Note: "1"}
    then: {decline: do_not_honor}
  - on: payments.list
    when: {query.limit: "1"}
    then: {delay: 0ms}
  - on: charge
    per: header.X-Note
    when: {body.payment_method_data.card.card_number: {starts_with: "4"}, body.amount: 6540}
    times: 1
    then: {decline: do_not_honor}
  - on: payments.create
    when: {body.payment_method_data.card.card_number: {exists: true}}
    then: {delay: 0ms}
"""


def ruled(api: Wire) -> None:
    """Charges under rules that look at card data."""
    headers = {"Content-Type": "application/yaml"}
    put = api.call("PUT", "/_sandbox/scenarios/curious", raw=RULES.encode(), headers=headers)
    assert put.status == 200, put.raw
    assert api.post("/_sandbox/scenarios/curious/activate").status == 200
    card = {"payment_method_data": {"card": card_data(NUMBER, card_cvc=CODE)}, "confirm": True}
    for note in (CODE, NUMBER):
        for _ in range(2):
            paid = api.call("POST", f"/payments?note={note}", {**card_payment(), **card}, headers={"X-Note": note})
            assert paid.status in (200, 400), paid.raw
    kept = {"payment_method_data": {"card": card_data(OWN, card_cvc=OWN_CODE)}, "confirm": True}
    assert api.post("/payments", {**card_payment(), **kept, "metadata": {"note": OWN_CODE}}).status == 200
    assert api.post("/_sandbox/scenarios/curious/deactivate").status == 200


# what the server shows


_STEP = re.compile(rb'<section[^>]* id="state-card".*?</section>', re.DOTALL)
"""The part of a payment's page that shows the record, with its own text."""


def of_calls(api: Wire) -> Iterator[bytes]:
    """Every view of what was called and why."""
    lines = api.get("/_sandbox/journal?limit=1000")["data"]
    assert lines
    yield from (json.dumps(line, ensure_ascii=False).encode() for line in lines)
    yield from (api.get(f"/_sandbox/{path}").raw for path in ("metrics", "clock", "workspaces", "scenarios/curious"))
    payments = [row["payment_id"] for row in api.get("/payments/list?limit=100")["data"]]
    for payment in payments:
        for what in ("timeline", "timeline?format=text", "timeline?format=mermaid", "why", "export"):
            yield api.get(f"/_sandbox/payments/{payment}/{what}").raw
    visitor = Visitor(api)
    pages = ["journal", "payments", "webhooks", "queue", "snapshots", "clock"]
    pages += [f"journal/{line['number']}" for line in lines[::4]] + [f"payments/{payment}" for payment in payments[:20]]
    for page in pages:
        reply = visitor.look(page)
        assert reply.status == 200, (page, reply.raw)
        yield _STEP.sub(b"", reply.raw)
    yield repr(api.sandbox.workspaces()[0].space.dump()["counters"]).encode()


def of_records(api: Wire) -> Iterator[bytes]:
    """Every view of what is kept for good."""
    assert api.put("/_sandbox/snapshots/canary?journal=1").status == 200
    yield from (api.get(f"/_sandbox/{path}").raw for path in ("snapshots/canary", "webhooks?limit=1000", "journal"))
    yield from (json.dumps(row).encode() for row in api.get("/payments/list?limit=100")["data"])
    yield repr(api.sandbox.workspaces()[0].space.dump()).encode()
    yield repr(api.sandbox.server.dump()).encode()


@pytest.fixture(scope="module")
def log() -> Iterator[io.StringIO]:
    """The log at debug."""
    with logged() as kept:
        yield kept


def forms(number: str, code: str) -> list[str]:
    """What must be nowhere: the number in any form, and the code where a value stands."""
    apart = [between.join(number[at : at + 4] for at in range(0, 16, 4)) for between in (" ", "-", ".", "%20", "+")]
    ends = [
        f"{left}{code}{right}" for left, right in (('"', '"'), ("'", "'"), ("=", ""), (": ", ""), ("&#34;", "&#34;"))
    ]
    return [number, number[:13], number[3:], *apart, *ends, f"&quot;{code}&quot;", f">{code}<", f'\\"{code}\\"']


def clean(parts: Iterator[bytes], number: str, code: str) -> None:
    for part in parts:
        text = part.decode("utf-8", "replace")
        for form in forms(number, code):
            at = text.find(form)
            assert at < 0, (form, text[max(0, at - 300) : at + 80])


def test_what_was_refused_is_nowhere(log: io.StringIO) -> None:
    api = wire(inbox=50)
    answers = list(refused(api))
    ruled(api)
    clean(iter(answers), NUMBER, CODE)
    clean(of_calls(api), NUMBER, CODE)
    clean(of_records(api), NUMBER, CODE)
    clean(iter([log.getvalue().encode()]), NUMBER, CODE)
    assert "payments.create" in log.getvalue()


def test_a_records_own_text_is_in_no_view_of_calls(log: io.StringIO) -> None:
    api = wire()
    accepted(api)
    ruled(api)
    clean(of_calls(api), OWN, OWN_CODE)
    clean(iter([log.getvalue().encode()]), OWN, OWN_CODE)


def test_a_key_in_a_records_own_text_is_in_no_view_of_calls() -> None:
    api = wire()
    key = "snd_canary_of_another_shop"
    made = api.post("/payments", {**card_payment(), "description": f"of {key}", "metadata": {"note": f"pk_{key}"}})
    assert api.post(f"/payments/{made['payment_id']}", {"description": f"now of {key}, {OWN}"}).status == 200
    assert api.put("/_sandbox/snapshots/canary?journal=1").status == 200
    for part in of_calls(api):
        assert key.encode() not in part


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.method in ("POST", "PUT")], ids=lambda row: row.name)
def test_a_number_in_any_field_is_in_no_view_of_calls(row: Operation) -> None:
    api = wire()
    in_every_field(api, row, itertools.cycle(spellings(OWN)))
    for workspace in api.sandbox.workspaces():
        lines = workspace.space.dump_log("journal", lambda entry: line_shown(entry, INTERFACE))["lines"]
        clean((repr(line).encode() for line in lines), OWN, OWN_CODE)
