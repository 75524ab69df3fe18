"""With `webhook_hosts`, nothing but these hosts is ever called: every door for an address, every spelling of a host.

The control API refuses such an address. The API itself takes it, as calls of the program under test must succeed as in
production, and its events say why they were not sent. Who is called is what the library of the network reads in an
address, not what our own reading says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec import field
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from mock_server.addresses import is_address
from mock_server.dialects import get
from mock_server.domain.paging import Query
from mock_server.engine.kinds import PROFILES
from mock_server.sandbox.delivering import Delivering
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response, Unanswered
from mock_server.webhooks.transport import Wire as Line
from tests.webhooks.shops import Inline, Mall, mall
from tests.wire import Reply, Wire

GOOD: Final = "shop.test"
HOSTS: Final = (
    "evil.test", "EVIL.test", "evil.test.", "shop.test.", "shop.test.evil.test", "evilshop.test", "shop.test@evil.test",
    r"evil.test\@shop.test", "evil.test#@shop.test", "evil.test?@shop.test", r"evil.test\.shop.test", "127.0.0.1",
    "2130706433", "0x7f.1", "[::ffff:7f00:1]", "shop.test%2eevil.test", "evil.test%2f.shop.test",
    "shop.test:80@evil.test", "evil.test:80#shop.test", "evil.test;shop.test", "evil.test,shop.test",
    "shop\u3002test", "\uff53hop.test", "shop.test_",
)  # fmt: skip
"""Hosts that are not the one allowed, some of which look like it."""
FINE: Final = ("shop.test", "SHOP.test", "shop.test:8080", "shop.test/evil.test", "shop.test?to=evil.test")
ADDRESSES: Final = [f"{scheme}://{host}/hook" for host in HOSTS for scheme in ("http", "https")]
_TIMES: Final[dict[str, Any]] = {"timeRange": {"startTime": "2025-12-31T00:00:00Z"}, "emails": ["a@shop.test"]}
Door = Callable[[Wire, str, str, str], Reply]
DOORS: Final[dict[str, Door]] = {
    "target": lambda api, url, *_: api.put("/_sandbox/webhooks/target", {"url": url}),
    "target of a profile": lambda api, url, _, own: api.put(
        "/_sandbox/webhooks/target", {"url": url, "profile_id": own}
    ),
    "create": lambda api, url, base, _: _create(api, base, "new", url),
    "update": lambda api, url, base, own: api.post(f"{base}/{own}", _hook(url)),
    "replace": lambda api, url, base, own: api.put(f"{base}/{own}", {"profile_name": "new", **_hook(url)}),
    "account": lambda api, url, base, _: _as_admin(api, f"/accounts/{base.split('/')[2]}", _hook(url)),
    "new account": lambda api, url, *_: _as_admin(api, "/accounts", {"merchant_id": "mer_new", **_hook(url)}),
    "report": lambda api, url, *_: api.post("/analytics/v1/report/payments", {**_TIMES, "returnUrl": url}),
}


def _hook(url: str) -> dict[str, Any]:
    return {"webhook_details": {"webhook_url": url}}


def _as_admin(api: Wire, path: str, body: object) -> Reply:
    return api.call("POST", path, body, headers={"api-key": "an admin's"})


class Called:
    """A network that writes down the hosts that it would connect to."""

    def __init__(self) -> None:
        self.hosts: list[str | None] = []

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, line: Line) -> Response:
        if not is_address(url):
            raise Unanswered("as the real one says")
        try:
            self.hosts.append(parse_url(url).host)
        except LocationParseError:
            raise Unanswered("as the real one says") from None
        return Response(200)


class Watched(Delivering):
    """Deliveries over such a network."""

    called: Called = field(default_factory=Called)

    def _network(self) -> Called:
        return self.called


def _mall(dialect: str = "interface", **settings: Any) -> tuple[Mall, Watched]:
    made = mall(target=False, dialect=get(dialect), **settings)
    sandbox = made.api.sandbox
    sandbox.post = post = Watched(sandbox.settings, made.clock, sandbox.wake, sandbox.counts, Inline())
    return made, post


def _pay_all(shops: Mall) -> None:
    """An event for each profile."""
    for profile in shops.workspace.space.scan(PROFILES, Query()):
        shops.api.pay(profile_id=profile.profile_id)
    shops.deliver()


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
@pytest.mark.parametrize("name", DOORS)
def test_by_no_door_is_one_called(name: str, dialect: str) -> None:
    shops, post = _mall(dialect, webhook_hosts=(GOOD,))
    paid = shops.api.pay()
    base, taken = f"/account/{paid['merchant_id']}/business_profile", 0
    for url in ADDRESSES:
        reply = DOORS[name](shops.api, url, base, paid["profile_id"])
        assert reply.status == 200 or 400 <= reply.status < 500, (url, reply.raw)
        taken += reply.status == 200
        _pay_all(shops)
    assert post.called.hosts == []
    assert (taken == 0) is name.startswith("target")


@pytest.mark.parametrize("name", DOORS)
def test_every_door_takes_the_one_that_is_allowed(name: str) -> None:
    for host in FINE:
        shops, post = _mall(webhook_hosts=(GOOD,))
        paid = shops.api.pay()
        base = f"/account/{paid['merchant_id']}/business_profile"
        reply = DOORS[name](shops.api, f"https://{host}", base, paid["profile_id"])
        assert reply.status == 200, reply.raw
        if name not in ("report", "new account"):
            _pay_all(shops)
            assert set(post.called.hosts) == {GOOD}


def test_what_is_there_already_is_not_called() -> None:
    free, _ = _mall()
    base = f"/account/{free.api.pay()['merchant_id']}/business_profile"
    addresses = [*ADDRESSES, *(f"http://{host}" for host in FINE)]
    taken = [url for at, url in enumerate(addresses) if _create(free.api, base, f"p{at}", url).status == 200]
    assert len(taken) > len(addresses) / 2
    assert free.api.put("/_sandbox/snapshots/old").status == 200
    shops, post = _mall(webhook_hosts=(GOOD,))
    kept = free.api.get("/_sandbox/snapshots/old").json
    assert shops.api.put("/_sandbox/snapshots/old", kept).status == 200
    assert shops.api.post("/_sandbox/snapshots/old/restore").status == 200
    _pay_all(shops)
    assert post.called.hosts == [GOOD] * len(FINE)
    told = [one for event in shops.inbox("?limit=1000") for one in event["deliveries"] if one["error"]]
    assert len(told) == len(taken) - len(FINE)


def _create(api: Wire, base: str, name: str, url: str) -> Reply:
    return api.post(base, {"profile_name": name, **_hook(url)})
