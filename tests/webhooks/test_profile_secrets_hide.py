"""A profile's secrets: its receiver and the API's own answers have them as they were sent, no view of ours shows them.

Every door that takes them, also where the call is refused or cannot be read, in both dialects, before each view.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from mock_server.cli import webhooks as cli
from mock_server.cli.asking import RunningSandbox
from mock_server.dialects import get
from tests.api.canaries import sent, views
from tests.counts import times
from tests.logged import logged
from tests.webhooks.shops import HOOK, ORIGIN, Mall, mall
from tests.wire import Reply, Wire

FIELD: Final = "outgoing_webhook_custom_http_headers"
SECRETS: Final = {
    "X-Auth": "hush-one-Canary-Secret",
    "Authorization": "Bearer hush-two",
    "X-Shop": "hush",
}
"""What no view shows; the values begin alike, and no other text has that."""
KEYS: Final = {
    "payment_response_hash_key": "shh-key-Canary",
    "webhook_details": {
        "webhook_url": f"{HOOK}?shop=1&token=shh-query#shh-fragment",
        "webhook_username": "somebody",
        "webhook_password": 'shh-pass-"word',
    },
}
"""What the API's own answers about a profile and an endpoint show, and no other view."""
WITH_USER: Final = {"webhook_details": {"webhook_url": "http://shh-user:shh-word@shop.test/hooks"}}
SENT: Final = {FIELD: SECRETS, **KEYS}
RESTORING: Final = ("/_sandbox/snapshots/", "/_sandbox/webhooks/target")
"""What these views give is restored or set again, so it has the profiles as they are."""
_JSON: Final = '{"X-Auth": "hush-one-Canary-Secret", "X-Shop": "hush"}'
_JSON_LINES: Final = f'{{\n  "{FIELD}": {{\n    "X-Auth": "hush-one-Canary-Secret"\n  }}\n  "a": }}'
Door = Callable[[Wire, str, str], Reply]
DOORS: Final[dict[str, Door]] = {
    "create": lambda api, base, _: api.post(base, {**_fields("one"), **SENT}),
    "update": lambda api, base, own: api.post(f"{base}/{own}", SENT),
    "replace": lambda api, base, own: api.put(f"{base}/{own}", {**_fields("two"), **SENT}),
    "escaped name": lambda api, base, own: _raw(api, f"{base}/{own}", f'{{"\\u006f{FIELD[1:]}": {_JSON}}}'),
    "escaped names": lambda api, base, own: _raw(api, f"{base}/{own}", _escaped(KEYS)),
    "refused": lambda api, base, own: api.post(f"{base}/{own}", {FIELD: SECRETS, "session_expiry": 1}),
    "refused keys": lambda api, base, own: api.post(f"{base}/{own}", {**KEYS, "session_expiry": 1}),
    "a user": lambda api, base, own: api.post(f"{base}/{own}", {**WITH_USER, "session_expiry": 1}),
    "wrong type": lambda api, base, own: api.post(f"{base}/{own}", {FIELD: [SECRETS, SECRETS["X-Auth"]]}),
    "wrong types": lambda api, base, own: api.post(f"{base}/{own}", {name: [value] for name, value in KEYS.items()}),
    "text": lambda api, base, own: api.post(f"{base}/{own}", {FIELD: SECRETS["X-Auth"]}),
    "bad header": lambda api, base, own: api.post(f"{base}/{own}", {FIELD: {"X-Auth": SECRETS["X-Auth"] + "\r\n"}}),
    "no JSON": lambda api, base, own: _raw(api, f"{base}/{own}", f'{{"{FIELD}": {_JSON},'),
    "no JSON in lines": lambda api, base, own: _raw(api, f"{base}/{own}", _JSON_LINES),
    "keys in no JSON": lambda api, base, own: _raw(api, f"{base}/{own}", json.dumps(KEYS)[:-1]),
    "keys in lines": lambda api, base, own: _raw(api, f"{base}/{own}", json.dumps(KEYS, indent=1)[:-1]),
    "slashes escaped": lambda api, base, own: _raw(api, f"{base}/{own}", json.dumps(KEYS)[:-1].replace("/", "\\/")),
    "a user in no JSON": lambda api, base, own: _raw(api, f"{base}/{own}", json.dumps(WITH_USER)[:-1]),
    "a form": lambda api, base, own: _raw(api, f"{base}/{own}", _form(KEYS)),
    "elsewhere": lambda api, base, own: api.post("/payments", {"amount": 1, **SENT}),
    "unknown profile": lambda api, base, own: api.post(f"{base}/pro_nobody", SENT),
    "an account": lambda api, base, own: api.post(f"/accounts/{base.split('/')[2]}", KEYS),
    "no account": lambda api, base, own: api.post("/accounts/nobody", KEYS),
    "an endpoint": lambda api, base, own: api.put(TARGET, {"url": _url(), "secret": "shh-endpoint", "profile_id": own}),
    "no endpoint": lambda api, base, own: api.put(TARGET, {"url": _url(), "secret": "shh-endpoint", "x": 1}),
    "a signature": lambda api, base, own: api.post("/_sandbox/webhooks/sign", {"body": "{}", "secret": "shh-sign"}),
}
TAKEN: Final = ("create", "update", "replace")
PAGES: Final = times(8, soak=1_000)
DIALECTS: Final = ("hyperswitch", "interface")[: times(1, soak=2)]


TARGET: Final = "/_sandbox/webhooks/target"


def _url() -> str:
    return f"{HOOK}?token=shh-query"


def _escaped(value: object) -> str:
    """JSON with a letter of each name escaped."""
    return json.dumps(value).replace("payment_r", "payment\\u005fr").replace("webhook_", "w\\u0065bhook_")


def _form(fields: Any) -> str:
    details = {f"webhook_details[{name}]": value for name, value in fields["webhook_details"].items()}
    return urlencode({**{name: value for name, value in fields.items() if isinstance(value, str)}, **details})


def _fields(name: str) -> dict[str, Any]:
    return {"profile_name": name, "webhook_details": {"webhook_url": HOOK}}


def _raw(api: Wire, path: str, text: str) -> Reply:
    return api.call("POST", path, raw=text.encode())


@pytest.fixture(params=DIALECTS)
def shops(request: pytest.FixtureRequest) -> Mall:
    return mall(dialect=get(request.param))


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with logged() as kept:
        yield kept


def every_view(shops: Mall, merchant_id: str) -> Iterator[tuple[str, str]]:
    """Each view of ours, and those of the API about events and the profile."""
    api, base = shops.api, f"/account/{merchant_id}/business_profile"
    yield from ((name, text) for name, _, text in views(api, PAGES) if not name.startswith(RESTORING))
    for event in shops.inbox("?limit=1000"):
        path = f"/events/{merchant_id}/{event['event_id']}/attempts"
        yield path, sent(api, "GET", path).raw.decode()
    yield f"/events/{merchant_id}", sent(api, "POST", f"/events/{merchant_id}").raw.decode()
    yield base, sent(api, "GET", base).raw.decode()


def test_no_view_shows_one(shops: Mall, log: io.StringIO) -> None:
    api = shops.api
    paid = api.pay()
    merchant_id, own = paid["merchant_id"], paid["profile_id"]
    base = f"/account/{merchant_id}/business_profile"
    refusals = []
    for name, door in DOORS.items():
        reply = door(api, base, own)
        if reply.status == 200 and name in TAKEN:
            shops.shop.answers = [500, "the connection was reset"]
            api.pay(profile_id=reply["profile_id"])
            shops.deliver()
            assert SECRETS.items() <= shops.shop.got[-1].headers.items(), "the receiver gets them as they were sent"
            event_id = shops.inbox()[-1]["event_id"]
            api.post(f"/_sandbox/webhooks/{event_id}/resend")
            sent(api, "POST", f"/events/{merchant_id}/{event_id}/retry")
            assert SECRETS.items() <= shops.shop.got[-1].headers.items()
        refusals.append((name, str(reply.headers) + reply.raw.decode()))
    rule = {"on": "webhook.payment_succeeded", "then": {"copies": 2, "signature": "wrong"}}
    shops.scenario(rule)
    api.pay(profile_id=own)
    shops.deliver()
    DOORS["an endpoint"](api, base, own)
    api.pay(profile_id=own)
    shops.deliver()
    shown = (*refusals, *every_view(shops, merchant_id), ("log", log.getvalue()))
    assert [name for name, text in shown if "hush" in text] == []
    own_answers = (*TAKEN, "escaped name", "escaped names", "an account", "an endpoint", "a signature", base)
    assert {name for name, text in shown if "shh" in text} <= set(own_answers)


def test_an_export_still_repeats_what_happened(shops: Mall) -> None:
    api = shops.api
    paid = api.pay()
    DOORS["update"](api, f"/account/{paid['merchant_id']}/business_profile", paid["profile_id"])
    export = api.get(f"/_sandbox/payments/{api.pay()['payment_id']}/export").raw.decode()
    assert "X-Auth" in export
    assert f"{HOOK}?[hidden]" in export
    assert "not verified" not in export


def test_a_refused_call_shows_its_other_fields(shops: Mall) -> None:
    paid = shops.api.pay()
    base = f"/account/{paid['merchant_id']}/business_profile"
    assert DOORS["refused"](shops.api, base, paid["profile_id"]).status >= 400
    (line,) = shops.api.get("/_sandbox/journal?operation=profiles.update").json["data"]
    assert line["request"] == {FIELD: dict.fromkeys(SECRETS, "[hidden]"), "session_expiry": 1}


class Asking(RunningSandbox):
    """A command's calls, without a socket."""

    def __init__(self, api: Wire) -> None:
        super().__init__(None, None, None)
        self._api = api

    def ask(self, method: str, path: str, body: object = None, *_: object, **__: object) -> Any:
        return self._api.call(method, path, body).json


def test_what_listen_posts_has_them(shops: Mall) -> None:
    """As its receiver gets them, though the inbox does not show them."""
    api = shops.api
    paid = api.pay()
    DOORS["update"](api, f"/account/{paid['merchant_id']}/business_profile", paid["profile_id"])
    api.pay()

    event = shops.inbox()[-1]
    shown = cli.posted(shops.shop, cli.as_sent(Asking(api), event), ORIGIN)
    assert shown == "answered 200 thanks"
    got = shops.shop.got[-1].headers
    assert SECRETS.items() <= got.items()
    assert list(got) == [name for name, _ in event["headers"]]
    assert got["X-Webhook-Signature-512"] == dict(event["headers"])["X-Webhook-Signature-512"]
