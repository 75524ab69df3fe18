"""Rules for browsers, in a layer around the app: they apply to every path, and errors have the headers too.

Under `/_sandbox` every call must use a host name of this server; elsewhere only calls that are recognised as those of
a browser. Preflights of the API always succeed. Pages of any site can read answers to calls with a publishable or an
ephemeral key or without a key, and none to a secret or an admin key (decisions "Words on the wire", "Control API").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from mock_server.contract.operations import HEALTH
from mock_server.domain.api_keys import ApiKey, KeyKind, KeyProblem, parse
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.faults import PARKED
from mock_server.http.asked import FROM_BROWSERS, forwarding_mistake, host_of, is_own_host, page_of
from mock_server.http.running import Answer, Environ, StartResponse, Wsgi
from mock_server.sandbox.workspaces import FROM_PAGE
from mock_server.settings import Settings

STEERED: Final = "/_sandbox"
BROWSER: Final = "Mozilla/"
"""How the `User-Agent` of every browser begins; pages cannot change it in most."""
ANY_ORIGIN: Final = ("Access-Control-Allow-Origin", "*")
SHOWN: Final = (
    "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After",
    "X-Sandbox-Because", "X-Sandbox-Replayed",
)  # fmt: skip
READABLE: Final = (ANY_ORIGIN, ("Access-Control-Expose-Headers", ", ".join(SHOWN)))
REMEMBERED_S: Final = 86_400
_OF_PAGES: Final = frozenset({KeyKind.PUBLISHABLE, KeyKind.EPHEMERAL})


class Browsers(Struct, frozen=True, eq=False):
    """A WSGI app around another one.

    `methods` gives the methods of a path, `refuse` answers with an error; paths that begin with `own_page` show the
    error for a foreign name as a page. `headers` gives those of every answer, for preflights.
    """

    _app: Wsgi
    _settings: Settings
    _methods: Callable[[str], Iterable[str]]
    _refuse: Callable[[Environ, StartResponse, Refusal], Iterable[bytes]]
    _own_page: str
    _headers: Callable[[], Iterable[tuple[str, str]]]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if self._settings.trust_proxy and (reason := forwarding_mistake(environ, self._settings)):
            return self._refuse(environ, start_response, Refusal(Cause.REQUEST_MALFORMED, reason=reason))
        if path.startswith(STEERED):
            is_open = path in HEALTH or path.startswith(self._own_page)
        else:
            is_open = environ.keys().isdisjoint(FROM_BROWSERS)
        if is_open and not environ.get("HTTP_USER_AGENT", "").startswith(BROWSER):
            return self._app(environ, start_response)
        host = host_of(environ, self._settings)
        if is_own_host(host, self._settings):
            if is_open:
                return self._app(environ, start_response)
            origin = page_of(environ, self._settings, f"{STEERED}/")
        elif is_open:  # over plain HTTP, only its name tells a page under a foreign name from a program's user agent
            origin = host
        else:
            return self._refuse(environ, start_response, Refusal(Cause.HOST_FORBIDDEN, host=host))
        page = FROM_PAGE.set(origin)
        try:
            if path.startswith(STEERED) or "HTTP_ORIGIN" not in environ:
                return self._app(environ, start_response)
            return self._from_page(path, environ, start_response)
        finally:
            FROM_PAGE.reset(page)

    def _from_page(self, path: str, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        wanted = environ.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD")
        if wanted is not None and environ["REQUEST_METHOD"] == "OPTIONS":
            allowed = [ANY_ORIGIN, ("Access-Control-Allow-Methods", ", ".join(sorted(self._methods(path)) or [wanted]))]
            if names := environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS"):
                allowed.append(("Access-Control-Allow-Headers", names))
            allowed += [("Access-Control-Max-Age", str(REMEMBERED_S)), *self._headers()]
            start_response("204 No Content", allowed)
            return []
        key = parse(environ.get("HTTP_API_KEY"))
        # On some routes, any text that is not a key is an admin key.
        if not (key.kind in _OF_PAGES if isinstance(key, ApiKey) else key is not KeyProblem.MALFORMED):
            return self._app(environ, start_response)
        body = self._app(environ, _opened(start_response))
        if PARKED in environ:
            environ[PARKED] = environ[PARKED].changed(
                lambda late: Answer(late.status, late.body, (*late.headers, *READABLE))
            )
        return body


def _opened(start_response: StartResponse) -> StartResponse:
    def opened(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
        return start_response(status, [*headers, *READABLE], *more)

    return opened
