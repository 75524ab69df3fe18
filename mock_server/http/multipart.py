"""A multipart form as its parts by name: texts, and files with their bytes (RFC 7578)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from werkzeug import exceptions
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

from mock_server.domain.dispute import Upload
from mock_server.domain.errors import NO_BOUNDARY, Cause, Refusal
from mock_server.http.running import Call

TYPE: Final = "multipart/form-data"
MOST_PARTS: Final = 16

Form = dict[str, object]


def form(call: Call) -> Form:
    """The parts of a call's body; no body has none.

    Refused as `content_type_wrong`, `multipart_malformed`, and for one large file as `body_too_large`.
    """
    if not call.raw:
        return {}
    kind, options = parse_options_header(call.environ.get("CONTENT_TYPE", ""))
    if kind != TYPE:
        raise Refusal(Cause.CONTENT_TYPE_WRONG, given=kind or "none", expected=TYPE)
    if not options.get("boundary"):
        raise _malformed(NO_BOUNDARY)
    found = read(call.raw, options["boundary"].encode("utf-8", "replace"))
    most = int(call.sandbox.settings.max_evidence_body)
    if any(isinstance(part, Upload) and len(part.content) > most for part in found.values()):
        raise Refusal(Cause.BODY_TOO_LARGE, limit=most)
    return found


def read(raw: bytes, boundary: bytes) -> Form:
    """The parts of a form, whose names must be unique. Refused as `multipart_malformed`."""
    found: Form = {}
    for head, content in _parts(raw, boundary):
        if not head.name:
            raise _malformed("a part has no name")
        if head.name in found:
            raise _malformed(f"two parts have the name {head.name}")
        found[head.name] = _upload(head, content) if isinstance(head, File) else _text(head, content)
    return found


def _parts(raw: bytes, boundary: bytes) -> Iterator[tuple[Field | File, bytes]]:
    decoder = MultipartDecoder(boundary, max_parts=MOST_PARTS)
    head: Field | File | None = None
    pieces: list[bytes] = []
    try:
        decoder.receive_data(raw)
        decoder.receive_data(None)
        while not isinstance(event := decoder.next_event(), Epilogue | NeedData):
            if isinstance(event, Field | File):
                head, pieces = event, []
            elif isinstance(event, Data) and head is not None:
                pieces.append(event.data)
                if not event.more_data:
                    yield head, b"".join(pieces)
    except exceptions.RequestEntityTooLarge:
        raise _malformed(f"it has more than {MOST_PARTS} parts") from None
    except (ValueError, KeyError):
        raise _malformed("the final boundary is missing") from None


def _upload(head: File, content: bytes) -> Upload:
    kind, _ = parse_options_header(head.headers.get("Content-Type"))
    return Upload(name=head.filename or None, type=kind.lower() or None, content=content)


def _text(head: Field, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise _malformed(f"the part {head.name} is not UTF-8 text") from None


def _malformed(reason: str) -> Refusal:
    return Refusal(Cause.MULTIPART_MALFORMED, reason=reason)
