"""Canaries: a card number, a live key and a security code for each place of a request, and every view of them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import unescape
from itertools import count
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from mock_server.cli import mcp
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.domain.card_brands import is_card_number
from mock_server.engine.kinds import PAYMENTS
from mock_server.webhooks.transport import Response
from tests.api.money_places import PDF, Part, disputed, send
from tests.api.places import workspace
from tests.causes.raising import BARE
from tests.dashboard.visitor import Visitor
from tests.routes.good import GOOD, Good, caller
from tests.routes.hostile import AS_TEXT, places
from tests.webhooks.shops import Mall
from tests.wire import Reply, Wire, called, card_payment

AS_SENT: Final = tuple(
    f"control.{name}"
    for name in ("webhooks", "webhook", "webhook_target", "snapshots", "snapshot", "scenarios", "scenario", "next")
)
"""Whose answers count as the API's: they give back what was sent."""
ASKED: Final = {
    "control.timeline": ("", "?format=text", "?format=mermaid", "?format=svg"),
    "control.journal": ("?limit=1000",),
    "control.webhooks": ("?limit=1000",),
    "control.search": ("?text=pay_", "?text=cus_"),
}
"""The queries of operations that have some."""
HEADERS: Final = ("X-Idempotency-Key", "X-Sandbox-Outcome", "X-Sandbox-Scenario", "X-Sandbox-Label", "X-Request-Id",
    "X-Profile-Id", "User-Agent", "Referer", "Accept-Language", "X-Note")  # fmt: skip
FREE: Final = ("payments.create", "refunds.create", "customers.create")
"""The operations whose every field is tried in both dialects, in every run."""
_NOTHING: Final[Mapping[str, str]] = {}
_NOBODY: Final[Mapping[str, int]] = {}
_NUMBERS: Final = count(10_000_000)
_CANARY: Final = re.compile(r"(?=(4539578[0-9]{9}|prdcanary[0-9]{8}|cvc[1-9][0-9]{3}(?![0-9])))")
"""What a canary is in one spelling, anywhere in a text: looking for each by itself took most of the time."""
_SIGNS: Final = bytes({*range(128)} - {*b"abcdefghijklmnopqrstuvwxyz0123456789"})
_PERCENTS: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_ESCAPED: Final = re.compile(r"\\+u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})")
_LINK: Final = re.compile(r'href="(/_sandbox/ui/[^"#]+)')
_EDITED: Final = re.compile(r"<textarea\b.*?</textarea>", re.DOTALL)


class Canary(NamedTuple):
    """What was sent at one place of a request."""

    place: str
    text: str


def new(place: str) -> tuple[Canary, Canary, Canary]:
    """What no other canary has: a number that a brand could have issued, a key of a real processor, a named code."""
    at = next(_NUMBERS)
    start = f"4539578{at}"
    number = next(one for last in range(10) if is_card_number(one := f"{start}{last}"))
    code = Canary(place, f"cvc: {1_000 + at % 9_000}")
    return Canary(place, number), Canary(place, f"prd_canary{number[7:15]}"), code


def plain(text: str) -> str:
    """A text in one spelling: without escapes, entities, percents, other scripts' digits, signs between characters."""
    text = _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), unescape(text))
    for _ in range(3):
        text = _PERCENTS.sub(lambda found: unquote(found[0]), text)
    return unicodedata.normalize("NFKC", text).lower().encode("ascii", "ignore").translate(None, _SIGNS).decode()


@cache
def sought(text: str) -> str:
    """A canary's own text in that spelling."""
    made = plain(text)
    assert _CANARY.findall(made) == [made], "not what `new` makes"
    return made


def shown(canaries: list[Canary], text: str) -> list[Canary]:
    """Those that a text shows, in any spelling."""
    found = set(_CANARY.findall(plain(text)))
    return [canary for canary in canaries if sought(canary.text) in found] if found else []


# where they are put

Sent = Iterator[tuple[Canary, Reply]]


def everywhere(mall: Mall) -> Sent:
    """A call for each place of a request, and what came back."""
    api = mall.api
    for place, call in _CALLS.items():
        for one in new(place):
            yield one, call(api, one.text)
    for name in HEADERS:
        for one in new(f"header {name}"):
            body = {**card_payment(), "confirm": True}
            yield one, api.call("POST", "/payments", body, headers={name: one.text})
    for name in FREE:
        yield from in_fields(api, BY_NAME[name])
    for one in new("a receiver's answer"):
        headers = (("X-Echo", one.text), ("X-Other", f"a {one.text}"))
        mall.shop.always = Response(500, headers, f"got {one.text}".encode())
        yield one, api.pay()
        mall.deliver()


def in_fields(api: Wire, row: Operation, some: Callable[[list[Any]], list[Any]] = list) -> Sent:
    """An operation's good call with a canary in its path, in its query, and in each field of its body."""
    good = GOOD[row.name](api)
    bodies = list(places(row, good).items()) if row.reads_body(row.method) and good.form is None else []
    client = caller(api, row)
    for place, body in some(bodies):
        for one in new(f"{row.name} {place}"):
            raw = body.replace(AS_TEXT, json.dumps(one.text)).encode()
            yield one, sent(client, row.method, good.path(row), raw, good.headers)
    for one in new(f"{row.name} query"):
        yield one, sent(client, row.method, f"{good.path(row)}?note={one.text}&{one.text}=1")
    if "<" in row.path:
        for one in new(f"{row.name} path"):
            ids = dict.fromkeys(good.ids, one.text)
            yield one, sent(client, row.method, Good(ids).path(row))


def sent(api: Wire, method: str, path: str, raw: bytes = b"", headers: Mapping[str, str] = _NOTHING) -> Reply:
    """One call, whatever the shape of its answer."""
    key = {"api-key": api.key} if api.key else {}
    return called(api.app, method, path, raw, {"Content-Type": "application/json", **key, **headers})


def _nested(api: Wire, text: str) -> Reply:
    deep: Any = text
    for _ in range(20):
        deep = {text: [deep]}
    return api.post("/payments", {**card_payment(), "metadata": {"a": text, text: deep}})


def _named_value(api: Wire, text: str) -> Reply:
    name, _, value = text.partition(": ")
    named: Any = {name: value} if value else text
    if value:  # a number of JSON, too
        named |= {"as_number": {name: int(value)}, "in_list": {name: [value]}, "as_text": json.dumps(named)}
    free = {field: {"note": named} for field in ("metadata", "frm_metadata")}
    return api.post("/payments", {**card_payment(), "confirm": True, **free})


def _evidence(api: Wire, text: str) -> Reply:
    said = {"customer_name": text, "uncategorized_text": text}
    return api.post("/disputes/evidence", {"dispute_id": disputed(api), **said})


def _file(api: Wire, text: str) -> Reply:
    form: dict[str, Part] = {"file": (f"{text}.pdf", PDF[1] + text.encode(), PDF[2]), "dispute_id": disputed(api)}
    made = send(api, "PUT", "/disputes/evidence", {**form, "evidence_type": "receipt"})
    return sent(api, "GET", f"/files/{made['file_id']}")


def _named(api: Wire, text: str) -> Reply:
    name = f"X-{text}" if text.isdigit() else "X-Note"  # WSGI gives no names as they were sent
    return api.call("GET", "/payments/list", headers={name: text})


def _form(api: Wire, text: str) -> Reply:
    form = f"note={text}&{text}=1".encode()
    return api.call("POST", "/payments", raw=form, headers={"Content-Type": "application/x-www-form-urlencoded"})


def _scenario(api: Wire, text: str) -> Reply:
    when = {"body.metadata.note": text, "header.X-Note": text}
    then = {"decline": "do_not_honor"}
    rules = [{"on": "charge", "when": {name: value}, "then": then} for name, value in when.items()]
    put = api.put("/_sandbox/scenarios/canary", {"name": "canary", "summary": text, "rules": rules})
    assert put.status == 200, put.raw
    api.post("/_sandbox/scenarios/canary/activate")
    headers = {"X-Note": f"x {text}"}
    api.call("POST", f"/payments?note=y-{text}", {**card_payment(), "confirm": True}, headers=headers)
    return put


def _updated(api: Wire, text: str) -> Reply:
    payment = api.post("/payments", BARE)["payment_id"]
    return api.post(f"/payments/{payment}", {"description": text, "metadata": {"note": text}})


def _cancelled(api: Wire, text: str) -> Reply:
    payment = api.post("/payments", BARE)["payment_id"]
    return api.post(f"/payments/{payment}/cancel", {"cancellation_reason": text})


_CALLS: Final[dict[str, Callable[[Wire, str], Reply]]] = {
    "path": lambda api, text: api.get(f"/payments/{text}"),
    "path of nothing": lambda api, text: api.get(f"/nowhere/{text}/x"),
    "path in other digits": lambda api, text: api.get(f"/payments/{quote(_wide(text))}"),
    "path in percents": lambda api, text: api.get("/payments/" + "".join(f"%{ord(sign):02x}" for sign in text)),
    "query's value": lambda api, text: api.get(f"/payments/list?note={text}"),
    "query's name": lambda api, text: api.get(f"/payments/list?{text}=1"),
    "a known query": lambda api, text: api.get(f"/payments/list?customer_id={text}"),
    "header's name": _named,
    "nested": _nested,
    "under a name": _named_value,
    "in words": lambda api, text: api.post("/payments", {**BARE, "description": f"of {_apart(text)}, paid"}),
    "in other digits": lambda api, text: api.post("/payments", {**BARE, "description": _wide(text)}),
    "a form": _form,
    "no JSON": lambda api, text: api.call("POST", "/payments", raw=f'{{"a": {text}'.encode()),
    "evidence": _evidence,
    "a file": _file,
    "a scenario": _scenario,
    "a scenario's name": lambda api, text: api.put(f"/_sandbox/scenarios/{text}", {"rules": []}),
    "a broken scenario": lambda api, text: api.put("/_sandbox/scenarios/broken", {"rules": [{text: text}]}),
    "the queue": lambda api, text: api.post("/_sandbox/next", {"on": "charge", "then": {text: text}}),
    "a snapshot's name": lambda api, text: api.put(f"/_sandbox/snapshots/{text}"),
    "a target": lambda api, text: api.put("/_sandbox/webhooks/target", {"url": f"http://shop.test/{text}?a={text}"}),
    "a search": lambda api, text: api.get(f"/_sandbox/search?text={text}"),
    "a button": lambda api, text: Visitor(api).press("payments", text, note=text),
    "a page": lambda api, text: Visitor(api).look(f"payments?q={text}&status={text}"),
    "a page's path": lambda api, text: Visitor(api).look(f"payments/{text}"),
    "an update": _updated,
    "a reason": _cancelled,
}  # fmt: skip


def _wide(text: str) -> str:
    return "".join(chr(0xFF10 + int(sign)) for sign in text) if text.isdigit() else text


def _apart(text: str) -> str:
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4)) if text.isdigit() else text


# where they could be shown


def payments(api: Wire) -> list[str]:
    """All of them, oldest first."""
    return [key for part in workspace(api).space.keys(PAYMENTS) for key in part]


def noted(api: Wire, calls: Sent, turns: dict[str, int]) -> Sent:
    """The calls; each payment has the number of its place and of its canary there, added up, in `turns` afterwards."""
    canaries = Counter[str]()
    for canary, reply in calls:
        canaries[canary.place] += 1
        turn = len(canaries) + canaries[canary.place]
        turns.update(dict.fromkeys(payments(api)[len(turns) :], turn))
        yield canary, reply


def views(api: Wire, pages: int, share: int = 1, turns: Mapping[str, int] = _NOBODY) -> Iterator[tuple[str, bool, str]]:
    """Each view's name, whether it gives back what was sent, and its text; of the dashboard's pages so many.

    Each view of a payment shows those whose turn it is, one in `share`: of a place's three one, of the next another.
    """
    assert api.put("/_sandbox/snapshots/views?journal=1").status == 200
    ids = {"name": ["views", "canary"], "payment_id": payments(api)}
    ids["event_id"] = [row["event_id"] for row in sent(api, "GET", "/_sandbox/webhooks?limit=100").json["data"]]
    asked = [(row, query) for row in CONTROL_OPERATIONS if row.method == "GET" for query in ASKED.get(row.name, ("",))]
    for number, (row, query) in enumerate(asked):
        name = row.path.partition("<")[2].partition(">")[0]
        for one in ids.get(name, [""]):
            if name != "payment_id" or (turns.get(one, 0) + number) % share == 0:
                path = row.path.replace(f"<{name}>", one) + query
                yield path, row.name in AS_SENT, sent(api, "GET", path).raw.decode()
    for path, text in crawled(Visitor(api), pages):
        yield path, False, text


def crawled(visitor: Visitor, most: int) -> Iterator[tuple[str, str]]:
    """The dashboard's pages that links lead to, first one of each kind, without what their readers edit."""
    left, seen, kinds = [visitor.at("payments")], set[str](), set[str]()
    while left and len(seen) < most:
        path = next((one for one in left if _kind(one) not in kinds), left[0])
        left.remove(path)
        seen.add(path)
        kinds.add(_kind(path))
        reply = visitor.look(path)
        assert reply.status < 500, (path, reply.raw)
        text = reply.raw.decode()
        yield path, _EDITED.sub("", text)
        found = dict.fromkeys(unescape(link) for link in _LINK.findall(text))
        left += [one for one in found if one.startswith(visitor.at("")) and one not in seen and one not in left]


def _kind(path: str) -> str:
    """What pages of one kind have in common: their path's words, and the names in their query."""
    steps, _, query = path.partition("?")
    return re.sub(r"/(?:[a-z]{2,4}_\w+|\d+)", "/*", steps) + re.sub(r"=[^&]*", "", query)


def of_tools(base: str, key: str, payment: str) -> Iterator[tuple[str, str]]:
    """What the tools of an agent say that only look."""
    for name in ("why", "timeline", "verdict", "scenarios_list"):
        line = [f"--url={base}", f"--key={key}", "--", *([payment] if name in ("why", "timeline") else [])]
        yield name, mcp.run([*name.split("_"), *line])[0]
