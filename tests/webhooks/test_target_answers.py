"""What `webhooks/target` answers is where the events go, and what signs them, whoever set it before."""

from __future__ import annotations

import hmac
from itertools import product
from typing import Any, Final

import pytest

from tests.webhooks.shops import HOOK, ORIGIN, mall

BODIES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"url": None},
    {"secret": "only a secret"},
    {"url": f"{ORIGIN}/own"},
    {"url": f"{ORIGIN}/own", "secret": "whsec_é"},
)
NOT_SET: Final = None
CASES: Final = list(product((True, False), (NOT_SET, *BODIES[1:]), (NOT_SET, BODIES[4]), (NOT_SET, *BODIES)))
"""Whether the server has an address; what is put for the workspace, for the profile, and for the profile again."""


@pytest.mark.parametrize(("server", "workspace", "first", "then"), CASES)
def test_events_go_where_it_says(server: bool, workspace: Any, first: Any, then: Any) -> None:
    settings: dict[str, Any] = {"webhook_url": HOOK, "webhook_secret": "of the server"} if server else {}
    shop = mall(target=False, **settings)
    said = shop.api.get("/_sandbox/webhooks/target").json
    if workspace is not NOT_SET:
        said = shop.api.put("/_sandbox/webhooks/target", workspace).json
    for body in (first, then):
        if body is not NOT_SET:
            said = shop.api.put("/_sandbox/webhooks/target", {**body, "profile_id": "pro_shop"}).json
    shop.api.pay()
    shop.deliver()
    got = [(one.url, one.signature) for one in shop.shop.got]
    (event,) = shop.inbox()
    signed = hmac.digest(said["secret"].encode(), event["payload"].encode(), "sha512").hex()
    assert got == ([(said["url"], signed)] if said["url"] else []), said
    assert dict(event["headers"])["X-Webhook-Signature-512"] == signed
    own = bool((then if then is not NOT_SET else first or {}).get("url"))
    by = "profile" if own else "workspace" if workspace is not NOT_SET else "server" if server else None
    assert said["set_by"] == by
    asked = {"body": event["payload"], "profile_id": "pro_shop"}
    assert shop.api.post("/_sandbox/webhooks/sign", asked).json["secret"] == said["secret"]
