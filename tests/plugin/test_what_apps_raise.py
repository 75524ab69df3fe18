"""Whatever a connected app raises counts as its answer and is kept: nothing ends the thread that delivers."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox

KINDS: Final = [
    *(one for one in vars(builtins).values() if isinstance(one, type) and issubclass(one, BaseException)),
    *(one.Exception for one in (pytest.fail, pytest.skip, pytest.exit, pytest.xfail)),
    asyncio.CancelledError,
]
BY_HAND: Final[list[BaseException]] = [
    BaseExceptionGroup("several", [SystemExit()]),
    ExceptionGroup("several", [ValueError()]),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"),
    UnicodeEncodeError("ascii", "\xff", 0, 1, "no"),
    UnicodeTranslateError("\xff", 0, 1, "no"),
]
TURNED: Final = StopIteration, StopAsyncIteration
"""A coroutine turns these into RuntimeError."""


def problems() -> list[BaseException]:
    """One of each kind of exception that there is."""
    other = dict.fromkeys((*TURNED, *map(type, BY_HAND)))
    return [*BY_HAND, *(kind("no") for kind in dict.fromkeys(KINDS) if kind not in other)]


class Shop:
    """Raises what it is told, or answers 200."""

    raises: BaseException | None = None

    def wsgi(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if self.raises is not None:
            raise self.raises
        start_response("200 OK", [])
        return [b""]

    async def asgi(self, scope: Any, receive: Any, send: Any) -> None:
        if self.raises is not None:
            raise self.raises
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("kind", ["wsgi", "asgi"])
@pytest.mark.filterwarnings("error")
def test_each_exception_is_an_answer_and_kept(kind: str, sandbox: Sandbox) -> None:
    shop, hooks = Shop(), sandbox.webhooks
    hooks.connect(getattr(shop, kind))
    sandbox.client.pay()
    told = hooks.wait_for("payment_succeeded", delivered=True)
    for shop.raises in problems():
        attempt = hooks.resend(told).deliveries[-1]
        name = type(shop.raises).__name__
        assert attempt["status"] == 500 or attempt["error"] == f"the app raised {name}"
        assert hooks.raised[-1] is shop.raises
    shop.raises = None
    assert hooks.resend(told).deliveries[-1]["status"] == 200


def without_list(environ: Any, start_response: Any) -> Any:
    start_response("200 OK", [])


def said(status: Any, headers: Any) -> Any:
    def app(environ: Any, start_response: Any) -> Any:
        start_response(status, headers)
        return [b""]

    return app


@pytest.mark.parametrize("app", [without_list, said("fine", []), said(200, []), said("200 OK", None), said("", [])])
def test_an_answer_that_is_none_is_the_apps_mistake(app: Any, sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(app)
    sandbox.client.pay()
    attempt = sandbox.webhooks.wait_for("payment_succeeded").deliveries[-1]
    assert attempt["status"] == 500 or attempt["error"].startswith("the app")
