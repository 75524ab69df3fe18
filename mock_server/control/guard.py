"""Who may use the control API: programs from anywhere, browsers only from this server's own pages.

A page of a foreign site must not steer a sandbox that happens to run on its visitor's machine. That the host's name is
our own is asked before, of every call under `/_sandbox` (`http/browsers.py`). Source: decisions "Control API".
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mock_server.domain.errors import Cause, Refusal
from mock_server.http.asked import Asked, is_own_origin, read
from mock_server.settings import Settings

TOKEN_HEADER: Final = "X-Sandbox-Token"
_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})


class Rule(NamedTuple):
    """One reason to refuse, and how that is said."""

    name: str
    refuses: Callable[[Asked, Settings], bool]
    refusal: Callable[[Asked], Refusal]


def guard(environ: Mapping[str, Any], settings: Settings, *, opens: bool = False) -> None:
    """Refused as `control_origin_forbidden`, `control_token_wrong`."""
    asked = read(environ, settings, opens=opens)
    for rule in RULES:
        if rule.refuses(asked, settings):
            raise rule.refusal(asked)


def _is_foreign_origin(asked: Asked, settings: Settings) -> bool:
    return asked.origin is not None and not is_own_origin(asked, settings)


def _is_from_elsewhere(asked: Asked, settings: Settings) -> bool:
    return asked.site in _ELSEWHERE and not (asked.opens and asked.navigates)


def _lacks_token(asked: Asked, settings: Settings) -> bool:
    wanted = settings.control_token
    if not wanted:
        return False
    given = (asked.token or "").encode("latin-1", "replace")
    return not hmac.compare_digest(given, wanted.encode())


def _origin_forbidden(asked: Asked) -> Refusal:
    return Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin=asked.origin or asked.site)


RULES: Final = (
    Rule("foreign origin", _is_foreign_origin, _origin_forbidden),
    Rule("foreign site", _is_from_elsewhere, _origin_forbidden),
    Rule("token", _lacks_token, lambda _: Refusal(Cause.CONTROL_TOKEN_WRONG)),
)
"""Every reason to refuse, in the order in which they are looked at."""
