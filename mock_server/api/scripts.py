"""What a checkout's script fetches and sends: its configuration, its log (ours: what it reads).

The log belongs to no workspace, and nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mock_server.contract.answers.offered import SCRIPT_CONFIG
from mock_server.contract.operation import Effect, Operation
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.offers import AskOffer
from mock_server.engine.vault import offers
from mock_server.http.authenticate import SECRET
from mock_server.http.binding import show, show_as
from mock_server.http.express import serve
from mock_server.http.observe import stray_headers
from mock_server.http.pipeline import walk
from mock_server.http.running import Answer, Call, Environ, run

if TYPE_CHECKING:
    from mock_server.http.express import PageView
    from mock_server.sandbox import Sandbox

LOGS: Final = "sdk.logs"
"""The name of these logs in the metrics."""
CONFIG: Final = Operation(
    "sdk.config",
    "GET",
    "/v1/sdk/configs/<platform>/sdk_config.json",
    frozenset((KeyKind.SECRET, KeyKind.PUBLISHABLE)),
    Effect.READ,
    "List the fields that a script draws for each method.",
    "configuration",
    "ours",
    without_secret=True,
)
_EMPTY: Final[dict[str, object]] = {"raw_configs": {}, "payment_methods": [], "account_config": {}, "context_used": {}}
"""The configuration for a call without a key, which is enough for cards and redirects."""
_KEYS: Final = ("HTTP_API_KEY", "HTTP_AUTHORIZATION")


def _of_profile(call: Call) -> Answer:
    """The configuration for the payment of a client_secret; without one, for the default profile."""
    return show_as(call, SCRIPT_CONFIG, run(call, offers.offering, AskOffer(call.query.get(SECRET))))


_CONFIGURED: Final = walk(CONFIG, _of_profile)


def views(sandbox: Sandbox) -> Mapping[str, PageView]:
    """The views of both."""

    def answered(answer: Answer) -> Answer:
        return answer.with_headers(*stray_headers(sandbox, sandbox.request_id()))

    def log(environ: Environ) -> Answer:
        sandbox.counts.call(LOGS, 204, 0.0)
        return answered(Answer(204, b""))

    def config(environ: Environ, platform: str) -> Answer:
        if any(name in environ for name in _KEYS):
            return serve(sandbox, CONFIG, _CONFIGURED, environ, {"platform": platform})
        return answered(show(_EMPTY))

    return {"log": log, "config": config}
