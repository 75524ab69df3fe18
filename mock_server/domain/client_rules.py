"""The rules for mistakes of clients, by name: a call can accept one. Each has its row in `verdict.rules`."""

from __future__ import annotations

from typing import Final

RULE_IDS: Final = (
    "double-charge", "repeated-without-key", "key-for-another-body", "captured-twice", "refunded-twice",
    "webhook-acted-twice", "failed-captured", "failed-refunded", "captured-too-early", "refunded-too-early",
    "mandate-overstepped", "captured-after-expiry", "captured-after-cancel", "captured-too-much",
    "refunded-too-much", "pending-never-looked", "challenge-not-followed", "challenge-never-read", "left-too-early",
    "authorization-open", "retried-too-soon", "retried-without-end", "retried-decline", "polled-past-end",
    "polled-too-fast", "polled-steadily", "connection-for-each-call", "webhook-refused", "webhook-late",
    "forged-webhook-taken", "card-data-misplaced", "key-misplaced", "secret-key-in-browser", "first-page-only",
    "amount-not-whole", "unknown-fields",
)  # fmt: skip
