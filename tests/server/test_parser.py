from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.server.parser import Limits, RequestRefused, parse_head
from tests.architecture.sources import ROOT

LIMITS = Limits(max_line=100, max_fields=5)
HOST = b"\r\nHost: a.test"


def parse(text: str) -> dict[str, object]:
    return parse_head(text.encode("latin-1").replace(b"\n", b"\r\n"), LIMITS).environ


def test_a_head_becomes_its_part_of_the_environ() -> None:
    environ = parse("POST /a/b?c=d HTTP/1.1\nHost: x:1\nContent-Type:  text/plain \nContent-Length: 3\napi-key: k")
    assert environ == {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/a/b",
        "QUERY_STRING": "c=d",
        "RAW_URI": "/a/b?c=d",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "x:1",
        "CONTENT_TYPE": "text/plain",
        "CONTENT_LENGTH": "3",
        "HTTP_API_KEY": "k",
    }


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        ("/", "/", ""),
        ("/a%20b%5Fc?d%20e", "/a b_c", "d%20e"),
        ("/%2525", "/%25", ""),
        ("/.well-known/...", "/.well-known/...", ""),
        ("/a/?b/", "/a", "b/"),
        ("///", "/", ""),
        ("/%C3%A9", "/\xc3\xa9", ""),
        ("/\xc3\xa9", "/\xc3\xa9", ""),
        ("/%zz%", "/%zz%", ""),
        ("//host//path//", "/host/path", ""),
        ("/?", "/", ""),
        ("/a?b?c", "/a", "b?c"),
        ("http://other:8080/x?y", "/x", "y"),
        ("HTTP://other", "/", ""),
        ("http://other?y", "/", "y"),
    ],
)
def test_targets(target: str, path: str, query: str) -> None:
    environ = parse(f"GET {target} HTTP/1.1\nHost: a.test")
    assert (environ["PATH_INFO"], environ["QUERY_STRING"], environ["RAW_URI"]) == (path, query, target)


def test_an_absolute_targets_host_comes_before_the_fields() -> None:
    assert parse("GET http://other:8080/ HTTP/1.1\nHost: a.test")["HTTP_HOST"] == "other:8080"


def test_options_of_the_whole_server_has_a_star_for_a_path() -> None:
    assert parse("OPTIONS * HTTP/1.1\nHost: a.test")["PATH_INFO"] == "*"


@pytest.mark.parametrize(
    ("lines", "key", "value"),
    [
        ("X-A: 1\nx-a: 2", "HTTP_X_A", "1,2"),
        ("Cookie: a=1\nCookie: b=2", "HTTP_COOKIE", "a=1; b=2"),
        ("X-A:", "HTTP_X_A", ""),
        ("X-A:\t b\tc \t", "HTTP_X_A", "b\tc"),
        ("X-A: \xe9\xa0", "HTTP_X_A", "\xe9\xa0"),
        ("X-A: a:b", "HTTP_X_A", "a:b"),
        ("Content-Length: 5\nContent-Length: 5", "CONTENT_LENGTH", "5"),
        ("Content-Length: 5, 5", "CONTENT_LENGTH", "5"),
    ],
)
def test_fields(lines: str, key: str, value: str) -> None:
    assert parse(f"GET / HTTP/1.1\nHost: a.test\n{lines}")[key] == value


def test_a_field_with_an_underscore_does_not_pass_for_one_with_a_dash() -> None:
    environ = parse("GET / HTTP/1.1\nHost: a.test\napi_key: forged\napi-key: real")
    assert environ["HTTP_API_KEY"] == "real"


@pytest.mark.parametrize(
    ("start", "connection", "kept"),
    [
        ("HTTP/1.1", None, True),
        ("HTTP/1.1", "close", False),
        ("HTTP/1.1", "Upgrade, Close", False),
        ("HTTP/1.1", "keep-alive", True),
        ("HTTP/1.0", None, False),
        ("HTTP/1.0", "Keep-Alive", True),
        ("HTTP/1.0", "close, keep-alive", False),
    ],
)
def test_whether_the_connection_stays(start: str, connection: str | None, kept: bool) -> None:
    field = f"\r\nConnection: {connection}" if connection else ""
    assert parse_head(f"GET / {start}\r\nHost: a{field}".encode(), LIMITS).keep_alive is kept


def test_what_the_body_is() -> None:
    head = parse_head(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nExpect: 100-Continue", LIMITS)
    assert (head.chunked, head.length, head.expects_continue) == (True, 0, True)
    assert "HTTP_TRANSFER_ENCODING" not in head.environ


def test_an_old_client_expects_nothing() -> None:
    assert not parse_head(b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1", LIMITS).expects_continue


REFUSED = [
    (400, b"GET /"),
    (400, b"GET / HTTP/1.1 "),
    (400, b"GET  / HTTP/1.1"),
    (400, b" GET / HTTP/1.1"),
    (400, b"GET /a b HTTP/1.1"),
    (400, b"GET /\ta HTTP/1.1"),
    (400, b"GET /\x00 HTTP/1.1"),
    (400, b"GET /\x7f HTTP/1.1"),
    (400, b"G@T / HTTP/1.1"),
    (400, b"GET a HTTP/1.1"),
    (400, b"GET * HTTP/1.1"),
    (400, b"GET /a#b HTTP/1.1"),
    (400, b"GET /a/../b HTTP/1.1"),
    (400, b"GET /a/%2E HTTP/1.1"),
    (400, b"GET http://a.test/a%2fb HTTP/1.1"),
    (400, b"GET /a;b HTTP/1.1"),
    (400, b"GET /a%3bb HTTP/1.1"),
    (400, b"GET /a%00 HTTP/1.1"),
    (400, b"GET http:///a HTTP/1.1"),
    (400, b"GET http://user@a/ HTTP/1.1"),
    (400, b"CONNECT a:443 HTTP/1.1"),
    (400, b"GET / http/1.1"),
    (400, b"GET / HTTP/1.10"),
    (400, b"GET / HTTP/one"),
    (505, b"PRI * HTTP/2.0"),
    (505, b"GET / HTTP/1.2"),
    (400, b"GET / HTTP/1.1\rX: y"),
    (400, b"GET / HTTP/1.1\nX: y"),
    (414, b"GET /" + b"a" * 100 + b" HTTP/1.1"),
]


@pytest.mark.parametrize(("status", "line"), REFUSED)
def test_refused_request_lines(status: int, line: bytes) -> None:
    with pytest.raises(RequestRefused) as refused:
        parse_head(line + HOST, LIMITS)
    assert refused.value.status == status
    assert refused.value.reason


REFUSED_FIELDS = [
    (400, b"X-A : b"),
    (400, b"X A: b"),
    (400, b": b"),
    (400, b"X-A"),
    (400, b"Host"),
    (400, b"X-A: b\r\n folded"),
    (400, b"X-A: b\r\n\tfolded"),
    (400, b"X-A: b\nX-B: c"),
    (400, b"X-A: b\rX-B: c"),
    (400, b"X-A: b\x00"),
    (400, b"X-A: \x1b[2J"),
    (400, b"X\x00-A: b"),
    (400, b"Host: b.test"),
    (400, b"X-Idempotency-Key: a\r\nX-Idempotency-Key: b"),
    (400, b"x-idempotency-key: a\r\nX-Idempotency-Key: a"),
    (400, b"Content-Length: -1"),
    (400, b"Content-Length: +1"),
    (400, b"Content-Length: 1.0"),
    (400, b"Content-Length: 0x1"),
    (400, b"Content-Length: 1 1"),
    (400, b"Content-Length: \xb2"),
    (400, b"Content-Length:"),
    (400, b"Content-Length: 1\r\nContent-Length: 2"),
    (400, b"Content-Length: 1, 2"),
    (413, b"Content-Length: 9999999999999999"),
    (400, b"Content-Length: 1\r\nTransfer-Encoding: chunked"),
    (400, b"Transfer-Encoding: chunked\r\nContent-Length: 1"),
    (400, b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    (400, b"Transfer-Encoding: chunked, chunked"),
    (400, b"Transfer-Encoding: \x0bchunked"),
    (400, b"Transfer-Encoding:"),
    (501, b"Transfer-Encoding: gzip, chunked"),
    (501, b"Transfer-Encoding: identity"),
    (501, b"Transfer-Encoding: xchunked"),
    (417, b"Expect: 200-ok"),
    (431, b"a: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\ne: 5"),
]


@pytest.mark.parametrize(("status", "fields"), REFUSED_FIELDS)
def test_refused_fields(status: int, fields: bytes) -> None:
    with pytest.raises(RequestRefused) as refused:
        parse_head(b"POST / HTTP/1.1" + HOST + b"\r\n" + fields, LIMITS)
    assert refused.value.status == status


def test_the_reference_has_the_status_of_each_refusal() -> None:
    page = (ROOT / "docs/reference/errors.md").read_text("utf-8")
    malformed = re.search(r"`request_malformed` is also answered with (.*?):", page, re.DOTALL)
    assert malformed
    told = {*re.findall(r"^\| (\d+) \|", page, re.MULTILINE), *re.findall(r"\d{3}", malformed.group(1))}
    assert {str(status) for status, _ in (*REFUSED, *REFUSED_FIELDS)} - told == set()
    assert set(re.findall(r"\d{3}", malformed.group(1))) == {"408", "417", "501", "505"}


@pytest.mark.parametrize("host", [b"", b"\r\nHost: a b", b"\r\nHost: a/b", b"\r\nHost: a,b", b"\r\nHost: u@a"])
def test_a_request_has_one_host(host: bytes) -> None:
    with pytest.raises(RequestRefused, match="400"):
        parse_head(b"GET / HTTP/1.1" + host, LIMITS)


def test_an_old_request_needs_no_host() -> None:
    assert "HTTP_HOST" not in parse_head(b"GET / HTTP/1.0", LIMITS).environ


def test_chunks_are_refused_from_an_old_client() -> None:
    with pytest.raises(RequestRefused, match="400"):
        parse_head(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked", LIMITS)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_head_or_refused(raw: bytes) -> None:
    path = ""
    with contextlib.suppress(RequestRefused):
        path = str(parse_head(raw, Limits()).environ["PATH_INFO"])
    assert path.startswith("/") or not path


NAMES = st.text(st.sampled_from("abcXYZ019-!#$%&'*+.^`|~"), min_size=1, max_size=12).map(lambda name: "x-" + name)
VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=30)


@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_fields_come_through_as_they_were_sent(fields: dict[str, str]) -> None:
    lines = "".join(f"\r\n{name}: {value}" for name, value in fields.items())
    environ = parse_head(f"GET / HTTP/1.1\r\nHost: a{lines}".encode("latin-1"), Limits()).environ
    sent: dict[str, list[str]] = {}
    for name, value in fields.items():
        sent.setdefault("HTTP_" + name.upper().replace("-", "_"), []).append(value.strip(" \t"))
    assert {key: environ[key] for key in sent} == {key: ",".join(values) for key, values in sent.items()}
