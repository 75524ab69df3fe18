"""Apps in this process that end in any way or answer anything: each is an attempt that failed, and is made again."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterable
from http import HTTPStatus
from threading import Thread
from typing import Any, Final

import pytest

from mock_server.webhooks.transport import AsgiTransport, Response, Transport, Unanswered, Wire, WsgiTransport
from tests.webhooks.shops import HOOK, ORIGIN, mall

NOT_HTTP: Final = "the app's answer is not HTTP"


def wsgi(*said: Any, end: BaseException | None = None) -> Transport:
    """An app that starts its answer with this, and ends so."""

    def app(environ: Any, start_response: Any) -> Iterable[bytes]:
        if said:
            start_response(*said)
        if end is not None:
            raise end
        return [b"body"]

    return WsgiTransport(app)


def asgi(*said: Any, end: BaseException | None = None) -> Transport:
    """As `wsgi`."""

    async def app(scope: Any, receive: Any, send: Any) -> Any:
        await receive()
        if said:
            await send({"type": "http.response.start", "status": said[0], "headers": said[1]})
        if end is not None:
            raise end
        await send({"type": "http.response.body", "body": b"body"})
        return "a value that means nothing"

    return AsgiTransport(app)


ENDS: Final = (
    *(ValueError("x"), TimeoutError("x"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseException("x")),
    *(asyncio.CancelledError(), pytest.fail.Exception("x"), pytest.skip.Exception("x")),
)
HUGE: Final = 10**30
WSGI_STATUSES: Final = (
    *("", "abc", "200OK", "20 OK", "2000 OK", "-20 OK", "200.0 OK", "+20 OK", "2_0 OK", "²00 OK", "٢٠٠ OK"),
    *("099 OK", "000", f"{HUGE} OK", b"200 OK", 200, HTTPStatus.OK, None, ("200", "OK")),
)
ASGI_STATUSES: Final = ("200", b"200", 200.0, float("nan"), True, 0, -1, 99, 1000, HUGE, (200,))
HEADERS: Final = (None, 5, [("a",)], [("a", "b", "c")], [5], [("a", 5)], [("a", None)])
PLACES: Final = {"wsgi": wsgi, "asgi": asgi}
SAID: Final[dict[str, tuple[tuple[Any, ...], ...]]] = {"wsgi": ((), ("200 OK", [])), "asgi": ((), (200, []))}
each_end = [
    pytest.param(make(*said, end=end), f"the app raised {type(end).__name__}", id=f"{name}-{end!r}-{len(said)}")
    for name, make in PLACES.items()
    for end in ENDS
    for said in SAID[name]
]
each_answer = [
    *(pytest.param(wsgi(status, []), NOT_HTTP, id=f"wsgi-{status!r:.20}") for status in WSGI_STATUSES),
    *(pytest.param(asgi(status, []), NOT_HTTP, id=f"asgi-{status!r:.20}") for status in ASGI_STATUSES),
    *(pytest.param(wsgi("200 OK", fields), None, id=f"wsgi-{fields!r}") for fields in HEADERS),
    *(pytest.param(asgi(200, fields), None, id=f"asgi-{fields!r}") for fields in HEADERS),
    *(
        pytest.param(wsgi(*said), "the app raised TypeError", id=f"wsgi-{len(said)}")
        for said in (("200 OK",), (1, 2, 3, 4))
    ),
]


def on_a_thread(work: Callable[[], object]) -> list[object]:
    """What work gave or raised on a thread like those that deliver."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as problem:
            found.append(problem)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    return found


@pytest.mark.parametrize(("transport", "said"), [*each_end, *each_answer])
def test_an_attempt_has_failed_and_says_why(transport: Transport, said: str | None) -> None:
    found = on_a_thread(lambda: transport.send(f"{ORIGIN}/hook", b"{}", (), 5.0, Wire()))
    assert [type(one) for one in found] == [Unanswered], found
    assert said in (str(found[0]), None)


@pytest.mark.parametrize("cases", [each_end, each_answer], ids=["ends", "answers"])
def test_the_event_is_sent_again_and_can_be_read(cases: list[Any]) -> None:
    shop = mall()
    shop.api.post("/_sandbox/clock/freeze")
    for transport, said in (case.values for case in cases):
        undo = shop.api.sandbox.post.routing.connect(ORIGIN, transport)
        payment_id = shop.api.pay()["payment_id"]

        def deliver() -> None:
            shop.deliver()
            shop.advance("1m")

        assert on_a_thread(deliver) == [None]
        (event,) = shop.inbox(f"?payment_id={payment_id}")
        made = [(one["status"], one["error"]) for one in event["deliveries"]]
        assert (len(made), event["attempts"], event["is_delivered"]) == (2, 2, False), made
        assert event["next_attempt_at"] is not None
        assert made == [(None, said or made[0][1])] * 2
        undo()
        shop.api.put("/_sandbox/webhooks/target", {})
        shop.advance("5m")
        shop.api.put("/_sandbox/webhooks/target", {"url": HOOK})


@pytest.mark.parametrize(
    "transport",
    [wsgi("200 OK", []), wsgi("299 ", ()), wsgi("200", []), asgi(200, []), asgi(HTTPStatus.OK, [[b"a", b"b"]])],
)
def test_what_is_http_is_taken(transport: Transport) -> None:
    (found,) = on_a_thread(lambda: transport.send(f"{ORIGIN}/hook", b"{}", (), 5.0, Wire()))
    assert isinstance(found, Response)
    assert (type(found.status), found.status // 100) == (int, 2)


@pytest.mark.parametrize("make", PLACES.values())
def test_who_runs_an_app_on_the_main_thread_can_stop_it(
    make: Callable[..., Transport], caplog: pytest.LogCaptureFixture
) -> None:
    """Ctrl-C and a test's own time limit raise there, and nothing of it is told later."""
    for end in (KeyboardInterrupt(), SystemExit(3), pytest.fail.Exception("too slow")):
        with pytest.raises(type(end)):
            make(end=end).send(f"{ORIGIN}/hook", b"{}", (), 5.0, Wire())
        del end
    gc.collect()
    assert caplog.records == []
