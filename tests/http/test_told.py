"""What a caller and the journal are told of calls of every kind, compared with `told.txt`, line by line.

Times, requests and answers are left to other tests. `python -m tests.http.test_told` writes the file anew.
"""

from __future__ import annotations

import json
import logging
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.http.observe import because_text
from tests.wire import KEY, PUBLISHABLE, Reply, Wire, card_payment, wire

TOLD: Final = Path(__file__).with_name("told.txt")
LEFT_OUT: Final = frozenset(
    {"request_id", "request", "response", "at", "began_us", "took_ms", "headers", "number", "method"}
)
USUAL: Final[tuple[object, ...]] = (None, [], {}, "", False)
CONSTANT: Final = frozenset({"Content-Length", "X-Content-Type-Options", "X-RateLimit-Reset", "X-Request-Id"})
FIELDS: Final = ("operation", "status", "took_ms", "cause", "fault", "key", "replayed", "payment_id")
ID: Final = re.compile(r"(?<=_)[A-Za-z0-9]{20}\b")
BROWSER: Final = {"Origin": "https://shop.example"}
RULES: Final = [
    {"on": "payments.retrieve", "then": {"fault": "truncated_body"}},
    {"on": "payments.confirm", "then": {"fault": "connection_reset", "effect": "none"}},
    {
        "on": "customers.create",
        "then": {"respond": {"status": 418, "body": {"short": True}, "headers": {"X-Own": "1"}}},
    },
    {
        "on": "refunds.create",
        "then": {"respond": {"status": 503, "body": "no", "headers": {"content-type": "a/b"}}},
    },
    {"on": "payments.cancel", "then": {"delay": "15ms"}},
    {
        "on": "customers.list",
        "when": {"query.limit": 7},
        "then": {"respond": {"status": 503, "headers": {"Retry-After": "9"}}},
    },
]


def sdk(payment: Reply, api: Wire, *more: str) -> str:
    text = ",".join((f"publishable_key={PUBLISHABLE}", f"client_secret={payment['client_secret']}", *more))
    return b64encode(text.encode()).decode()


def retrieve(api: Wire, query: str = "", **headers: str) -> None:
    """A payment by its key in the header `Authorization`, where `headers` is not told otherwise."""
    made = api.post("/payments", card_payment())
    words = {name.replace("_", "-"): value.replace("SDK", sdk(made, api)) for name, value in headers.items()}
    caller = api.as_key(None) if "api-key" not in words else api
    caller.get(f"/payments/{made['payment_id']}{query.replace('SECRET', made['client_secret'])}", **words)


def changed(api: Wire) -> None:
    """An authorization of the public dialect, as it was made and with another payment in it."""
    made = api.post("/payments", {**card_payment(), "profile_id": None})
    given = b64decode(made["sdk_authorization"]).decode()
    for text in (given, given.replace(made["payment_id"], "pay_other")):
        api.as_key(None).get(f"/payments/{made['payment_id']}", Authorization=b64encode(text.encode()).decode())


def by_page(api: Wire) -> None:
    """A browser's calls, with and without its client_secret."""
    made, page = api.post("/payments", card_payment()), api.as_key(PUBLISHABLE)
    path, secret = f"/payments/{made['payment_id']}", made["client_secret"]
    page.get(path)
    page.get(f"{path}?client_secret={secret}")
    page.get(f"{path}?client_secret=")
    page.get(f"{path}?client_secret={secret}x")
    page.post(f"{path}/confirm", {})
    page.post(f"{path}/confirm", {"client_secret": secret}, **BROWSER)
    api.get(f"{path}?client_secret={secret}")
    api.post(f"{path}/confirm", {"client_secret": secret})
    page.post("/refunds", {"payment_id": made["payment_id"]})


def repeated(api: Wire) -> None:
    """Calls with idempotency keys: the same, another body, another path, of any length, and of a refusal."""
    first = api.post("/payments", card_payment(), X_Idempotency_Key="once")
    api.post("/payments", card_payment(), X_Idempotency_Key="once")
    api.post("/payments", card_payment(amount=1), X_Idempotency_Key="once")
    path = f"/payments/{first['payment_id']}"
    for key in ("once", "", "k" * 255, "k" * 256):
        api.post(f"{path}/confirm", {}, X_Idempotency_Key=key)
    api.post(f"{path}/confirm", {}, X_Idempotency_Key="k" * 255)
    api.get(path, X_Idempotency_Key="once")
    for _ in range(2):
        api.post("/payments", {"amount": "x"}, X_Idempotency_Key="wrong")
        api.post("/refunds", {"payment_id": "pay_none"}, X_Idempotency_Key="none")


def parsed(api: Wire) -> None:
    """Bodies of every type, and none."""
    for kind in (
        *("application/json", "APPLICATION/JSON ; charset=UTF-8", 'application/json; charset="utf-8"', ""),
        *("application/json; charset=utf8", "application/json;", "application/json; charset=latin-1", "text/plain"),
    ):
        api.call("POST", "/customers", raw=b'{"customer_id": "cus_1"}', headers={"Content-Type": kind})
    for raw in (b"", b" \n", b"{", b'{"a": 1,\n "a"}', b"[]", b"null", b"\xff", b'{"name": "' + b"x" * 40_000 + b'"'):
        api.call("POST", "/customers", raw=raw)


def keys(api: Wire) -> None:
    """Keys of every form, where they may be used and where not."""
    for key in ("", "snd_short", "snd_" + "x" * 129, "prd_12345678", "pk_prd_12345678", "any text", "epk_" + "0" * 36):
        api.as_key(key).get("/customers/list")
        api.as_key(key).post("/accounts", {"merchant_id": "mer_1"})
    api.as_key(PUBLISHABLE).get("/customers/list")
    api.as_key(KEY).post("/accounts", {"merchant_id": "mer_2"})


def labelled(api: Wire) -> None:
    """A label of the workspace, in UTF-8, cleaned, and removed."""
    for label in ("ci 7", "caf\u00e9".encode().decode("latin-1"), "4242424242424242", ""):
        api.get("/customers/list", X_Sandbox_Label=label)
        api.get("/_sandbox/workspaces")


def limited(api: Wire) -> None:
    for _ in range(4):
        api.get("/customers/list")


def faults(api: Wire) -> None:
    """A scenario's own answers, faults and delays, and a call that none of its rules is about."""
    api.put("/_sandbox/scenarios/line", {"name": "line", "summary": "Line.", "rules": RULES})
    api.post("/_sandbox/scenarios/line/activate")
    made = api.post("/payments", card_payment(), X_Idempotency_Key="k")
    api.get(f"/payments/{made['payment_id']}")
    api.post("/customers", {})
    api.post("/refunds", {"payment_id": made["payment_id"]})
    api.post(f"/payments/{made['payment_id']}/confirm", {})
    api.post(f"/payments/{made['payment_id']}/cancel", {})
    api.get("/customers/list?limit=7")
    api.get("/customers/list?limit=8")


def wished(api: Wire) -> None:
    """What a call itself wants to happen, in its headers and metadata."""
    for outcome in ("failed:insufficient_funds", "no_such"):
        api.post("/payments", {**card_payment(), "confirm": True}, X_Sandbox_Outcome=outcome)
    for names in ("no_such", "a, b,,"):
        api.post("/payments", {**card_payment(), "confirm": True}, X_Sandbox_Scenario=names)
    api.pay(metadata={"sandbox_scenario": "no_such"})


def wrong_fields(api: Wire) -> None:
    """Many wrong fields, of which a header has as many as it can."""
    api.post("/payments", {"amount": "x", "currency": "XXX", "4242424242424242": 1, "profile_id": "p"})
    api.post("/payments", {"amount": 1, "currency": "USD"})
    api.post("/payments", {"amount": 1, "currency": "USD", "metadata": {f"{number:041}": 1 for number in range(60)}})
    api.post("/payments", {f"no_such_field_{number}": number for number in range(90)})
    api.get("/payments/list?limit=x&no_such=1&created.gte=yesterday")


def misplaced(api: Wire) -> None:
    """Card data and keys in the wrong places."""
    api.pay(metadata={"note": "4242 4242 4242 4242", "cvv": "123", "key": "snd_12345678", "ok": "x", "deep": "1"})
    api.pay(description="the security code is 123", metadata={f"n{number}": "4242424242424242" for number in range(9)})
    api.pay(
        description="x" * 5_000, metadata={"note": "4242424242424242"}, return_url="https://a/?card=4242424242424242"
    )
    api.get("/payments/4242424242424242?key=snd_12345678&cvc=123&order=4242424242424242")
    api.get("/customers/list?email=4539578763621486")


def waiting(api: Wire) -> None:
    """What HTTP wants beside some statuses."""
    api.call("PATCH", "/payments")
    api.call("HEAD", "/customers/list")
    api.get("/no/such/path")
    api.get("/_sandbox/no_such")
    api.post("/payments", card_payment(), Host="shop.example", **BROWSER)
    made = api.pay()
    api.get(f"/payments/{made['payment_id']}?force_sync=true", Host="127.0.0.1:9")


CALLS: Final[dict[str, tuple[Callable[[Wire], object], dict[str, Any]]]] = {
    "an authorization": (lambda api: retrieve(api, Authorization="SDK"), {}),
    "an authorization with a word before it": (lambda api: retrieve(api, Authorization="Bearer SDK"), {}),
    "an authorization beside a key": (lambda api: retrieve(api, Authorization="SDK", api_key=KEY), {}),
    "an authorization beside a query": (lambda api: retrieve(api, "?a=&client_secret=x&b=1", Authorization="SDK"), {}),
    "an authorization that is none": (lambda api: retrieve(api, Authorization="Basic Zm9v"), {}),
    "an authorization that is not base64": (lambda api: retrieve(api, Authorization="%%%"), {}),
    "an authorization that is too long": (lambda api: retrieve(api, Authorization="QUFB" * 1_025), {}),
    "an authorization that was changed": (changed, {"dialect": HYPERSWITCH}),
    "a browser": (by_page, {}),
    "idempotency keys": (repeated, {}),
    "bodies": (parsed, {}),
    "keys": (keys, {}),
    "labels": (labelled, {}),
    "a rate limit": (limited, {"rate_limit": 2}),
    "a scenario": (faults, {}),
    "wishes": (wished, {}),
    "wrong fields": (wrong_fields, {}),
    "wrong fields in the public dialect": (wrong_fields, {"dialect": HYPERSWITCH}),
    "no reasons in headers": (wrong_fields, {"dialect": HYPERSWITCH, "plain_headers": True}),
    "misplaced": (misplaced, {}),
    "statuses": (waiting, {}),
}


class Listener(logging.Handler):
    """Keeps the lines of the log, with the fields of each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        fields = {name: value for name in FIELDS if (value := getattr(record, name)) not in USUAL}
        self.lines.append(f"{record.getMessage()} {json.dumps(fields, ensure_ascii=False)}")


def told(name: str) -> list[str]:
    """A line for each answer, its headers, and what its entry of the journal says; then the lines of the log."""
    calls, settings = CALLS[name]
    api, lines, answers = wire(**settings), list[str](), dict[str, str]()

    class Heard(Wire):
        def call(self, method: str, path: str, *given: Any, **more: Any) -> Reply:
            try:
                reply = super().call(method, path, *given, **more)
            except ConnectionError as closed:
                lines.append(f"{method} {path}: {closed}")
                return Reply(0, b"", {})
            headers = {name: value for name, value in reply.headers.items() if name not in CONSTANT}
            code = reply.error.get("code") if reply.status >= 400 and reply.raw[:9] == b'{"error":' else None
            answers[reply.headers["X-Request-Id"]] = (
                f"{method} {path[:200]}: {reply.status} {code} {json.dumps(headers)}"
            )
            return reply

        def as_key(self, key: str | None) -> Wire:
            return Heard(self.app, self.sandbox, key)

    logger, listener = logging.getLogger("mock_server.calls"), Listener()
    level = logger.level
    logger.addHandler(listener)
    logger.setLevel(logging.DEBUG)
    calls(Heard(api.app, api.sandbox, api.key))
    logger.removeHandler(listener)
    logger.setLevel(level)
    journal = {line["request_id"]: line for line in api.get("/_sandbox/journal?limit=100")["data"]}
    for reference in [*answers, *(one for one in reversed(journal) if one not in answers)]:
        answer, entry = answers.get(reference, "closed:"), journal.get(reference, {"path": "not in the journal"})
        shown = {name: value for name, value in entry.items() if name not in LEFT_OUT and value not in USUAL}
        lines.append(f"{answer} {json.dumps(shown, ensure_ascii=False)}")
    return [*map(shortened, lines), *map(shortened, listener.lines)]


def shortened(line: str) -> str:
    return ID.sub("…", line)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_told(name: str) -> None:
    parts = dict(part.split("\n", 1) for part in TOLD.read_text("utf-8").split("\n# ")[1:])
    assert told(name) == parts[name].splitlines()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("100%", "100%25"),
        ("café", "caf%C3%A9"),
        ("a\tb", "a%09b"),
        ("~ !", "~ !"),
        ("x" * 600, "x" * 512),
        ("é" * 600, ("%C3%A9" * 600)[:512]),
    ],
)
def test_a_reason_in_a_header(text: str, shown: str) -> None:
    from mock_server.domain.outcomes import LEFT_ALONE, Reason

    silent = Reason(LEFT_ALONE, "never")
    for notes in ([Reason("card", text)], [silent, Reason("card", text)], [Reason("card", text), silent]):
        assert because_text(notes) == shown
    assert because_text([Reason("card", "a"), silent, Reason("rule", "b")]) == "a; b"
    assert because_text([]) == because_text([silent]) == ""


def write() -> None:
    """Writes the file anew."""
    TOLD.write_text("".join(f"\n# {name}\n" + "".join(f"{line}\n" for line in told(name)) for name in CALLS), "utf-8")


if __name__ == "__main__":
    write()
