"""Trying things out: a new payment by its outcome, a call of the journal again, and a comparison."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.control_operations import EVERY
from mock_server.control.replaying import parts_of
from mock_server.dashboard import calls, commands
from mock_server.dashboard.folding import differences, folded
from mock_server.dashboard.visit import PageContent, Visit, content
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.errors import Cause, Refusal, wrong_field
from mock_server.domain.events import PROFILE
from mock_server.domain.methods import ALL_METHODS, METHODS, PUBLIC_WORDS, find, payload_of
from mock_server.domain.money import CURRENCIES
from mock_server.engine.kinds import ATTEMPTS
from mock_server.http.redaction import HIDDEN
from mock_server.store.protocol import JOURNAL

GROUPS: Final = (
    ("Succeeds", re.compile(r"succeeded$|succeeded \(")),
    ("Is declined", re.compile("declined")),
    ("Asks for 3-D Secure", re.compile("3-D Secure")),
    ("Settles later", re.compile("pending")),
    ("Is held for review", re.compile("held for review")),
    ("Succeeds and is disputed", re.compile(r"succeeded; then")),
    ("Succeeds, then something fails", re.compile(r"succeeded; ")),
    ("Is approved in part", re.compile(r"\d")),
)
"""The groups of cards: a card belongs to the first group whose pattern matches its effect."""


def cards_by_effect() -> list[tuple[str, list[tuple[str, str]]]]:
    """The test cards by their effects: names and descriptions."""
    found: dict[str, list[tuple[str, str]]] = {title: [] for title, _ in GROUPS}
    for row in CARDS:
        if row.listed:
            effect = card_effect(row.issuer)
            title = next(title for title, begins in GROUPS if begins.match(effect))
            found[title].append((row.name, f"{effect} · {row.brand} {row.type}"))
    return list(found.items())


def new_payment(visit: Visit) -> PageContent:
    """The form for a new payment."""
    return content(
        cards=cards_by_effect(),
        methods=_methods(visit),
        currencies=sorted(row.code for row in CURRENCIES),
        profile=PROFILE,
        scenarios=[row["name"] for row in visit.ask("control.scenarios")["scenarios"]],
    )


def _methods(visit: Visit) -> list[str]:
    """The words of the methods of this dialect that need nothing of a customer, or what this page sends."""
    is_own = visit.workspace.dialect is INTERFACE
    rows = [row for row in (METHODS if is_own else ALL_METHODS) if payload_of(row) and set(row.asks) <= _SENT.keys()]
    return [".".join(row[:2] if is_own else PUBLIC_WORDS[row[:2]]) for row in rows]


def method_fields(word: str) -> dict[str, Any]:
    """The fields of a method in a payment's body. Refused as `value_invalid`."""
    category, _, type_ = word.partition(".")
    row = find((category, type_))
    if row is None or (usual := payload_of(row)) is None:
        raise wrong_field("method", "is not a method of this sandbox")
    data = {name: _SENT[name] for name in row.asks} or ({"token": "any"} if category == "wallet" else {})
    filled = {usual.group: {usual.name: data}}
    method = {"payment_method": category, "payment_method_type": type_, "email": "ada@example.com"}
    return {**method, "payment_method_data": filled, "billing": {"address": {"country": "NL"}}}


_SENT: Final = {"vpa_id": "success@upi"}


def replay(visit: Visit, number: str) -> PageContent:
    """A call of the journal that can be changed and made again, and the differences of the answers."""
    shown = calls.shown_line(visit, number)
    row = EVERY.get(shown["operation"])
    if row is None or shown["operation"].startswith("control."):
        raise wrong_field("number", "is not a call of the API")
    notice = visit.notice
    sent = notice.sent if notice is not None else {}
    path, body, _ = commands.repeated(shown)
    text = sent.get("json", calls.pretty(body))
    headers = commands.own_headers({**shown, "idempotency": None})
    after = visit.workspace.space.last(JOURNAL)
    new = f"replay-{number}-{after}" if shown["idempotent"] else ""
    return content(
        f"Replay {shown['method']} {shown['path']}",
        line=shown,
        args=parts_of(row, shown["path"]),
        text=text,
        query=sent.get("query", path.partition("?")[2]),
        headers={name: sent.get(f"header.{name}", value) for name, value in headers.items()},
        card=calls.card_of(shown),
        has_hidden=HIDDEN in text,
        key=sent.get("header.X-Idempotency-Key", new) if notice is not None and not notice.is_good else new,
        cards=cards_by_effect(),
        problems=dict(notice.fields) if notice is not None else {},
        changes=differences(shown["response"], notice.answer) if notice is not None and notice.answer else None,
        answer=folded(notice.answer, "The new answer") if notice is not None and notice.answer else "",
        old=folded(shown["response"], "The old answer"),
        newest=after,
    )


def compare(visit: Visit) -> PageContent:
    """Two calls, two payments or two delivery attempts, and their differences."""
    names = [value for name, value in visit.query if name == "of"]
    problems, found = {}, []
    for at, name in enumerate(names[:2]):
        try:
            found.append(_named(visit, name))
        except Refusal as refusal:
            problems[f"of{at}"] = f"there is no {name}" if refusal.cause is Cause.OBJECT_UNKNOWN else str(refusal.cause)
    both = found if len(found) == 2 else []
    sides = [folded(one, f"The {place}") for one, place in zip(both, ("first", "second"), strict=False)]
    changes, status = differences(*both) if both else None, 404 if problems else 200
    return content(status=status, names=names, problems=problems, changes=changes, sides=sides)


def _named(visit: Visit, name: str) -> Mapping[str, Any]:
    """The call with this number, or the payment or attempt with this id. Refused as `object_unknown`."""
    if name.isascii() and name.isdecimal():
        call = calls.shown_line(visit, name)
        kept = ("method", "path", "query", "status", "headers", "request", "response", "because")
        return {part: call[part] for part in kept}
    attempt = visit.workspace.space.transact(lambda tx: tx.get(ATTEMPTS, name))
    if attempt is not None:
        event = visit.ask("control.webhook", event_id=attempt.event_id)
        return next(one for one in event["deliveries"] if one["attempt_id"] == name)
    owner = re.sub(r"_\d+$", "", name)
    if visit.workspace.find_payment(name) is None and visit.workspace.find_payment(owner) is not None:
        tries = visit.ask("payments.retrieve", [("expand_attempts", "true")], payment_id=owner)["attempts"]
        for one in tries or ():
            if one["attempt_id"] == name:
                return dict(one)
    return dict(visit.ask("payments.retrieve", payment_id=name))
