"""Where a request comes from, and which host names and pages belong to this server.

A foreign site can resolve its own host name to this machine (DNS rebinding). For a browser, its page then has the same
origin as this server, and over plain HTTP its requests look like those of a program, except for the host name.
IP addresses cannot be rebound, and names without a dot belong to this machine, to compose networks and to CI.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address, ip_network
from operator import itemgetter
from typing import Any, Final
from urllib.parse import parse_qsl

from msgspec import Struct

from mock_server.addresses import is_host, reachable, split
from mock_server.settings import Settings
from mock_server.settings.table import EVERYWHERE

FROM_BROWSERS: Final = (
    "HTTP_ORIGIN", "HTTP_SEC_FETCH_SITE", "HTTP_SEC_FETCH_DEST", "HTTP_SEC_FETCH_USER", "HTTP_SEC_FETCH_STORAGE_ACCESS",
)  # fmt: skip
"""Headers that browsers send, and pages cannot set; Node's `fetch` sends `Sec-Fetch-Mode` too."""
_PORTS: Final = {"http": 80, "https": 443}
_OCTET: Final = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_NUMBER: Final = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}(?::\d*)?|\[[0-9a-f.:]+\](?::\d*)?", re.ASCII)
_NEAR: Final = frozenset({"localhost", "host.docker.internal"})


class Asked(Struct, frozen=True):
    """Where a request comes from; `host` and `origin` as sent, `navigates`: a browser's window goes to it."""

    host: str
    origin: str | None
    scheme: str
    site: str | None
    navigates: bool


def read(environ: Mapping[str, Any], settings: Settings) -> Asked:
    """Reads it from the environ."""
    navigates = environ.get("HTTP_SEC_FETCH_MODE") == "navigate" and environ.get("HTTP_SEC_FETCH_DEST") == "document"
    return Asked(
        host=host_of(environ, settings),
        origin=environ.get("HTTP_ORIGIN"),
        scheme=scheme_of(environ, settings),
        site=environ.get("HTTP_SEC_FETCH_SITE"),
        navigates=environ["REQUEST_METHOD"] == "GET" and navigates,
    )


def whole(text: str, digits: int = 15) -> int:
    """A whole number of at most so many digits, else 0."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else 0


def param(environ: Mapping[str, Any], name: str) -> str | None:
    """The first value of a parameter in the query."""
    pairs = parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    return next((value for key, value in pairs if key == name), None)


def wish(accept: str, name: str) -> tuple[float, int]:
    """How much the client wants an answer of a type or encoding, from 0 to 1, and how exactly its header names it."""
    found = (0.0, -1)
    for part in accept.lower().split(","):
        wanted, *more = part.replace(" ", "").split(";")
        exactly = (("*", "*/*"), (name.partition("/")[0] + "/*",), (name,))
        said = next((one[2:] for one in more if one.startswith("q=")), "1")
        quality = float(said) if re.fullmatch(r"[01](\.\d{0,3})?", said, re.ASCII) else 0.0
        found = max([found, *((quality, at) for at, names in enumerate(exactly) if wanted in names)], key=itemgetter(1))
    return found if found[0] else (0.0, -1)


def host_of(environ: Mapping[str, Any], settings: Settings) -> str:
    """The host as the browser sent it, with its port."""
    return _forwarded(environ, settings, "HTTP_X_FORWARDED_HOST") or environ.get("HTTP_HOST", "").lower()


def base_of(environ: Mapping[str, Any], settings: Settings) -> str:
    """The server's URL, as the client uses it; the one on its own machine for a client that names no host."""
    scheme, host = scheme_of(environ, settings), host_of(environ, settings)
    return f"{scheme}://{host}" if host else reachable(environ["SERVER_NAME"], int(environ["SERVER_PORT"]), scheme)


def scheme_of(environ: Mapping[str, Any], settings: Settings) -> str:
    """The scheme as the browser used it."""
    return _forwarded(environ, settings, "HTTP_X_FORWARDED_PROTO") or environ["wsgi.url_scheme"]


def forwarding_mistake(environ: Mapping[str, Any], settings: Settings) -> str:
    """What is wrong with the word of a trusted proxy; links in answers would begin with it."""
    scheme, host = scheme_of(environ, settings), _forwarded(environ, settings, "HTTP_X_FORWARDED_HOST")
    if scheme not in _PORTS:
        return "X-Forwarded-Proto is neither http nor https"
    return "the X-Forwarded-Host field is not one host" if host and not is_host(host) else ""


def _forwarded(environ: Mapping[str, Any], settings: Settings, name: str) -> str:
    """What a trusted proxy says in a header; its own word is the last one."""
    if not settings.trust_proxy or name not in environ:
        return ""
    if not _is_trusted(environ.get("REMOTE_ADDR", ""), settings.trust_proxy):
        return ""
    return str(environ[name]).rpartition(",")[2].strip().lower()


@lru_cache(maxsize=256)
def _is_trusted(peer: str, networks: tuple[str, ...]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:  # another server's name for a socket without an address
        return networks == EVERYWHERE
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in ip_network(one) for one in networks)


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a `Host` cannot be a foreign name for this server; a missing one is accepted."""
    name = host.partition(":")[0]
    if _NUMBER.fullmatch(host) or ("." not in name and "[" not in name):
        return True
    name = name.removesuffix(".")
    if name in _NEAR or name.endswith(".localhost"):
        return True
    public = split(settings.public_url).hostname if settings.public_url else None
    allowed = (host.partition(":")[0].removesuffix(".") for host in settings.allowed_hosts)
    return name in {settings.host.lower(), *settings.tls_name, *allowed, public}


def is_own_origin(asked: Asked, settings: Settings) -> bool:
    """Whether the calling page belongs to this server, or has a configured origin."""
    origin = (asked.origin or "").lower()
    ours = (f"{asked.scheme}://{asked.host}", settings.public_url or "", *settings.control_origins)
    return origin_of(origin) in {origin_of(url.lower()) for url in ours} - {""}


def is_token(given: str, settings: Settings) -> bool:
    """Whether a header's text is the control token; where none is set, every text is."""
    token = settings.control_token
    return not token or hmac.compare_digest(given.encode("latin-1", "replace"), token.encode())


def page_of(environ: Mapping[str, Any], settings: Settings, tools: str) -> str | None:
    """The origin of the page that calls; None for a program, and for this server's own pages with paths below `tools`.

    `Sec-Fetch-Mode` alone is no sign of a page.
    """
    site = environ.get("HTTP_SEC_FETCH_SITE", "none")
    if "HTTP_ORIGIN" not in environ and site == "none":
        return None
    asked, page = read(environ, settings), environ.get("HTTP_REFERER", "")
    is_own = site in ("none", "same-origin") and (asked.origin is None or is_own_origin(asked, settings))
    bases = (f"{asked.scheme}://{asked.host}", settings.public_url or "")
    return None if is_own and page.startswith(tuple(base + tools for base in bases)) else asked.origin or site


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, without the default port; empty if it is not a URL."""
    try:
        parts = split(url)
        port = parts.port
    except ValueError:  # brackets around no address, or no port
        return ""
    if parts.scheme not in _PORTS or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, _PORTS[parts.scheme]) else f":{port}")
