"""A receiver that answers, and acts afterwards, is judged as one that acts at once; what it signs, by any text."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count, product
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox
from mock_server.verdict.rules import State
from tests.counts import SOAK
from tests.verdict import receivers
from tests.verdict.probes import PATIENT_S, asked, of, results_of, served
from tests.verdict.receivers import Correct

BY_STATE: Final = ("signature-empty", "twice", "again-later", "out-of-order")
LAGS_S: Final = (0.002, 0.03, 0.008, 0.1, 0.2)
KINDS: Final = ("Correct", "Twice", "AgainLater", "OutOfOrder")
WAYS: Final = list(product(KINDS, LAGS_S))
SOME: Final = [("Correct", 0.002), ("Correct", 0.03), ("Twice", 0.03), ("AgainLater", 0.002), ("OutOfOrder", 0.002)]


def later(kind: str, lag_s: float) -> Callable[[str], Correct]:
    """A receiver that puts events into a queue, and answers."""

    class Later(getattr(receivers, kind)):  # type: ignore[misc]  # the kind is known by name
        def __init__(self, secret: str) -> None:
            super().__init__(secret)
            self.queue: SimpleQueue[Any] = SimpleQueue()
            Thread(target=self.work, daemon=True).start()

        def answer(self, body: bytes, signature: str | None, kind: str) -> int:
            if not self.is_signed(body, signature):
                return 401
            self.queue.put(self.parsed(body))
            return 200

        def work(self) -> None:
            while True:
                event = self.queue.get()
                Event().wait(lag_s)
                if self.is_new(event):
                    self.handle(event)

    return Later


@pytest.mark.parametrize(("kind", "lag_s"), WAYS if SOAK else SOME)
def test_it_does_not_matter_when_a_receiver_acts(sandbox: Sandbox, kind: str, lag_s: float) -> None:
    app = later(kind, lag_s)(sandbox.webhook_secret)
    results = sandbox.probe(app, state=app.state, only=BY_STATE, timeout=PATIENT_S)
    wanted = {"Correct": [], "Twice": ["twice"], "AgainLater": ["again-later"], "OutOfOrder": ["out-of-order"]}
    unjudged = ["again-later"] if kind == "Twice" else []
    assert (of(State.FOUND, results), of(State.NOT_JUDGED, results)) == (wanted[kind], unjudged), results


@pytest.mark.parametrize("kind", KINDS[:2])
def test_the_command_waits_for_it_too(kind: str) -> None:
    app = later(kind, 0.06)("whsec_1")
    with served(app) as url:
        found = results_of(asked(url, "--json", "--only", "twice", "--only", "signature-empty"))
    assert found == {"twice": "failed" if kind == "Twice" else "passed", "signature-empty": "passed"}


@pytest.mark.parametrize("tell", [lambda tick, app: next(tick), lambda tick, app: {"page": next(tick), **app.state()}])
def test_a_state_that_changes_by_itself_blames_nobody(sandbox: Sandbox, tell: Callable[..., object]) -> None:
    app, tick = Correct(sandbox.webhook_secret), count()
    results = sandbox.probe(app, state=lambda: tell(tick, app), only=BY_STATE, timeout=PATIENT_S)
    assert of(State.FOUND, results) == []
    assert set(of(State.NOT_JUDGED, results)) == set(BY_STATE[1:])


READS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "as Latin-1": lambda body: body.decode("latin-1").encode(),
    "as ASCII": lambda body: body.decode("ascii", "replace").encode(),
    "without what is not ASCII": lambda body: body.decode("ascii", "ignore").encode(),
    "anew": lambda body: json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")).encode(),
    "anew in ASCII": lambda body: json.dumps(json.loads(body), separators=(",", ":")).encode(),
    "anew in lines": lambda body: json.dumps(json.loads(body), indent=2).encode(),
    "in order": lambda body: json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode(),
    "trimmed": bytes.strip,
    "with other ends of lines": lambda body: body.replace(b"\n", b"\r\n"),
}
"""What a receiver signs instead of the bytes that came."""


@pytest.mark.parametrize("reads", READS)
def test_who_signs_other_bytes_than_came_is_found(sandbox: Sandbox, reads: str) -> None:
    class Reads(Correct):
        def signed(self, body: bytes) -> str:
            return super().signed(READS[reads](body))

    results = sandbox.probe(Reads(sandbox.webhook_secret), timeout=PATIENT_S, only=["valid", "escapes"])
    assert of(State.FOUND, results), results


def test_who_signs_what_came_passes(sandbox: Sandbox) -> None:
    results = sandbox.probe(Correct(sandbox.webhook_secret), timeout=PATIENT_S, only=["valid", "escapes"])
    assert of(State.FOUND, results) == []
