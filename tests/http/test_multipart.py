"""Multipart forms, as clients write them and as nobody should (RFC 7578)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urllib3.filepost import encode_multipart_formdata

from mock_server.domain.dispute import Upload
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.multipart import MOST_PARTS, read

NAMES = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=20)


@given(
    st.dictionaries(NAMES, st.text(max_size=50), max_size=4),
    st.binary(max_size=5000),
    st.sampled_from(["application/pdf", "image/png"]),
)
def test_whatever_a_client_writes_is_read_back(texts: dict[str, str], content: bytes, kind: str) -> None:
    texts.pop("file", None)
    raw, content_type = encode_multipart_formdata({**texts, "file": ("a.pdf", content, kind)})
    boundary = content_type.partition("boundary=")[2]
    assert read(raw, boundary.encode()) == {**texts, "file": Upload("a.pdf", kind, content)}


def outcome(raw: bytes) -> Cause | None:
    """Why a form is refused; None where it is read."""
    try:
        read(raw, b"b")
    except Refusal as refusal:
        return refusal.cause
    return None


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    assert outcome(b"--b\r\n" + raw) in (None, Cause.MULTIPART_MALFORMED)


@given(st.binary(min_size=1, max_size=2000), st.integers(0, 100))
def test_a_form_that_was_cut_is_refused(content: bytes, cut: int) -> None:
    raw, content_type = encode_multipart_formdata({"file": ("a.pdf", content, "application/pdf")}, boundary="frontier")
    assert content_type.endswith("frontier")
    whole = len(raw) - len(b"--\r\n")
    with pytest.raises(Refusal) as refused:
        read(raw[: whole - 1 - cut * whole // 200], b"frontier")
    assert refused.value.cause is Cause.MULTIPART_MALFORMED


def part(name: str) -> bytes:
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\nx\r\n'.encode()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (part("a") * 2 + b"--b--\r\n", "two parts"),
        (b"".join(part(f"p{n}") for n in range(MOST_PARTS + 1)) + b"--b--\r\n", "more than"),
        (part("a").replace(b"\r\nx", b"\r\n\xff") + b"--b--\r\n", "UTF-8"),
        (part("") + b"--b--\r\n", "no name"),
        (b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n", "boundary"),
    ],
)
def test_a_refusal_says_why(raw: bytes, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(raw, b"b")
    assert reason in str(refused.value.values["reason"])


def test_as_many_parts_as_may_be() -> None:
    assert MOST_PARTS == 16
    raw = b"".join(part(f"p{n}") for n in range(MOST_PARTS)) + b"--b--\r\n"
    assert len(read(raw, b"b")) == MOST_PARTS
