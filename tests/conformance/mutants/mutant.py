"""What a mutant is: a sandbox with one thing wrong, and the checks that have to name it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tests.conformance.mutants.calls import Ask, Mutation, Next, Said

Headers = tuple[tuple[str, str], ...]


@dataclass
class Out:
    """A webhook on its way out."""

    url: str
    body: bytes
    headers: dict[str, str]


Send = Callable[[Out], int]
"""Sends it, and gives the status that the receiver answered with."""
Delivery = Callable[[Out, Send], int]


def as_asked(ask: Ask, proceed: Next) -> Said:
    """Changes no call."""
    return proceed(ask)


def as_told(out: Out, send: Send) -> int:
    """Changes no webhook."""
    return send(out)


class Mutant(NamedTuple):
    """One row: what is wrong, in a sentence, and the checks that fail for it, among others perhaps."""

    name: str
    about: str
    caught_by: tuple[str, ...]
    calls: Mutation = as_asked
    webhooks: Delivery = as_told
