"""Who may use the control API: programs from anywhere, browsers only from this server's own pages.

A page of a foreign site must not steer a sandbox that happens to run on its visitor's machine. That the host's name is
our own is asked before, of every call under `/_sandbox` (`http/browsers.py`). Source: decisions "Control API".
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, Final

from mock_server.domain.errors import Cause, Refusal
from mock_server.http.asked import Asked, is_own_origin, read
from mock_server.settings import Settings

TOKEN_HEADER: Final = "X-Sandbox-Token"
_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})


def guard(environ: Mapping[str, Any], settings: Settings, *, opens: bool = False) -> None:
    """Refused as `control_origin_forbidden`, `control_token_wrong`."""
    asked = read(environ, settings, opens=opens)
    if _is_foreign_origin(asked, settings) or _is_from_elsewhere(asked):
        raise Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin=asked.origin or asked.site)
    if _lacks_token(asked, settings):
        raise Refusal(Cause.CONTROL_TOKEN_WRONG)


def _is_foreign_origin(asked: Asked, settings: Settings) -> bool:
    return asked.origin is not None and not is_own_origin(asked, settings)


def _is_from_elsewhere(asked: Asked) -> bool:
    return asked.site in _ELSEWHERE and not (asked.opens and asked.navigates)


def _lacks_token(asked: Asked, settings: Settings) -> bool:
    wanted = settings.control_token
    if not wanted:
        return False
    given = (asked.token or "").encode("latin-1", "replace")
    return not hmac.compare_digest(given, wanted.encode())
