"""What a checkout's script fetches and tells without a key: its configuration, its log (ours: what it reads).

They are no calls of the API: no workspace is theirs, and nothing of what is told is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response

from mock_server.http.context import Answer
from mock_server.http.finish import response
from mock_server.http.observe import stray_headers
from mock_server.http.show import show

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

LOGS: Final = "sdk.logs"
"""How the metrics call what a script tells of itself."""
_CONFIG: Final[dict[str, object]] = {"raw_configs": {}, "payment_methods": [], "account_config": {}, "context_used": {}}
"""Nothing is configured, which does for cards and redirects."""


def blueprint(sandbox: Sandbox) -> Blueprint:
    """Both as Flask serves them."""
    made = Blueprint("scripts", __name__)

    def answered(answer: Answer) -> Response:
        return response(answer.with_headers(*stray_headers(sandbox, sandbox.request_id())))

    def told() -> Response:
        sandbox.counts.call(LOGS, 204, 0.0)
        return answered(Answer(204, b""))

    config = "/v1/sdk/configs/<platform>/sdk_config.json"
    made.add_url_rule(config, "config", lambda platform: answered(show(_CONFIG)), methods=["GET"])
    made.add_url_rule("/logs/sdk", "told", told, methods=["POST"])
    return made
