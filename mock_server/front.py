"""The server around the app, as the command, the container and the tests' fixture all start it."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Final

from mock_server.app import create_app
from mock_server.control.operations import PREFIX as CONTROL
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.limits import MULTIPART_FRAME
from mock_server.domain.operations import OPERATIONS, SLOW
from mock_server.http.errors import answer_refusal
from mock_server.http.pipeline.observe import stray_headers
from mock_server.sandbox import Sandbox
from mock_server.server import Server

UPLOADS: Final = frozenset(row.path for row in OPERATIONS if row.multipart)
SNAPSHOTS: Final = f"{CONTROL}snapshots/"
MAX_WORKING: Final = 512
_LIMIT: Final = re.compile(r"\d+", re.ASCII)
_LOG: Final = logging.getLogger("mock_server.front")

Refused = tuple[int, Sequence[tuple[str, str]], bytes]


def serve(sandbox: Sandbox, host: str, port: int, *, max_working: int = MAX_WORKING) -> Server:
    """Return a server that listens, with the sandbox behind it; OSError where it cannot listen.

    `max_working` calls that may take long are worked on at once, each on a thread; the next one is told to come again.
    """
    return Server(
        create_app(sandbox),
        host,
        port,
        slow=may_block,
        max_working=max_working,
        max_body=lambda path: largest_body(sandbox, path),
        refuse=lambda status, reason: refused(sandbox, status, reason),
        clock=sandbox.clock,
    )


def may_block(path: str) -> bool:
    """Whether calls of this path may take long."""
    return path.startswith(SLOW)


def largest_body(sandbox: Sandbox, path: str) -> int:
    """Return how many bytes of a body are read at all; each operation's own limit is held by the pipeline."""
    settings = sandbox.settings
    if path.startswith(SNAPSHOTS) and "/" not in path[len(SNAPSHOTS) :].rstrip("/"):
        return settings.max_snapshot
    if path.startswith(CONTROL):
        return settings.max_control_body
    if path.rstrip("/") in UPLOADS:
        return settings.max_evidence_body + MULTIPART_FRAME
    return settings.max_body


def refused(sandbox: Sandbox, status: int, reason: str) -> Refused:
    """Return what the server refuses by itself, in the envelope and with the headers of every answer."""
    request_id = sandbox.request_id()
    refusal = _refusal(sandbox, status, reason, request_id)
    sandbox.counts.refusal(status)
    answer = answer_refusal(sandbox.dialect, refusal).with_headers(*stray_headers(sandbox, request_id))
    # A refusal's own status is the nearest that the dialect has; on the wire the exact one stands.
    return status, answer.headers, answer.body


def _refusal(sandbox: Sandbox, status: int, reason: str, request_id: str) -> Refusal:
    limit = int(found[0]) if (found := _LIMIT.search(reason)) else sandbox.settings.max_body
    match status:
        case 413:
            return Refusal(Cause.BODY_TOO_LARGE, limit=limit)
        case 414:
            return Refusal(Cause.URI_TOO_LONG, limit=limit)
        case 431:
            return Refusal(Cause.HEAD_TOO_LARGE, limit=limit)
        case 503:
            _LOG.warning("answered 503: %s", reason, extra={"request_id": request_id})
            return Refusal(Cause.BUSY)
        case 500:
            _LOG.error("answered %d, reference %s: %s", status, request_id, reason, extra={"request_id": request_id})
            return Refusal(Cause.INTERNAL, reference=request_id)
        case _:
            return Refusal(Cause.REQUEST_MALFORMED, reason=reason)
