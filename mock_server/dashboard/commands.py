"""Calls as text to copy: as shell commands, and as tests."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from mock_server.contract.control_operations import EVERY
from mock_server.control.export import Code, set_out
from mock_server.dashboard.inside import path_of
from mock_server.dashboard.visit import PAGE
from mock_server.domain import hiding
from mock_server.domain.cards import CARDS
from mock_server.domain.masking import MARK
from mock_server.scenario.story.requests import card_fields

KEY: Final = '"api-key: $PAYMENT_SANDBOX_API_KEY"'
"""The shell fills in the key: the dashboard has none."""
SECRET: Final = "client_secret"
_JSON: Final = "'content-type: application/json'"
_YAML: Final = "'content-type: application/yaml'"


def of_call(base: str, operation: str, args: Mapping[str, str], body: object = None) -> str:
    """A call by its operation's name; `body` is JSON, or the name of a file to send."""
    row = EVERY[operation]
    return curl(row.method, base + path_of(row.path, args), body)


def of_list(base: str, operation: str, asked: Mapping[str, str], offset: int = 0) -> str:
    """The call that gives the rows of a list's page; the journal has no offset, and gives those before them too."""
    part = {"limit": PAGE, "offset": offset} if operation != "control.journal" else {"limit": PAGE + offset}
    query = urlencode({**asked, **{name: value for name, value in part.items() if value}})
    return curl("GET", f"{base}{EVERY[operation].path}?{query}")


def curl(method: str, url: str, body: object = None, headers: Mapping[str, str] | None = None) -> str:
    """A call as a shell command; `body` as in `of_call`."""
    parts = ["curl", *([] if method == "GET" else ["-X", method]), shlex.quote(url), "-H", KEY]
    parts += [part for name, value in (headers or {}).items() for part in ("-H", shlex.quote(f"{name}: {value}"))]
    if isinstance(body, str):
        parts += ["-H", _YAML, "--data-binary", shlex.quote(f"@{body}")]
    elif body is not None:
        parts += ["-H", _JSON, "-d", shlex.quote(json.dumps(body, ensure_ascii=False))]
    return " ".join(parts)


def of_line(base: str, line: Mapping[str, Any], card: str | None) -> str:
    """A journal entry as a command, with the public number of a test card."""
    url = base + line["path"] + (f"?{line['query']}" if line["query"] else "")
    body = with_card(line["request"], lambda: card_fields(card, {})["payment_method_data"]["card"] if card else None)
    return curl(line["method"], url, body if isinstance(body, dict | list) else None, own_headers(line))


def own_headers(line: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a journal entry that can change what happens; an idempotency key is another, as none is stored."""
    key = {"x-idempotency-key": f"replay-{line['idempotency'][0][:8]}"} if line["idempotency"] else {}
    sent = {**(line["headers"] or {}), **key}
    return {name: value for name, value in sent.items() if name.startswith("x-") and value != MARK}


def as_test(line: Mapping[str, Any], card: str | None) -> str:
    """A journal entry as a test with the fixture `payment_sandbox`."""
    name = str(line["operation"]).replace(".", "_")
    path = line["path"] + (f"?{line['query']}" if line["query"] else "")
    body = with_card(line["request"], lambda: Code(f"payment_sandbox.cards[{card!r}].as_data()") if card else None)
    sent = f", {set_out(body, '    ')}" if isinstance(body, dict | list) else ""
    answer = line["response"] if isinstance(line["response"], dict) else {}
    checks = [f"    assert answer.status == {line['status']}"]
    checks += [f'    assert answer["status"] == {answer["status"]!r}'] if "status" in answer else []
    sent += f", headers={set_out(own, '    ')}" if (own := own_headers(line)) else ""
    call = f"    answer = payment_sandbox.client.request({line['method']!r}, {path!r}{sent})"
    return "\n".join([f"def test_{name}(payment_sandbox):", call, *checks]) + "\n"


def shown(body: Any) -> Any:
    """A body as a page may show it: with the numbers of test cards only, and without security codes."""
    method = body.get("payment_method_data") if isinstance(body, dict) else None
    card = method.get("card") if isinstance(method, dict) else None
    number = card.get("card_number") if isinstance(card, dict) else None
    shown_number = number if any(row.number == number for row in CARDS) else "YOUR CARD"
    return with_card(hiding.hidden(body), lambda: {"card_number": shown_number, "card_cvc": "123"})


def with_card(body: Any, card: Callable[[], object]) -> Any:
    """A body with a card instead of the one whose number is not stored; a secret key takes no client_secret."""
    body = {name: value for name, value in body.items() if name != SECRET} if isinstance(body, dict) else body
    if not isinstance(body, dict) or not isinstance(method := body.get("payment_method_data"), dict):
        return body
    kept = method.get("card")
    if not isinstance(kept, dict) or kept.get("card_number") != hiding.HIDDEN or (found := card()) is None:
        return body
    sent = {name: value for name, value in kept.items() if value != hiding.HIDDEN}
    own = {**kept, **found, **sent} if isinstance(found, dict) else found
    return {**body, "payment_method_data": {**method, "card": own}}
