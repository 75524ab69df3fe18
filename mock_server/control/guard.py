"""Who may use the control API: programs from anywhere, browsers only from this server's own pages.

A page of a foreign site must not steer a sandbox that happens to run on its visitor's machine, whether it calls
across origins or lets a host name of its own lead here. Source: decisions "Control API".
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.values import frozen
from mock_server.settings import Settings

TOKEN_HEADER: Final = "X-Sandbox-Token"
_FETCH: Final = "HTTP_SEC_FETCH_"
_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})
_PORTS: Final = {"http": 80, "https": 443}


@frozen
class Asked:
    """What a request says of where it comes from. `host` and `origin` as sent; `opens`: a page to navigate to."""

    host: str
    origin: str | None
    scheme: str
    site: str | None
    from_browser: bool
    navigates: bool
    token: str | None
    opens: bool


class Rule(NamedTuple):
    """One reason to refuse, and how that is said."""

    name: str
    refuses: Callable[[Asked, Settings], bool]
    refusal: Callable[[Asked], Refusal]


def guard(environ: Mapping[str, Any], settings: Settings, *, opens: bool = False) -> None:
    """Refused as `control_host_forbidden`, `control_origin_forbidden`, `control_token_wrong`."""
    asked = read(environ, settings, opens=opens)
    for rule in RULES:
        if rule.refuses(asked, settings):
            raise rule.refusal(asked)


def read(environ: Mapping[str, Any], settings: Settings, *, opens: bool = False) -> Asked:
    """What a request says, out of its environ."""
    origin = environ.get("HTTP_ORIGIN")
    navigates = environ.get("HTTP_SEC_FETCH_MODE") == "navigate" and environ.get("HTTP_SEC_FETCH_DEST") == "document"
    return Asked(
        host=_host(environ, settings),
        origin=origin,
        scheme=_scheme(environ, settings),
        site=environ.get("HTTP_SEC_FETCH_SITE"),
        from_browser=origin is not None or any(name.startswith(_FETCH) for name in environ),
        navigates=environ["REQUEST_METHOD"] == "GET" and navigates,
        token=environ.get("HTTP_X_SANDBOX_TOKEN"),
        opens=opens,
    )


def _host(environ: Mapping[str, Any], settings: Settings) -> str:
    forwarded = environ.get("HTTP_X_FORWARDED_HOST") if settings.trust_proxy else None
    host: str = forwarded or environ.get("HTTP_HOST", "")
    return host.split(",")[0].strip().lower()


def _scheme(environ: Mapping[str, Any], settings: Settings) -> str:
    forwarded = environ.get("HTTP_X_FORWARDED_PROTO") if settings.trust_proxy else None
    scheme: str = forwarded or environ["wsgi.url_scheme"]
    return scheme.split(",")[0].strip().lower()


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a `Host` cannot be somebody else's name for this server."""
    name = host_name(host)
    configured = {settings.host.lower(), host_name(_netloc(settings.public_url)), *settings.control_hosts}
    return bool(name) and (name == "localhost" or name in configured or _is_near(name))


def host_name(host: str) -> str:
    """A `Host` without its port, brackets and last dot."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].removesuffix(".")


def _is_near(name: str) -> bool:
    """Whether this is the address of this machine or of a private network."""
    from ipaddress import IPv6Address, ip_address  # late: it is slow to import, and a browser rarely gives a number

    try:
        address = ip_address(name)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return _is_near(str(address.ipv4_mapped))
    return address.is_loopback or address.is_private


def is_own_origin(asked: Asked, settings: Settings) -> bool:
    """Whether the page that calls is one of this server's own, or a configured one."""
    origin = (asked.origin or "").lower()
    ours = (f"{asked.scheme}://{asked.host}", settings.public_url or "", *settings.control_origins)
    own = {origin_of(url.lower()) for url in ours}
    return origin != "null" and origin_of(origin) in own - {""}


def origin_of(url: str) -> str:
    """Scheme, host and port of an address, without the port that goes without saying; empty if it is none."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, _PORTS[parts.scheme]) else f":{port}")


def _netloc(url: str | None) -> str:
    return urlsplit(url).netloc.lower() if url else ""


def _is_foreign_host(asked: Asked, settings: Settings) -> bool:
    return asked.from_browser and not is_own_host(asked.host, settings)


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


def _host_forbidden(asked: Asked) -> Refusal:
    return Refusal(Cause.CONTROL_HOST_FORBIDDEN, host=asked.host)


def _origin_forbidden(asked: Asked) -> Refusal:
    return Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin=asked.origin or asked.site)


RULES: Final = (
    Rule("foreign host", _is_foreign_host, _host_forbidden),
    Rule("foreign origin", _is_foreign_origin, _origin_forbidden),
    Rule("foreign site", _is_from_elsewhere, _origin_forbidden),
    Rule("token", _lacks_token, lambda _: Refusal(Cause.CONTROL_TOKEN_WRONG)),
)
"""Every reason to refuse, in the order in which they are looked at."""
