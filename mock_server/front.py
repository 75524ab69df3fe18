"""The server around the app, as the command, the container and the tests' fixture all start it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mock_server.app import Application
from mock_server.contract.operation import WITH_BODY
from mock_server.contract.operations import REGISTRY, may_take_long
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.browsers import READABLE
from mock_server.http.errors import answer_refusal
from mock_server.http.express import Express
from mock_server.http.observe import reason_headers, stray_headers
from mock_server.metrics import NOWHERE, PASSED_ON, REQUESTS
from mock_server.sandbox import Sandbox
from mock_server.server import ELSEWHERE, UNSAVED, BodyAllowed, Log, Patience, Server, WordedRefusal, log_plainly

MAX_WORKING: Final = 512
SHORT: Final = 65_536
"""Bodies up to this size are always read: that takes no longer than to find the route."""
LARGE_FORMS: Final = "scenario"
"""The names of pages whose forms contain the text of a scenario begin so."""
_OF_A_WORKSPACE: Final = len("/_sandbox/ui/w_0123456789abcdef0123")
_LIMITED: Final = {413: Cause.BODY_TOO_LARGE, 414: Cause.URI_TOO_LONG, 431: Cause.HEAD_TOO_LARGE}
_LOG: Final = logging.getLogger("mock_server.front")


def serve(
    sandbox: Sandbox, host: str, port: int, *, max_working: int = MAX_WORKING, on_log: Log = log_plainly
) -> Server:
    """Return a listening server; OSError if it cannot. Over `max_working` long calls at once get `busy`."""
    settings = sandbox.settings
    app = Application(sandbox)
    sizes = settings.max_body, settings.max_evidence_body, settings.max_control_body, settings.max_snapshot
    saves = secret = None
    if sandbox.lasting is not None:
        from mock_server.lasting.store import SavedAnswers

        saves, secret = SavedAnswers(sandbox.lasting), sandbox.lasting.secret
    server = Server(
        app.wsgi,
        host,
        port,
        slow=may_take_long if sandbox.is_alone else lambda path: may_take_long(path) or path.startswith(REGISTRY),
        caller=caller,
        max_working=max_working,
        max_body=partial(body_allowed, sandbox, app.express),
        short_body=min(SHORT, *sizes),
        max_room=max(settings.max_bodies, *sizes),
        refuse=partial(refused, sandbox),
        on_log=on_log,
        patience=Patience(body_s=settings.body_timeout),
        clock=sandbox.clock,
        saves=saves,
        count_passed=partial(sandbox.counts.add, PASSED_ON),
        secret=secret,
    )
    sandbox.leave_loop = server.leave_loop
    return server


def caller(environ: Mapping[str, Any]) -> str:
    """Who calls: a key and its twin alike; without a key, whoever calls this path or this workspace's dashboard."""
    return str(environ.get("HTTP_API_KEY", "").removeprefix("pk_") or environ["PATH_INFO"][:_OF_A_WORKSPACE])


def body_allowed(sandbox: Sandbox, express: Express, method: str, path: str) -> BodyAllowed:
    """Return what a call may send; without a route it may send as much as most calls, and that is dropped."""
    settings, routes = sandbox.settings, express.routes(path)
    if route := routes.get(method):
        return BodyAllowed(sandbox.body_limit(route[0]), route[0].reads_body(method))
    page = None if routes else express.pages(path)[0].get(method)
    if page is None:
        return BodyAllowed(settings.max_body, False)
    most = settings.max_control_body if page.name.startswith(LARGE_FORMS) else settings.max_body
    return BodyAllowed(most, method in WITH_BODY)


def refused(sandbox: Sandbox, status: int, reason: str, limit: object = None) -> WordedRefusal:
    """Return what the server refuses by itself, in the envelope and with the headers of every answer."""
    request_id = sandbox.request_id()
    refusal = _refusal(sandbox, status, reason, limit or sandbox.settings.max_body, request_id)
    sandbox.counts.add(REQUESTS, NOWHERE, status)
    headers = (*stray_headers(sandbox, request_id), *reason_headers(sandbox, sandbox.dialect, refusal))
    answer = answer_refusal(sandbox.dialect, refusal).with_headers(*headers, *READABLE)  # nothing of any key is in it
    # A refusal's own status is the nearest that the dialect has; the exact one is sent.
    return status, answer.headers, answer.body


def _refusal(sandbox: Sandbox, status: int, reason: str, limit: object, request_id: str) -> Refusal:
    match status:
        case 413 | 414 | 431:
            return Refusal(_LIMITED[status], limit=limit)
        case 503 if reason == UNSAVED or reason.startswith(ELSEWHERE):
            from mock_server.lasting.batches import NOT_KNOWN, not_saved  # late: most servers save nothing

            if reason != UNSAVED:
                return not_saved(reason)
            trouble = sandbox.lasting.saver.trouble if sandbox.lasting is not None else None
            return not_saved(trouble or "the last attempt failed", NOT_KNOWN)
        case 503:
            _LOG.warning("answered 503: %s", reason, extra={"request_id": request_id})
            return Refusal(Cause.BUSY)
        case 500:
            _LOG.error("answered %d, reference %s: %s", status, request_id, reason, extra={"request_id": request_id})
            return Refusal(Cause.INTERNAL, reference=request_id)
        case _:
            return Refusal(Cause.REQUEST_MALFORMED, reason=reason)
