"""The files of the checkout script as answers, with headers that allow nothing else.

Script and frame can have a publishable key in their query. Then the scenarios of its workspace apply
(`checkout.script`, `checkout.frame`), and its journal records them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import ApiKey, KeyKind, parse
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.errors import Refusal
from mock_server.http.asked import param
from mock_server.http.assets import TYPES, Assets
from mock_server.http.binding import show
from mock_server.http.errors import answer_to
from mock_server.http.finish import leave_plans
from mock_server.http.observe import explained, refusal_of
from mock_server.http.pipeline import with_faults
from mock_server.http.recording import enter, record
from mock_server.http.running import HTML, NO_STORE, Answer, Call, Environ
from mock_server.sandbox import Sandbox

ASSETS: Final = Assets(Path(__file__).with_name("assets"))
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; font-src * data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)
"""Shops of any origin can show the form; it connects only to this server, except for a shop's fonts."""
_FOR_ALL: Final = ("Cross-Origin-Resource-Policy", "cross-origin")
_GROUPS: Final = ("succeeded", "declined", "3-D Secure")
_OTHER: Final = "Something else"


def script(sandbox: Sandbox, environ: Environ) -> Answer:
    """The script that a shop's page loads."""
    headers = (("Content-Type", TYPES[".js"]), ("Cache-Control", "no-cache"), _FOR_ALL)
    return _of_workspace(sandbox, environ, "checkout.script", Answer(200, ASSETS.texts["HyperLoader.js"], headers))


def frame(sandbox: Sandbox, environ: Environ) -> Answer:
    """The page in the frame."""
    headers = (HTML, ("Content-Security-Policy", POLICY), ("Referrer-Policy", "no-referrer"), NO_STORE, _FOR_ALL)
    page = ASSETS.texts["frame.html"].replace(b"DIGEST", ASSETS.digest.encode())
    return _of_workspace(sandbox, environ, "checkout.frame", Answer(200, page, headers))


def part(sandbox: Sandbox, environ: Environ, digest: str, name: str) -> Answer:
    """A file that the frame loads."""
    return ASSETS.answer(digest, name)


def cards(sandbox: Sandbox, environ: Environ) -> Answer:
    """The test cards by their effect: one card for each, and for success one card of each network."""
    groups: dict[str, dict[tuple[str, str], dict[str, str]]] = {title: {} for title in (*_GROUPS, _OTHER)}
    for card in CARDS:
        does = card_effect(card.issuer)
        title = next((title for title in _GROUPS if does.startswith(title)), _OTHER)
        brand = card.brand if does == _GROUPS[0] else ""
        groups[title].setdefault((does, brand), {"number": card.number, "name": card.name, "does": does})
    shown = [{"title": title[0].upper() + title[1:], "cards": [*rows.values()]} for title, rows in groups.items()]
    return show([one for one in shown if one["cards"]])


VIEWS: Final[dict[str, Callable[..., Answer]]] = {"script": script, "frame": frame, "part": part, "cards": cards}


def _of_workspace(sandbox: Sandbox, environ: Environ, name: str, answer: Answer) -> Answer:
    """An answer with the faults of a workspace's scenarios; unchanged without a key of a workspace."""
    key = parse(param(environ, "key"))
    if not isinstance(key, ApiKey) or key.kind is not KeyKind.PUBLISHABLE:
        return answer
    operation = Operation(name, "GET", environ["PATH_INFO"], frozenset(), False, "", "", "ours")
    call = Call(sandbox, operation, environ, {}, sandbox.request_id(), sandbox.clock.monotonic())
    try:
        call.opened = sandbox.workspace(key)
    except Refusal:  # the form's first call shows the error
        return answer
    call.now = call.opened.catch_up()
    try:
        answer = with_faults(call, lambda _: answer)
    except Exception as error:
        call.refusal = refusal_of(call, error)
        answer = answer_to(call, call.dialect, call.refusal)
    enter(call, Answer(answer.status, b"", answer.headers))
    record(call, "figures", answer.status)
    return leave_plans(call, explained(call, answer))
