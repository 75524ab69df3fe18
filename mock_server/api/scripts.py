"""What a checkout's script fetches and sends without a key: its configuration, its log (ours: what it reads).

These are no calls of the API: they belong to no workspace, and nothing of the log is stored.
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
"""The name of these logs in the metrics."""
_CONFIG: Final[dict[str, object]] = {"raw_configs": {}, "payment_methods": [], "account_config": {}, "context_used": {}}
"""Nothing is configured, which is enough for cards and redirects."""


def blueprint(sandbox: Sandbox) -> Blueprint:
    """Both as Flask routes."""
    made = Blueprint("scripts", __name__)

    def answered(answer: Answer) -> Response:
        return response(answer.with_headers(*stray_headers(sandbox, sandbox.request_id())))

    def log() -> Response:
        sandbox.counts.call(LOGS, 204, 0.0)
        return answered(Answer(204, b""))

    config = "/v1/sdk/configs/<platform>/sdk_config.json"
    made.add_url_rule(config, "config", lambda platform: answered(show(_CONFIG)), methods=["GET"])
    made.add_url_rule("/logs/sdk", "log", log, methods=["POST"])
    return made
