"""The outermost stage: whatever happens inside becomes an answer, a line in the journal, and headers that say why."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from mock_server.domain.errors import Cause, Refusal
from mock_server.http import journal
from mock_server.http.because import header_text
from mock_server.http.context import Answer, Call
from mock_server.http.errors import answer_to
from mock_server.http.measuring import about, measure
from mock_server.http.pipeline import rate_limit

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

LOG = logging.getLogger("mock_server.http")


def observe(call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    """Answers, explains and writes down, whatever the rest of the pipeline raises."""
    answer = _answered(call, proceed)
    journal.write(call, answer)
    measure(call, answer)
    return answer.with_headers(*rate_limit.headers(call), *_headers(call))


def _answered(call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    try:
        return proceed(call)
    except Refusal as refusal:
        call.refusal = refusal
    except Exception as defect:
        LOG.error("defect %s in %s\n%s", call.request_id, call.operation.name, places(defect), extra=about(call))
        call.refusal = Refusal(Cause.INTERNAL, reference=call.request_id)
    return answer_to(call, call.dialect, call.refusal)


def places(defect: BaseException) -> str:
    """Where a defect happened, and its type; its message stays out, which could repeat what the caller sent."""
    lines = "".join(traceback.format_tb(defect.__traceback__))
    return f"{lines}{type(defect).__name__}"


def _headers(call: Call) -> list[tuple[str, str]]:
    headers = [("X-Request-Id", call.request_id)]
    if call.sandbox.settings.plain_headers:
        return headers
    if call.replayed:
        headers.append(("X-Sandbox-Replayed", "true"))
    because = call.because if call.replayed else header_text(call.notes)
    if because:
        headers.append(("X-Sandbox-Because", because))
    return headers


def stray_headers(sandbox: Sandbox, request_id: str) -> tuple[tuple[str, str], ...]:
    """What every answer carries that belongs to no operation."""
    return (*rate_limit.headers_of(sandbox.count_stray()), ("X-Request-Id", request_id))
