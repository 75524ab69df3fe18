"""How a call of a customer page is processed: the link, the scenario's faults, the view, the journal (ours).

Pages need no key, and are not counted for the rate limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from flask import Response, request

from mock_server.domain.errors import Cause, Refusal
from mock_server.http import journal
from mock_server.http.context import Answer, Call
from mock_server.http.errors import said
from mock_server.http.finish import finished
from mock_server.http.observe import measure, own_headers, refusal_of
from mock_server.http.pipeline import is_left_alone, line
from mock_server.pages import answers
from mock_server.pages.answers import rendered
from mock_server.pages.links import Link, Stands, find
from mock_server.pages.operations import CHALLENGE, operation

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

View = Callable[[Call, Link], Answer]


def walk(sandbox: Sandbox, method: str, view: View, args: Mapping[str, str]) -> Response:
    """The response of a page, after all stages."""
    row, started_s = operation(CHALLENGE, method), sandbox.clock.monotonic()
    call = Call(sandbox, row, request.environ, args, sandbox.request_id(), started_s)
    answer = _answered(call, view)
    journal.write(call, answer)
    measure(call, answer)
    return finished(call, answer.with_headers(*own_headers(call)))


def _answered(call: Call, view: View) -> Answer:
    try:
        link = link_of(call)
        if answers.LOOK in call.headers:
            return Answer(204 if link.stands is Stands.OPEN else 200, b"")
        call.workspace, call.now, call.object_id = link.workspace, link.now, link.payment.payment_id
        call.operation = operation(link.kind, call.operation.method)
        return view(call, link) if is_left_alone(call) else line(call, lambda call: view(call, link))
    except Exception as error:
        call.refusal = refusal_of(call, error)
    gone = call.sandbox.evictions.find(call.args["merchant_id"]) if call.refusal.cause is Cause.LINK_UNKNOWN else None
    return refused(call.refusal, gone.text if gone else "")


def link_of(call: Call) -> Link:
    """The link of a call, as it is now. Refused as `link_unknown`."""
    pays = call.environ["PATH_INFO"].startswith("/payment_link/")
    return find(call.sandbox, call.args["payment_id"], call.args["merchant_id"], call.args.get("attempt_id"), pays=pays)


def refused(refusal: Refusal, more: str = "") -> Answer:
    """A refusal as a page, with `more` sentences."""
    status, message = said(refusal, more)
    return rendered("refused.html", status, message=message)
