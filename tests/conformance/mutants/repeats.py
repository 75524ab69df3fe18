"""Mutants of idempotency and of the rate limit."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from tests.conformance.mutants.calls import (
    CAPTURE,
    CREATE,
    LIST,
    REFUND,
    Ask,
    Next,
    Said,
    answering,
    anywhere,
    asking,
    at,
    forgiving,
    good,
    statused,
)
from tests.conformance.mutants.mutant import Mutant

RATE: Final = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def forgets_key(ask: Ask) -> None:
    ask.headers.pop("x-idempotency-key", None)


def scope(ask: Ask) -> str:
    return f"{ask.key} {ask.method} {ask.path} {ask.idempotency}"


class Kept:
    """Answers kept outside the app, under a scope of its own; 422 and 429 never."""

    def __init__(self, scoped: Callable[[Ask], str] = scope, only: Callable[[Said], bool] = lambda said: True) -> None:
        self.scoped = scoped
        self.only = only
        self.answers: dict[str, Said] = {}

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        if ask.idempotency is None or not anywhere(ask):
            return proceed(ask)
        slot = self.scoped(ask)
        if slot not in self.answers:
            said = proceed(ask)
            if not self.only(said):
                return said
            self.answers[slot] = said
        kept = self.answers[slot]
        return Said(kept.status, list(kept.headers), kept.body)


class RememberedLists:
    """Answers that were given before, to the same question."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, ...], Said] = {}

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        if not LIST(ask):
            return proceed(ask)
        asked = (ask.key, ask.method, ask.query, ask.body.decode())
        if asked not in self.answers:
            self.answers[asked] = proceed(ask)
        kept = self.answers[asked]
        return Said(kept.status, list(kept.headers), kept.body)


class Epochs:
    """The app sees another key after what ends an epoch."""

    def __init__(self, ends: Callable[[Ask, Said], bool]) -> None:
        self.ends = ends
        self.epochs: Counter[str] = Counter()

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        slot = ask.key if not anywhere(ask) else scope(ask)
        if ask.idempotency is not None and len(ask.idempotency) < 200:
            ask.headers["x-idempotency-key"] = f"{ask.idempotency}-{self.epochs[slot]}-{self.epochs[ask.key]}"
        said = proceed(ask)
        if self.ends(ask, said):
            self.epochs[slot] += 1
        return said


class SecondSlips:
    """The second of several calls with one key is not seen as a repeat."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        if ask.idempotency is not None:
            slot = scope(ask)
            self.seen[slot] += 1
            if self.seen[slot] == 2:
                forgets_key(ask)
        return proceed(ask)


def other_bytes(said: Said, ask: Ask) -> None:
    if said.header("X-Sandbox-Replayed"):
        said.put({**said.json, "updated": "2026-01-01T00:00:00.000Z"})


def by_bytes(ask: Ask) -> None:
    """The body's bytes are a part of the key, so that the same JSON written otherwise is another operation."""
    if ask.idempotency and len(ask.idempotency) < 200:
        digest = blake2b(ask.body, digest_size=8).hexdigest()
        ask.headers["x-idempotency-key"] = f"{ask.idempotency}-{digest}"


def hashed(ask: Ask) -> None:
    if ask.idempotency is not None:
        ask.headers["x-idempotency-key"] = blake2b(ask.idempotency.encode(), digest_size=16).hexdigest()


def no_figures(said: Said, ask: Ask) -> None:
    if said.status >= 400:
        said.drop(*RATE)


def in_milliseconds(said: Said, ask: Ask) -> None:
    said.set(RATE[2], f"{said.header(RATE[2])}000")


def as_duration(said: Said, ask: Ask) -> None:
    said.set(RATE[2], "42")


class NeverAgain:
    """Who was refused once for the number of calls is refused for ever."""

    def __init__(self) -> None:
        self.refused: dict[str, Said] = {}

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        if ask.key in self.refused and anywhere(ask):
            kept = self.refused[ask.key]
            return Said(kept.status, list(kept.headers), kept.body)
        said = proceed(ask)
        if said.status == 429:
            self.refused[ask.key] = said
        return said


class Queued:
    """What is refused for its number is done later all the same."""

    def __init__(self) -> None:
        self.later: dict[str, Ask] = {}

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        waiting = self.later.pop(ask.key, None) if anywhere(ask) else None
        if waiting is not None and proceed(waiting.again()).status == 429:
            self.later[ask.key] = waiting
        said = proceed(ask.again())
        if said.status == 429 and CREATE(ask):
            self.later[ask.key] = ask
        return said


def advanced(ask: Ask, said: Said) -> bool:
    return ask.path == "/_sandbox/clock/advance"


ALL: Final = (
    "idempotency.replay",
    "idempotency.once",
    "idempotency.refund_once",
    "idempotency.capture_once",
    "idempotency.order_of_keys",
    "idempotency.other_body",
    "idempotency.refusal_kept",
    "idempotency.decline_kept",
    "idempotency.at_once",
    "idempotency.kept_for_a_day",
    "webhooks.told_once",
)
ROWS: Final = (
    Mutant("key_ignored", "The idempotency key is ignored.", ALL, asking(anywhere, forgets_key)),
    Mutant("key_ignored_on_refunds", "Refunds ignore the idempotency key.", ("idempotency.refund_once",), asking(REFUND, forgets_key)),
    Mutant("key_ignored_on_captures", "Captures ignore the idempotency key.", ("idempotency.capture_once",), asking(CAPTURE, forgets_key)),
    Mutant("replays_another_body", "A repeated call gets an answer with other bytes.", ("idempotency.replay",), answering(CREATE, other_bytes)),
    Mutant("body_not_compared", "Another body with a used key gets the first answer.", ("idempotency.other_body",), Kept()),
    Mutant("bytes_make_the_key", "The same body with keys in another order is a new operation.", ("idempotency.order_of_keys", "idempotency.other_body"), asking(anywhere, by_bytes)),
    Mutant("key_for_all_paths", "A key applies to all paths.", ("idempotency.by_path",), Kept(lambda ask: f"{ask.key} {ask.idempotency}")),
    Mutant("key_for_all_merchants", "A key applies to all merchants.", ("idempotency.by_merchant",), Kept(lambda ask: f"{ask.path} {ask.idempotency}")),
    Mutant("refusals_not_kept", "After an error, a key is free again.", ("idempotency.refusal_kept",), Epochs(lambda ask, said: said.status == 404)),
    Mutant("declines_not_kept", "After a decline, a key is free again.", ("idempotency.decline_kept",), Epochs(lambda ask, said: said.json.get("status") == "failed")),
    Mutant("mistakes_kept", "A validation error uses up the key.", ("idempotency.mistake_gives_back",), Kept(only=lambda said: said.status == 400)),
    Mutant("second_slips", "A simultaneous second call with the same key is performed too.", ("idempotency.at_once", "idempotency.once", "idempotency.replay"), SecondSlips()),
    Mutant("any_form_of_key", "A key can have any length.", ("idempotency.form_of_key",), asking(anywhere, hashed)),
    Mutant("reads_are_kept", "A list returns a stored answer.", ("idempotency.reads",), Kept()),
    Mutant("kept_until_the_clock_moves", "A key is free before 24 hours are over.", ("idempotency.kept_for_a_day",), Epochs(advanced)),
    Mutant("kept_for_ever", "A key is never free again.", ("idempotency.free_after_a_day",), Kept()),
    Mutant("no_figures_on_errors", "Errors have no rate limit headers.", ("rate_limit.headers", "rate_limit.exceeded"), answering(anywhere, no_figures)),
    Mutant("remaining_stands_still", "Remaining does not decrease.", ("rate_limit.counts_down", "rate_limit.exceeded"), answering(anywhere, lambda said, ask: said.set(RATE[1], "79"))),
    Mutant("remaining_over_limit", "Remaining is larger than the limit.", ("rate_limit.headers",), answering(anywhere, lambda said, ask: said.set(RATE[1], "999999"))),
    Mutant("reset_in_milliseconds", "The reset is in milliseconds.", ("rate_limit.reset",), answering(anywhere, in_milliseconds)),
    Mutant("reset_as_duration", "The reset is a number of seconds to wait.", ("rate_limit.reset",), answering(anywhere, as_duration)),
    Mutant("limit_is_503", "Too many calls get 503.", ("rate_limit.exceeded", "rate_limit.window_ends"), statused(429, 503)),
    Mutant("no_retry_after", "429 has no Retry-After.", ("rate_limit.exceeded",), answering(anywhere, lambda said, ask: said.drop("Retry-After"))),
    Mutant("limit_not_held", "Too many calls are answered.", ("rate_limit.exceeded", "rate_limit.window_ends", "rate_limit.no_effect"), forgiving(at("*", "/**"), "RL_01", lambda ask, proceed: good({"status": "ok"}))),
    Mutant("refused_and_done", "A call that got 429 is performed later.", ("rate_limit.no_effect",), Queued()),
    Mutant("window_not_reset", "The window never ends.", ("rate_limit.window_ends", "rate_limit.no_effect"), NeverAgain()),
    Mutant("lists_remembered", "A repeated list returns the earlier answer.", ("lists.grows", "lists.follows_changes", "idempotency.reads"), RememberedLists()),
)  # fmt: skip
