"""The probe: how a receiver of webhooks handles events that are forged, duplicate, late, large or unusual.

One row a case. A case that depends on another one is judged only if that one passed; a case that needs the receiver's
state only if that is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from mock_server.domain.delivery import signature
from mock_server.verdict.receiver import Answered, Event, Failed, NotJudged, Receiver, compact
from mock_server.verdict.rules import State

REFUSE, ACCEPT, ONCE, SURVIVE = "must refuse", "must accept", "must accept once", "must not crash"
FLOOD: Final = 500
FLOOD_S: Final = 5.0
AT_THE_SAME_MOMENT: Final = 8
LARGE: Final = 1_000_000
OTHERS: Final = 20
THEIRS: Final = {"merchant_id": "mer_of_somebody_else"}
LONG_AGO: Final = "2020-01-01T00:00:00.000Z"


class Case(NamedTuple):
    """One case; it is judged only if the case `after` passed."""

    id: str
    expects: str
    reason: str
    run: Callable[[Receiver], None]
    after: str = "valid"


def _must_accept(answer: Answered) -> None:
    _must_survive(answer, holds=answer.is_accepted)


def _must_survive(answer: Answered, *, holds: bool | None = None) -> None:
    if not (answer.is_sound if holds is None else holds):
        raise Failed(f"it {answer}" if answer.status else f"no answer: {answer}")


def _sends(
    make: Callable[[Receiver], Event], holds: Callable[[Answered], None] = _must_accept
) -> Callable[[Receiver], None]:
    """A case that sends one event and checks the answer."""
    return lambda receiver: holds(receiver.send(make(receiver)))


def _must_ignore(receiver: Receiver, event: Event, what: str) -> None:
    before = receiver.state()
    _must_accept(receiver.send(event))
    if (after := receiver.state()) != before:
        raise Failed(f"it {what}: from {_short(before)} to {_short(after)}")


def _must_refuse(receiver: Receiver, event: Event, signed: str) -> None:
    before = receiver.state() if receiver.has_state() else None
    answer = receiver.send(event, signed=signed)
    if answer.is_accepted:
        raise Failed(f"it {answer}: anybody can send it events")
    _must_survive(answer)
    if receiver.has_state() and receiver.state() != before:
        raise Failed("it refused the event, but acted on it")


def _refuses(sign: Callable[[Receiver, Event], str]) -> Callable[[Receiver], None]:
    """A case that sends one event with a wrong signature."""

    def run(receiver: Receiver) -> None:
        event = receiver.event()
        _must_refuse(receiver, event, sign(receiver, event))

    return run


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:120]}…"


# cases


def _one_sign_off(receiver: Receiver, event: Event) -> str:
    good = signature(receiver.secret, compact(event))
    return good[:-1] + ("0" if good[-1] != "0" else "1")


def signature_of_another_body(receiver: Receiver) -> None:
    taken = receiver.event()
    _must_accept(receiver.send(taken))
    _must_refuse(receiver, receiver.event(), signature(receiver.secret, compact(taken)))


def escapes(receiver: Receiver) -> None:
    event = receiver.about(receiver.event(), description="Ünïcödé / done")
    _must_accept(receiver.send(json.dumps(event, indent=1, ensure_ascii=True).replace("/", "\\/").encode()))


def twice(receiver: Receiver) -> None:
    event = receiver.event()
    _must_accept(receiver.send(event))
    _must_ignore(receiver, event, "acted again")


def at_the_same_moment(receiver: Receiver) -> None:
    sizes = [_size(receiver.state())]
    _must_accept(receiver.send(receiver.event()))
    sizes.append(_size(receiver.state()))
    with ThreadPoolExecutor(AT_THE_SAME_MOMENT) as pool:
        answers = list(pool.map(receiver.send, [receiver.event()] * AT_THE_SAME_MOMENT))
    sizes.append(_size(receiver.state()))
    if not any(answer.is_accepted for answer in answers):
        raise Failed(f"it accepted none of {AT_THE_SAME_MOMENT} simultaneous events: it {answers[0]}")
    before, one, many = sizes
    if abs(many - one) > abs(one - before):
        moved, further = abs(one - before), abs(many - one)
        raise Failed(f"one event changed its state by {moved:g}, and simultaneous copies by {further:g}")


def _size(state: object) -> float:
    """A state as one number: the sum of its values."""
    if isinstance(state, Mapping):
        return sum(map(_size, state.values()))
    if isinstance(state, list | tuple | set):
        return float(len(state))
    return float(state) if isinstance(state, int | float) else 0.0


def again_later(receiver: Receiver) -> None:
    event = receiver.event()
    _must_accept(receiver.send(event))
    for _ in range(OTHERS):
        _must_accept(receiver.send(receiver.event()))
    _must_ignore(receiver, event, "acted again on an earlier event")


def _goes_back(**changes: object) -> Callable[[Receiver], None]:
    """A case in which an event with an older object comes after a newer one; the state must not change."""

    def run(receiver: Receiver) -> None:
        event = receiver.event(event_type="payment_processing", **changes)
        _must_accept(receiver.send(receiver.event()))
        old = receiver.about(event, status="processing", amount_received=0, updated=LONG_AGO, modified_at=LONG_AGO)
        _must_ignore(receiver, old, "went back to an older state")

    return run


def flood(receiver: Receiver) -> None:
    within = min(FLOOD_S, receiver.timeout_s) if not receiver.is_near else receiver.timeout_s
    events = [receiver.event() for _ in range(FLOOD)]
    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda event: receiver.send(event, timeout_s=within), events))
    bad = [answer for answer in answers if not answer.is_sound]
    if bad:
        raise Failed(f"{len(bad)} of {FLOOD} were not accepted within {within:g} s: {bad[0]}")


CASES: Final = (
    Case("valid", ACCEPT, "A genuine event. If it fails, the other cases cannot be checked.", _sends(lambda it: it.event()), ""),
    Case("signature-wrong", REFUSE, "One character of the signature is wrong.", _refuses(_one_sign_off)),
    Case("signature-missing", REFUSE, "The signature is missing.", _refuses(lambda it, event: "")),
    Case("signature-of-another-secret", REFUSE, "The event is signed with another secret.", _refuses(lambda it, event: signature(f"not {it.secret}", compact(event)))),
    Case("signature-of-another-body", REFUSE, "The signature belongs to another event.", signature_of_another_body),
    Case("reordered-keys", ACCEPT, "The keys of the JSON object are in another order.", _sends(lambda it: dict(reversed(it.event().items())))),
    Case("escapes", ACCEPT, "The JSON is formatted differently; the signature covers its raw bytes.", escapes),
    Case("unknown-fields", ACCEPT, "The event has an unknown field.", _sends(lambda it: {**it.about(it.event(), a_field_of_next_year={"of": ["any", None, 1.5]}), "another_field": 1})),
    Case("unknown-event", ACCEPT, "The event has an unknown type. If refused, it is retried for days.", _sends(lambda it: it.event(event_type="payment_of_next_year"))),
    Case("twice", ONCE, "The same event is delivered twice, as after a lost answer.", twice),
    Case("at-the-same-moment", ONCE, "The same event is delivered twice at the same time.", at_the_same_moment, "twice"),
    Case("again-later", ONCE, "A retry arrives a day later, after many other events.", again_later, "twice"),
    Case("out-of-order", ACCEPT, "An older event arrives after a newer one.", _goes_back(timestamp=LONG_AGO)),
    Case("stale-object", ACCEPT, "The object in the event is older than the receiver's state.", _goes_back(), "out-of-order"),
    Case("another-merchant", SURVIVE, "The event belongs to another merchant.", _sends(lambda it: it.about(it.event(**THEIRS), **THEIRS), _must_survive)),
    Case("large", SURVIVE, "The body has 1 MB.", _sends(lambda it: it.about(it.event(), metadata={"long": "x" * LARGE}), _must_survive)),
    Case("wrong-content-type", SURVIVE, "The content type is different, as behind a proxy.", lambda it: _must_survive(it.send(it.event(), kind="text/plain"))),
    Case("slow-sending", ACCEPT, "The body arrives in chunks.", lambda it: _must_accept(it.send_slowly(it.event()))),
    Case("flood", SURVIVE, f"{FLOOD} events arrive at once, as after an outage.", flood),
)  # fmt: skip


class Probed(NamedTuple):
    """The result of one case."""

    case: Case
    state: State
    said: str = ""


def probe(receiver: Receiver, only: Sequence[str] = ()) -> list[Probed]:
    """Runs the cases; patterns choose some. Those on which they depend are run too."""
    results: dict[str, Probed] = {}
    wanted = [case for case in CASES if not only or any(fnmatchcase(case.id, one) for one in only)]
    for case in CASES:
        if case in wanted or any(case.id in _needs(one) for one in wanted):
            results[case.id] = _result(case, receiver, results)
    return [results[case.id] for case in wanted]


def _needs(case: Case) -> list[str]:
    by_id = {one.id: one for one in CASES}
    return [case.after, *_needs(by_id[case.after])] if case.after else []


def _result(case: Case, receiver: Receiver, results: Mapping[str, Probed]) -> Probed:
    if case.after and results[case.after].state is not State.WELL:
        what = "failed already" if results[case.after].state is State.FOUND else "could not be checked"
        return Probed(case, State.NOT_JUDGED, f"{case.after} {what}")
    try:
        case.run(receiver)
    except NotJudged as why:
        return Probed(case, State.NOT_JUDGED, str(why))
    except Failed as what:
        return Probed(case, State.FOUND, str(what))
    return Probed(case, State.WELL)
