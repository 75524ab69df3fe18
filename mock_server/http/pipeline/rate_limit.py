"""How many calls a merchant may make in a minute of its workspace (interface §8.4; the number is ours)."""

from __future__ import annotations

from collections.abc import Callable

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.rate_limit import Usage
from mock_server.http.context import Answer, Call


def rate_limit(call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    """Counts the call. Refused as `rate_limited` or `rate_limited_frozen`."""
    usage = call.usage = call.home.count_call(call.now)
    if usage.over:
        cause = Cause.RATE_LIMITED_FROZEN if usage.frozen else Cause.RATE_LIMITED
        raise Refusal(cause, limit=usage.limit, seconds=usage.seconds_left)
    return proceed(call)


def headers(call: Call) -> tuple[tuple[str, str], ...]:
    """The three headers of interface §8.4; a call of no workspace counts in one bucket of the server."""
    usage = call.usage
    if usage is None:
        usage = call.workspace.count_call(call.now) if call.workspace else call.sandbox.count_stray()
    return headers_of(usage)


def headers_of(usage: Usage) -> tuple[tuple[str, str], ...]:
    """The three headers that tell of a call's place in its window."""
    return (
        ("X-RateLimit-Limit", str(usage.limit)),
        ("X-RateLimit-Remaining", str(usage.remaining)),
        ("X-RateLimit-Reset", str(usage.reset_at_s)),
    )
