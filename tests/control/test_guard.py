"""Who may use the control API: every combination of what a request says of where it comes from."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.wire import Wire, wire

SETTINGS: dict[str, Any] = {
    "host": "sandbox.internal",
    "public_url": "https://pay.example.test",
    "control_origins": ("http://ui.example:3000",),
}


@pytest.fixture(scope="module")
def guarded() -> Wire:
    return wire(**SETTINGS)


def asked(api: Wire, **headers: str) -> tuple[int, str]:
    """The status of a call, and its code where it was refused."""
    reply = api.call("GET", "/_sandbox/livez", headers={name.replace("_", "-"): text for name, text in headers.items()})
    return reply.status, "" if reply.status == 200 else reply.error["code"]


ORIGINS = [
    ("http://localhost:12190", True),
    ("http://LOCALHOST:12190", True),
    ("http://ui.example:3000", True),
    ("https://pay.example.test", True),
    ("https://pay.example.test:443", True),
    ("http://localhost", False),
    ("http://localhost:3000", False),
    ("https://localhost:12190", False),
    ("http://127.0.0.1:12190", False),
    ("http://ui.example", False),
    ("https://ui.example:3000", False),
    ("http://pay.example.test", False),
    ("http://evil.example", False),
    ("http://localhost:12190.evil.example", False),
    ("null", False),
    ("", False),
    ("file://", False),
    ("http://localhost:99999", False),
]


@pytest.mark.parametrize(("origin", "own"), ORIGINS)
def test_a_page_must_be_ours_or_configured(guarded: Wire, origin: str, own: bool) -> None:
    assert asked(guarded, Host="localhost:12190", Origin=origin)[0] == (200 if own else 403)


@pytest.mark.parametrize(
    ("site", "mode", "dest"),
    list(
        product(
            ["same-origin", "none", "same-site", "cross-site"],
            ["navigate", "cors", "no-cors"],
            ["document", "iframe", "empty"],
        )
    ),
)
def test_a_call_from_another_site_is_refused_however_it_is_made(guarded: Wire, site: str, mode: str, dest: str) -> None:
    status, _ = asked(guarded, Host="localhost", Sec_Fetch_Site=site, Sec_Fetch_Mode=mode, Sec_Fetch_Dest=dest)
    assert status == (403 if site in ("same-site", "cross-site") else 200)


@pytest.mark.parametrize(
    ("method", "mode", "dest", "site", "allowed"),
    [
        (method, mode, dest, site, (method, mode, dest) == ("GET", "navigate", "document") or site == "same-origin")
        for method, mode, dest, site in product(
            ["GET", "POST"], ["navigate", "cors"], ["document", "iframe"], ["cross-site", "same-site", "same-origin"]
        )
    ],
)
def test_pages_to_look_at_may_be_opened_from_a_link(
    method: str, mode: str, dest: str, site: str, allowed: bool
) -> None:
    from mock_server.control.stages import guard
    from mock_server.domain.errors import Refusal
    from mock_server.settings import Settings

    environ = {
        "REQUEST_METHOD": method, "wsgi.url_scheme": "http", "HTTP_HOST": "localhost:12190",
        "HTTP_SEC_FETCH_SITE": site, "HTTP_SEC_FETCH_MODE": mode, "HTTP_SEC_FETCH_DEST": dest,
    }  # fmt: skip
    try:
        guard(environ, Settings(), opens=True)
        found = True
    except Refusal:
        found = False
    assert found is allowed


@pytest.mark.parametrize(("given", "status"), [(None, 401), ("", 401), ("wrong", 401), ("sésame", 200), ("sésam", 401)])
def test_a_token_is_demanded_where_one_is_set(given: str | None, status: int) -> None:
    api = wire(control_token="sésame")
    headers = {} if given is None else {"X-Sandbox-Token": given.encode().decode("latin-1")}
    reply = api.call("GET", "/_sandbox/workspaces", headers=headers)
    assert reply.status == status


def test_a_refusal_says_what_it_is_about(guarded: Wire) -> None:
    reply = guarded.call("GET", "/_sandbox/livez", headers={"Host": "localhost", "Origin": "http://evil.example"})
    assert "http://evil.example" in reply.error["message"]
    assert reply.headers["X-Request-Id"]
    assert not [name for name in reply.headers if name.startswith("Access-Control-")]
