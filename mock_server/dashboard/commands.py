"""Calls as text to copy: as shell commands, and as tests."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from mock_server.contract.control_operations import EVERY
from mock_server.contract.dialect import Dialect
from mock_server.control.export import Code, mark_of, set_out
from mock_server.dashboard.visit import PAGE, path_of
from mock_server.domain import hiding
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.cards import CARDS
from mock_server.domain.masking import MARK
from mock_server.domain.unseen import visible
from mock_server.sandbox.workspace import Workspace
from mock_server.scenario.conditions.paths import follow
from mock_server.scenario.story.requests import card_fields

Texts = Mapping[str, str]
KEY: Final = '"api-key: $PAYMENT_SANDBOX_API_KEY"'
"""The shell fills in the key: the dashboard has none."""
PUBLISHABLE_KEY: Final = KEY.replace("API_KEY", "PUBLISHABLE_KEY")
SECRET: Final = "client_secret"
_CARD: Final = ("payment_method_data", "card")


def of_call(
    base: str, operation: str, args: Mapping[str, str] = {}, body: object = None, query: str = "", **headers: str
) -> str:
    """A call by its operation's name; `body` is JSON, or the name of a file to send."""
    row = EVERY[operation]
    return curl(row.method, base + path_of(row.path, args) + (f"?{query}" if query else ""), body, headers)


def of_list(base: str, dialect: Dialect, operation: str, asked: Texts, offset: int = 0) -> str:
    """The call that gives the rows of a list's page; the journal has no offset, and gives those before them too."""
    part = {"limit": PAGE, "offset": offset} if operation != "control.journal" else {"limit": PAGE + offset}
    part = {name: value for name, value in part.items() if value}
    if EVERY[operation].method == "GET":
        renamed = dialect.list_of(operation).parameters.get
        asked = {renamed(name, name): value for name, value in asked.items()}
        return of_call(base, operation, query=urlencode({**asked, **part}))
    named = {_IN_BODIES.get(name, name): [value] if name in _MANY else value for name, value in asked.items()}
    return of_call(base, operation, body={**named, **part})


_IN_BODIES: Final = {"created_gte": "start_time", "created_lte": "end_time"}
_MANY: Final = frozenset({"status", "currency", "payment_method", "card_network"})
"""What the public API takes in the body of a list: other names for times, and lists of words."""


def curl(method: str, url: str, body: object = None, headers: Texts | None = None, key: str = KEY) -> str:
    """A call as a shell command; `body` as in `of_call`."""
    parts = ["curl", *([] if method == "GET" else ["-X", method]), shlex.quote(url), "-H", key]
    parts += [part for name, value in (headers or {}).items() for part in ("-H", shlex.quote(f"{name}: {value}"))]
    if isinstance(body, str):
        parts += ["-H", "'content-type: application/yaml'", "--data-binary", shlex.quote(f"@{body}")]
    elif body is not None:
        text = visible(json.dumps(body, ensure_ascii=False))
        parts += ["-H", "'content-type: application/json'", "-d", shlex.quote(text)]
    return " ".join(parts)


def repeated(line: Mapping[str, Any]) -> tuple[str, Any, bool]:
    """The path with its query and the body that repeat a call, and whether it takes no secret key."""
    query, body, row = line["query"], line["request"], EVERY.get(line["operation"])
    is_public = line["key"].startswith("pk_")
    if is_public and row is not None and KeyKind.SECRET in row.keys:
        is_public = False  # and so without a client_secret, which another workspace does not have
        query = urlencode([pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] != SECRET])
        body = {name: value for name, value in body.items() if name != SECRET} if isinstance(body, dict) else body
    return line["path"] + (f"?{query}" if query else ""), body, is_public


def of_line(base: str, line: Mapping[str, Any], card: str | None) -> str:
    """A journal entry as a command, with the public number of a test card."""
    path, sent, is_public = repeated(line)
    body = with_card(sent, lambda: card_fields(card, {})["payment_method_data"]["card"] if card else None)
    body, key = body if isinstance(body, dict | list) else None, PUBLISHABLE_KEY if is_public else KEY
    return curl(line["method"], base + path, body, own_headers(line), key)


def own_headers(line: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a journal entry that can change what happens; an idempotency key is another, as none is stored."""
    key = {"x-idempotency-key": f"replay-{line['idempotency'][0][:8]}"} if line["idempotency"] else {}
    sent = {**(line["headers"] or {}), **key}
    return {name: value for name, value in sent.items() if name.startswith("x-") and value != MARK}


def as_test(line: Mapping[str, Any], card: str | None, workspace: Workspace) -> str:
    """A journal entry as a test with the fixture `payment_sandbox`, in the dialect of its answer."""
    name = str(line["operation"]).replace(".", "_")
    path, asked, is_public = repeated(line)
    body = with_card(asked, lambda: Code(f"payment_sandbox.cards[{card!r}].as_data()") if card else None)
    sent = f", {set_out(body, '    ')}" if isinstance(body, dict | list) else ""
    answer = line["response"] if isinstance(line["response"], dict) else {}
    checks = [f"    assert answer.status == {line['status']}"]
    checks += [f'    assert answer["status"] == {answer["status"]!r}'] if "status" in answer else []
    key = {"api-key": Code("payment_sandbox.publishable_key")} if is_public else {}
    sent += f", headers={set_out(own, '    ')}" if (own := {**own_headers(line), **key}) else ""
    call = f"    answer = payment_sandbox.client.request({line['method']!r}, {path!r}{sent})"
    mark = mark_of(workspace, workspace.dialect)
    head = f"import pytest\n\n\n{mark}" if mark else ""
    return "\n".join([f"{head}def test_{name}(payment_sandbox):", call, *checks]) + "\n"


def shown(body: Any) -> Any:
    """A body as a page may show it: with the numbers of test cards only, and without security codes."""
    number = follow(body, (*_CARD, "card_number"))
    shown_number = number if any(row.number == number for row in CARDS) else "YOUR CARD"
    return with_card(hiding.hidden(body), lambda: {"card_number": shown_number, "card_cvc": "123"})


def with_card(body: Any, card: Callable[[], object]) -> Any:
    """A body with a card instead of the one whose number is not stored."""
    kept: Any = follow(body, _CARD)
    if follow(kept, ("card_number",)) != hiding.HIDDEN or (found := card()) is None:
        return body
    sent = {name: value for name, value in kept.items() if value != hiding.HIDDEN}
    own = {**kept, **found, **sent} if isinstance(found, dict) else found
    return {**body, _CARD[0]: {**body[_CARD[0]], _CARD[1]: own}}
