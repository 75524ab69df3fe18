"""Who can use the control API: programs from anywhere, browsers only from this server's own pages.

A page of another site must not control a sandbox on its visitor's machine. The host's name was checked before, for all
calls under `/_sandbox` (`http/browsers.py`).
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, Final

from mock_server.domain.errors import Cause, Refusal
from mock_server.http.asked import is_own_origin, read
from mock_server.settings import Settings

TOKEN_HEADER: Final = "X-Sandbox-Token"
_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})


def guard(environ: Mapping[str, Any], settings: Settings, *, opens: bool = False) -> None:
    """Refused as `control_origin_forbidden`, `control_token_wrong`."""
    asked = read(environ, settings, opens=opens)
    is_foreign = asked.origin is not None and not is_own_origin(asked, settings)
    if is_foreign or (asked.site in _ELSEWHERE and not (asked.opens and asked.navigates)):
        raise Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin=asked.origin or asked.site)
    given = (asked.token or "").encode("latin-1", "replace")
    if settings.control_token and not hmac.compare_digest(given, settings.control_token.encode()):
        raise Refusal(Cause.CONTROL_TOKEN_WRONG)
