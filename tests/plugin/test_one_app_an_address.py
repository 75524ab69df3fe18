"""Events of one workspace never reach the app of another, whatever addresses both give, and in whichever order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer

URLS: Final = (None, "http://shop.test/hooks", "http://SHOP.test/other", "http://other.test/hooks")
Acts = tuple[str, ...]
ORDERS: Final[list[Acts]] = [
    ("a", "b"), ("a", "a", "b"), ("a", "b", "a"), ("a", "-a", "b"), ("a", "-a", "b", "-b", "a"),
]  # fmt: skip
"""Which workspace connects an app, and which disconnects (`-`)."""


def app_of(owner: str, seen: list[tuple[str, str]]) -> Callable[..., Any]:
    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        payment = environ["wsgi.input"].read().decode()
        seen.extend((owner, whose) for whose in "ab" if f'"description":"{whose}"' in payment)
        start_response("200 OK", [])
        return [b""]

    return app


@pytest.mark.parametrize(("first", "second"), list(product(URLS, URLS)))
@pytest.mark.parametrize("acts", ORDERS, ids=" ".join)
def test_no_event_comes_to_the_app_of_another(
    first: str | None, second: str | None, acts: Acts, inside: SandboxServer
) -> None:
    seen: list[tuple[str, str]] = []
    urls = {"a": first, "b": second}
    with Sandbox(server=inside) as a, Sandbox(server=inside) as b:
        spaces = {"a": a, "b": b}
        for act in acts:
            webhooks = spaces[act[-1]].webhooks
            if act.startswith("-"):
                webhooks.disconnect()
                webhooks.send_to(None)
                continue
            with suppress(ValueError):  # it may be refused
                webhooks.connect(app_of(act, seen), url=urls[act])
        for name, space in spaces.items():
            space.client.pay(description=name)
            space.webhooks.settle()
    assert [one for one in seen if one[0] != one[1]] == []
    assert seen, "at least one of them gets its events"


def test_the_refusal_says_what_to_do(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as a, Sandbox(server=inside) as b:
        a.webhooks.connect(app_of("a", []), url="http://shop.test/hooks")
        with pytest.raises(ValueError, match=r"app of another workspace is connected at http://shop\.test; give each"):
            b.webhooks.connect(app_of("b", []), url="http://shop.test/hooks")
