"""The files of the stand-in as answers, each with headers that let nothing else run or be asked.

Script and frame can be called with a publishable key in their query. Then they belong to its workspace: its scenarios
decide whether they arrive (`checkout.script`, `checkout.frame`), and its journal tells of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flask import Response, request

from mock_server.contract.operation import Effect, Operation
from mock_server.domain.api_keys import ApiKey, KeyKind, parse
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.errors import Refusal
from mock_server.http import journal
from mock_server.http.context import Answer, Call
from mock_server.http.errors import answer_to
from mock_server.http.finish import finished, response
from mock_server.http.observe import explained, measure, refusal_of
from mock_server.http.pipeline import line
from mock_server.http.show import show

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

_ASSETS: Final = Path(__file__).with_name("assets")
_TYPES: Final = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; font-src * data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)
"""Shops of any origin may show the form, which loads and asks this server alone, but for a shop's fonts, and sends no
form anywhere."""
_FOR_ALL: Final = (("Cross-Origin-Resource-Policy", "cross-origin"), ("Access-Control-Allow-Origin", "*"))
_GROUPS: Final = ("succeeded", "declined", "3-D Secure")
_OTHER: Final = "Something else"


@cache
def _text(name: str) -> bytes:
    return _ASSETS.joinpath(name).read_bytes()


@cache
def _parts() -> dict[str, str]:
    """What the frame loads, by name, with its type."""
    found = sorted(path for path in _ASSETS.iterdir() if path.suffix in _TYPES and path.name != "HyperLoader.js")
    return {path.name: _TYPES[path.suffix] for path in found}


@cache
def _digest() -> str:
    """Part of the frame's addresses: another text has another one, so that browsers may keep what they have."""
    return sha256(b"".join(map(_text, _parts()))).hexdigest()[:16]


def script(sandbox: Sandbox) -> Response:
    """What a shop's page loads."""
    headers = (("Content-Type", _TYPES[".js"]), ("Cache-Control", "no-cache"), *_FOR_ALL)
    return _of_workspace(sandbox, "checkout.script", Answer(200, _text("HyperLoader.js"), headers))


def frame(sandbox: Sandbox) -> Response:
    """The page in the frame."""
    headers = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", POLICY),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
        _FOR_ALL[0],
    )
    page = _text("frame.html").replace(b"DIGEST", _digest().encode())
    return _of_workspace(sandbox, "checkout.frame", Answer(200, page, headers))


def part(sandbox: Sandbox, digest: str, name: str) -> Response:
    """A file that the frame loads. Nothing in it is about anybody, so everybody may have it."""
    if name not in _parts() or digest != _digest():
        return response(Answer(404, b""))
    kept = ("Cache-Control", "public, max-age=31536000, immutable")
    return response(Answer(200, _text(name), (("Content-Type", _parts()[name]), kept)))


def cards(sandbox: Sandbox) -> Response:
    """The test cards by what they do: one of those that do the same, and one of each network that just succeeds."""
    groups: dict[str, dict[tuple[str, str], dict[str, str]]] = {title: {} for title in (*_GROUPS, _OTHER)}
    for card in CARDS:
        does = card_effect(card.issuer)
        title = next((title for title in _GROUPS if does.startswith(title)), _OTHER)
        brand = card.brand if does == _GROUPS[0] else ""
        groups[title].setdefault((does, brand), {"number": card.number, "name": card.name, "does": does})
    shown = [{"title": title[0].upper() + title[1:], "cards": [*rows.values()]} for title, rows in groups.items()]
    return response(show([one for one in shown if one["cards"]]))


VIEWS: Final[dict[str, Callable[..., Response]]] = {"script": script, "frame": frame, "part": part, "cards": cards}
"""What answers each route."""


def _of_workspace(sandbox: Sandbox, name: str, answer: Answer) -> Response:
    """An answer as the scenarios of a workspace let it leave; without a key that opens one, as it is."""
    key = parse(request.args.get("key"))
    if not isinstance(key, ApiKey) or key.kind is not KeyKind.PUBLISHABLE:
        return response(answer)
    operation = Operation(name, "GET", request.path, frozenset(), Effect.READ, "", "", "ours")
    call = Call(sandbox, operation, request.environ, {}, sandbox.request_id(), sandbox.clock.monotonic())
    try:
        call.workspace = sandbox.workspace(key)
    except Refusal:  # the form says so, with the first call that it makes
        return response(answer)
    call.now = call.workspace.catch_up()
    try:
        answer = line(call, lambda _: answer)
    except Exception as error:
        call.refusal = refusal_of(call, error)
        answer = answer_to(call, call.dialect, call.refusal)
    journal.write(call, Answer(answer.status, b"", answer.headers))
    measure(call, answer)
    return finished(call, explained(call, answer))
