"""The stages of a call, in the order of one tuple; they are left in reverse order, also after an error.

Order: decisions "Order of checks". Size, path and method are checked before, by the server and the router.
"""

from __future__ import annotations

from collections.abc import Callable

from mock_server.http.context import Answer, Call
from mock_server.http.pipeline.authenticate import authenticate
from mock_server.http.pipeline.client import client
from mock_server.http.pipeline.faults import line
from mock_server.http.pipeline.idempotency import idempotency
from mock_server.http.pipeline.observe import observe
from mock_server.http.pipeline.parse import parse
from mock_server.http.pipeline.rate_limit import rate_limit

Endpoint = Callable[[Call], Answer]
Stage = Callable[[Call, Endpoint], Answer]

STAGES: tuple[Stage, ...] = (observe, authenticate, rate_limit, parse, line, idempotency, client)


def walk(endpoint: Endpoint, stages: tuple[Stage, ...] = STAGES) -> Endpoint:
    """The endpoint behind all stages."""
    for stage in reversed(stages):
        endpoint = _behind(stage, endpoint)
    return endpoint


def _behind(stage: Stage, proceed: Endpoint) -> Endpoint:
    def step(call: Call) -> Answer:
        return stage(call, proceed)

    return step
