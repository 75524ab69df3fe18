from __future__ import annotations

import contextlib
import itertools
import re
import time
from typing import Any, Final

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.server.connection import RECEIVED_AT_ONCE
from mock_server.server.parser import BodyAllowed, Limits, Request, RequestRefused
from mock_server.server.reader import RequestReader
from tests.counts import SOAK
from tests.pace import slowness

UNREAD = "/unread"


def allowed(method: str, path: str) -> BodyAllowed:
    return BodyAllowed(50 if path == "/small" else 2000, path != UNREAD)


LIMITS = Limits(max_head=400, max_line=100, max_fields=10, short=10, body=allowed)

STREAM = (
    b"\r\nGET /one?a=b HTTP/1.1\r\nHost: x\r\n\r\n"
    b"POST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nhello\r\n\r\nyou"
    b"POST /three HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'5;ext="a;b"\r\nhello\r\n00A \r\n\r\n\r\n567890\r\n0\r\nTrailer: dropped\r\n\r\n'
    b"POST /four HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    b"POST /five HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    b"GET /six HTTP/1.0\r\n\r\n"
)
REQUESTS = [
    ("GET", "/one", b""),
    ("POST", "/two", b"hello\r\n\r\nyou"),
    ("POST", "/three", b"hello\r\n\r\n567890"),
    ("POST", "/four", b""),
    ("POST", "/five", b""),
    ("GET", "/six", b""),
]


def read(*pieces: bytes, limits: Limits = LIMITS) -> list[Request]:
    reader = RequestReader(limits)
    requests = []
    for piece in pieces:
        reader.buffer += piece
        while (request := reader.next()) is not None:
            requests.append(request)
    return requests


def body(request: Request) -> bytes:
    return request.environ["wsgi.input"].getvalue()  # type: ignore[no-any-return]  # a WSGI environ's value


def told(requests: list[Request]) -> list[tuple[str, str, bytes]]:
    return [(r.environ["REQUEST_METHOD"], r.environ["PATH_INFO"], body(r)) for r in requests]


def refused(*pieces: bytes) -> int:
    with pytest.raises(RequestRefused) as error:
        read(*pieces)
    return error.value.status


def test_requests_come_in_order() -> None:
    assert told(read(STREAM)) == REQUESTS


@given(st.lists(st.integers(min_value=0, max_value=len(STREAM)), max_size=12).map(sorted))
def test_it_does_not_matter_how_the_bytes_come(cuts: list[int]) -> None:
    edges = [0, *cuts, len(STREAM)]
    assert told(read(*(STREAM[a:b] for a, b in itertools.pairwise(edges)))) == REQUESTS


def test_byte_by_byte() -> None:
    assert told(read(*(STREAM[at : at + 1] for at in range(len(STREAM))))) == REQUESTS


def test_a_chunked_body_has_its_length_in_the_environ() -> None:
    assert [r.environ.get("CONTENT_LENGTH") for r in read(STREAM)] == [None, "12", "15", "0", "0", None]


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        (b"Content-Length: 1000", b"x" * 1000),
        (b"Transfer-Encoding: chunked", b"3e8\r\n" + b"x" * 1000 + b"\r\n0\r\n\r\n"),
    ],
)
@pytest.mark.parametrize("pieces", [1, 7, 1000])
def test_a_body_that_nobody_reads_is_not_kept(field: bytes, sent: bytes, pieces: int) -> None:
    reader = RequestReader(LIMITS)
    reader.buffer += b"POST %b HTTP/1.1\r\nHost: x\r\n%b\r\n\r\n" % (UNREAD.encode(), field)
    assert reader.next() is None
    step = -(-len(sent) // pieces)
    for at in range(0, len(sent) - step, step):
        reader.buffer += sent[at : at + step]
        assert reader.next() is None
        assert reader.size < 8  # part of a line between chunks
    reader.buffer += sent[(len(sent) - 1) // step * step :] + b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
    requests = [reader.next(), reader.next()]
    assert told([one for one in requests if one is not None]) == [("POST", UNREAD, b""), ("GET", "/next", b"")]


def test_of_a_short_body_nobody_is_asked() -> None:
    short = b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789"
    assert told(read(short)) == [("POST", UNREAD, b"0123456789")]


def test_nothing_is_read_before_the_end() -> None:
    assert read(STREAM[: STREAM.index(b"\r\n\r\nPOST") + 2]) == []


@pytest.mark.parametrize(
    ("status", "sent"),
    [
        (414, b"GET /" + b"a" * 120),
        (414, b"GET /" + b"a" * 120 + b" HTTP/1.1\r\nHost: x\r\n\r\n"),
        (431, b"GET / HTTP/1.1\r\nX-A: " + b"a" * 400),
        (431, b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 400 + b"\r\n\r\n"),
        (400, b"GET / HTTP/1.1\nHost: x\n\n"),
        (400, b"GET / HTTP/1.1\r\nHost: x\n\n"),
        (400, b"\nGET"),
        (400, b"\x16\x03\x01\x02\x00\x01\x00"),
        (413, b"POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 51\r\n\r\n"),
        (413, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2001\r\n\r\n"),
    ],
)
def test_what_is_too_large_or_hopeless_is_refused_at_once(status: int, sent: bytes) -> None:
    assert refused(sent) == status


@pytest.mark.parametrize(
    ("status", "chunks"),
    [
        (400, b"\r\n"),
        (400, b"g\r\n"),
        (400, b"-1\r\n"),
        (400, b"0x5\r\n"),
        (400, b" 5\r\n"),
        (400, b"5\nhello\r\n"),
        (400, b"5;a\x00\r\n"),
        (400, b"5;a\rb\r\n"),
        (400, b"5\r\nhelloworld\r\n"),
        (400, b"1" * 16 + b"\r\n"),
        (400, b"5;" + b"a" * 2000),
        (413, b"33\r\n"),
        (413, b"30\r\n" + b"a" * 48 + b"\r\n3\r\n"),
        (400, b"0\r\n" + b"a" * 500),
        (400, b"0\r\n" + b"a: b\r\n" * 100),
        (400, b"0\r\na\n\n"),
        (400, b"0\r\n: b\r\n"),
    ],
)
def test_refused_chunks(status: int, chunks: bytes) -> None:
    head = b"POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert refused(head + chunks) == status
    assert refused(*(bytes([byte]) for byte in head + chunks)) == status


def test_a_body_of_the_largest_size_is_taken() -> None:
    head = b"POST /small HTTP/1.1\r\nHost: x\r\n"
    assert body(read(head + b"Content-Length: 50\r\n\r\n" + b"a" * 50)[0]) == b"a" * 50
    chunked = (
        head + b"Transfer-Encoding: chunked\r\n\r\n20\r\n" + b"a" * 32 + b"\r\n12\r\n" + b"a" * 18 + b"\r\n0\r\n\r\n"
    )
    assert body(read(chunked)[0]) == b"a" * 50


def test_a_client_that_waits_is_told_to_go_on_once() -> None:
    reader = RequestReader(LIMITS)
    reader.buffer += b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
    assert reader.next() is None
    assert [reader.is_to_continue(), reader.is_to_continue()] == [True, False]
    reader.buffer += b"hello"
    assert reader.next() is not None
    assert not reader.is_to_continue()


def test_a_client_that_does_not_wait_is_not_told() -> None:
    reader = RequestReader(LIMITS)
    reader.buffer += b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhe"
    assert reader.next() is None
    assert not reader.is_to_continue()


REFUSED = re.compile(r"%00|/\.{1,2}(?:[/?]|$)")
"""Paths that could be understood in two ways (tests/http/test_paths.py), of those that are drawn here."""
TARGETS = (
    st.text(st.sampled_from("abz09-._~!$&'()*+,=:@/%41?"), max_size=20)
    .map("/".__add__)
    .filter(lambda target: REFUSED.search(target) is None)
)
H11_FIELDS = st.lists(
    st.tuples(
        st.sampled_from([b"X-One", b"x-two", b"Accept", b"Idempotency-Key"]),
        st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=9).map(str.encode),
    ),
    max_size=5,
)


@given(
    st.sampled_from(["GET", "POST", "PUT", "DELETE"]), TARGETS, H11_FIELDS, st.lists(st.binary(max_size=40), max_size=4)
)
def test_what_another_library_writes_is_understood(
    method: str, target: str, fields: list[tuple[bytes, bytes]], parts: list[bytes]
) -> None:
    client = h11.Connection(h11.CLIENT)
    headers = [(b"Host", b"x"), (b"Transfer-Encoding", b"chunked"), *fields]
    events: list[Any] = [h11.Request(method=method, target=target, headers=headers)]
    events += [h11.Data(data=part) for part in parts] + [h11.EndOfMessage()]
    [request] = read(b"".join(client.send(event) or b"" for event in events), limits=Limits())
    assert request.environ["RAW_URI"] == target
    assert request.environ["REQUEST_METHOD"] == method
    assert body(request) == b"".join(parts)


ASCII = st.text(st.characters(max_codepoint=0x7F), max_size=2).map(str.encode)
"""Bytes above it are taken in targets, as browsers and curl send them; h11 refuses those."""


@given(st.data())
def test_what_is_taken_another_strict_library_takes_too(data: st.DataObject) -> None:
    sent = bytearray(STREAM[: data.draw(st.sampled_from([len(STREAM), 40, 150]))])
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(sent) - 1))
        sent[at : at + data.draw(st.integers(0, 2))] = data.draw(ASCII)
    ours = _as_we_read(bytes(sent))
    assert _as_h11_reads(bytes(sent))[: len(ours)] == ours


def _as_we_read(sent: bytes) -> list[tuple[str, bytes]]:
    """Return targets and bodies of the requests that would be answered."""
    reader = RequestReader(Limits())
    reader.buffer += sent
    requests = []
    with contextlib.suppress(RequestRefused):
        while (request := reader.next()) is not None:
            requests.append((request.environ["RAW_URI"], body(request)))
            if not request.keep_alive:
                break
    return requests


def _as_h11_reads(sent: bytes) -> list[tuple[str, bytes]]:
    """Return targets and bodies of the whole requests up to the first that h11 refuses.

    Each has a connection of its own, so that empty lines before it can be passed over: h11 takes one at the most.
    """
    requests: list[tuple[str, bytes]] = []
    while sent:
        more, sent = _next_that_h11_reads(sent.lstrip(b"\r\n"))
        requests += more
    return requests


def _next_that_h11_reads(sent: bytes) -> tuple[list[tuple[str, bytes]], bytes]:
    """Return the first request, if it is whole, and the bytes behind it; no bytes where nothing more would be read."""
    server = h11.Connection(h11.SERVER)
    server.receive_data(sent)
    target, data = "", b""
    with contextlib.suppress(h11.RemoteProtocolError):
        while (event := server.next_event()) is not h11.NEED_DATA and event is not h11.PAUSED:
            if isinstance(event, h11.Request):
                target, data = event.target.decode(), b""
            elif isinstance(event, h11.Data):
                data += event.data
            elif isinstance(event, h11.EndOfMessage):
                server.send(h11.Response(status_code=200, headers=[(b"content-length", b"0")]))
                server.send(h11.EndOfMessage())
                is_over = server.our_state is not h11.DONE or server.their_state is not h11.DONE
                return [(target, data)], b"" if is_over else server.trailing_data[0]
    return [], b""


CHUNKED: Final = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
FRAMINGS: Final = {
    "chunks of one byte": CHUNKED + b"1\r\nx\r\n" * 400_000,
    "chunks of a few bytes": CHUNKED + b"9\r\nxxxxxxxxx\r\n" * 200_000,
    "chunks of 16 bytes": CHUNKED + b"10\r\nxxxxxxxxxxxxxxxx\r\n" * 65_000,
    "chunks with extensions": CHUNKED + (b"1;" + b"a" * 1_000 + b"\r\nx\r\n") * 4_000,
    "zeros before the size": CHUNKED + b"000000000000001\r\nx\r\n" * 200_000,
    "trailers": CHUNKED + b"0\r\n" + b"a:\r\n" * 16_000,
    "empty lines": b"\r\n" * 1_000_000,
    "fields": b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a:\r\n" * 16_000,
    "a long field": b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 65_000,
    "slashes": b"GET " + b"/" * 16_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "parts of a path": b"GET " + b"/a" * 8_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "percents": b"GET /" + b"%25" * 5_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
}
"""What is sent; each is as large as its limit allows, or goes on."""
STEP_S: Final = 0.02 if SOAK else 0.06
TRIES: Final = 3


def step_of(reader: RequestReader) -> bool:
    """Whether the next step refuses the request."""
    try:
        reader.next()
    except RequestRefused:
        return True
    return False


def steps(sent: bytes) -> list[float]:
    """The processor time of each step of reading this."""
    reader, took = RequestReader(Limits()), []
    for at in range(0, len(sent), RECEIVED_AT_ONCE):
        reader.buffer += sent[at : at + RECEIVED_AT_ONCE]
        began = time.thread_time()
        is_over = step_of(reader)
        took.append(time.thread_time() - began)
        if is_over:
            break
    return took


@pytest.mark.no_cover
@pytest.mark.parametrize("sent", FRAMINGS.values(), ids=FRAMINGS)
def test_no_step_takes_long_and_no_request_costs_much(sent: bytes) -> None:
    for _ in range(TRIES):
        took = steps(sent)
        slow = slowness()
        if max(took) <= STEP_S * slow and sum(took) <= 0.6 * slow:
            return
    pytest.fail(f"{max(took)} s in one step, {sum(took)} s in all, on a machine that is {slow} times slower than quiet")
