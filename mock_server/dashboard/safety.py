"""Who may use the dashboard: only this server's own pages, under one of its host names (decisions "Control API").

In addition to the control API's checks, every request needs such a host name, and a button needs a header of the
browser that says that its page is of this server. The `control_token` is requested once, and then kept in a cookie that
pages of other sites do not send.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from mock_server.control.stages import guard
from mock_server.dashboard.places import HOME
from mock_server.domain.errors import Cause, Refusal
from mock_server.http import asked as asking
from mock_server.http.running import HTML, NO_STORE
from mock_server.settings import Settings

COOKIE: Final = "payment_sandbox_ui"
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = (
    HTML,
    ("Content-Security-Policy", POLICY),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    NO_STORE,
)
"""The headers of every page: only our own files, no frames, no caching."""


def check(environ: Mapping[str, Any], settings: Settings) -> None:
    """Refused as `host_forbidden`, `control_origin_forbidden`, `control_token_wrong`."""
    asked = asking.read(environ, settings)
    if not asking.is_own_host(asked.host, settings):
        raise Refusal(Cause.HOST_FORBIDDEN, host=asked.host)
    says_own = asked.origin is not None or asked.site == "same-origin"
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD") and not says_own:
        raise Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin="none")
    token = settings.control_token
    pairs = (pair.strip().partition("=") for pair in environ.get("HTTP_COOKIE", "").split(";"))
    given = next((value for name, _, value in pairs if name == COOKIE), "")
    if token and hmac.compare_digest(given.encode(), _sign(token).encode()):
        environ = {**environ, "HTTP_X_SANDBOX_TOKEN": token}
    guard(environ, settings, opens=True)


def _sign(token: str) -> str:
    """The cookie's value, from which the token cannot be derived."""
    return blake2b(token.encode(), digest_size=24, person=b"dashboard").hexdigest()


def remember(settings: Settings, scheme: str) -> tuple[str, str]:
    """The header that sets the cookie."""
    secure = "; Secure" if scheme == "https" else ""
    value = f"{COOKIE}={_sign(settings.control_token or '')}; Path={HOME}; HttpOnly; SameSite=Strict{secure}"
    return "Set-Cookie", value


def file_headers(name: str) -> tuple[tuple[str, str], ...]:
    """The headers of a file to download, or of a picture in a page."""
    return (
        ("Content-Type", "image/svg+xml" if name.endswith(".svg") else "text/plain; charset=utf-8"),
        ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
        ("Content-Disposition", f'attachment; filename="{name}"'),
        ("X-Content-Type-Options", "nosniff"),
        NO_STORE,
    )
