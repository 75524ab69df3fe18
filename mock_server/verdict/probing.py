"""The probe: how a receiver of webhooks handles events that are forged, duplicate, late, large or unusual.

One row a case. A case that depends on another one is judged only if that one passed; a case that needs the receiver's
state only if that is known.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fnmatch import fnmatchcase
from http.client import HTTPException
from itertools import chain, count, pairwise
from threading import Event as Pause
from typing import Any, Final, NamedTuple

from mock_server.addresses import path_of, sentence_for
from mock_server.connections import FinalAnswer, connection_to
from mock_server.domain.events import is_success, signature
from mock_server.guesses import hint
from mock_server.randomness import Randomness
from mock_server.verdict.rules import State
from mock_server.webhooks.signing import HEADER, headers
from mock_server.webhooks.transport import Transport, Unanswered, Wire

_Event = dict[str, Any]
_Tells = Callable[[], object]
OLDER: Final = (
    ("action_required", "requires_action", "requires_customer_action"),
    ("payment_processing", "pending", "processing"),
    ("payment_authorized", "requires_capture"),
    ("payment_failed", "failed"),
)
"""Events that can come before a payment_succeeded, with the object's status in each dialect."""
GENUINE: Final = "genuine"
PIECES: Final = 20
PAUSE_S: Final = 0.05
LOOKS: Final = 20  # at most, at a state until it stays the same


class _Ended(Exception):
    """How a case ended, unless it passed: its state, and what the receiver did wrong, or why it is not judged."""


class _Answered(NamedTuple):
    """One answer; without a status there was none, and `why` is the reason."""

    status: int | None
    why: str = ""

    @property
    def is_accepted(self) -> bool:
        """Any 2xx."""
        return is_success(self.status)

    @property
    def is_sound(self) -> bool:
        """Whether there was an answer other than 5xx."""
        return self.status is not None and self.status < 500

    def __str__(self) -> str:
        return self.why if self.status is None else f"answered {self.status}"


class Receiver:
    """The receiver: its URL, the secret that it shares with the sandbox, a genuine event for it, and its state.

    `sample` is a webhook's body as an object; a receiver that calls the API must find the payment there. `tells`
    returns something that changes when an event is handled, at once or up to a second after the answer.
    """

    def __init__(
        self, url: str, secret: str, sample: _Event, way: Transport, tells: _Tells, timeout_s: float, *, is_near: bool
    ) -> None:
        self.url, self.secret, self.timeout_s, self.is_near = url, secret, timeout_s, is_near
        self._sample, self._transport, self.tells = sample, way, tells
        self.began: object = None  # its state before the first event
        self.late_s = 0.0  # how long after its answers its state changes
        self._chance, self._numbers = Randomness(None, "probe"), count()

    def state(self) -> object:
        """Its state when it has acted; one that never stays the same tells nothing."""
        now = self.tells()
        for _ in range(LOOKS if self.late_s else 0):
            Pause().wait(2 * self.late_s)
            before, now = now, self.tells()
            if now == before:
                return now
        self.tells = (lambda: self.began) if self.late_s else self.tells
        return self.tells() if self.late_s else now

    def learn(self) -> None:
        """Learns from the first event whether it acts after its answer, and how long after."""
        seen = self.began
        for look in range(0 if seen is None else LOOKS // 4 if self.is_near else LOOKS):
            if (now := self.tells()) != seen:
                seen, self.late_s = now, look * PAUSE_S
                if self.is_near:
                    break
            Pause().wait(PAUSE_S)

    def event(self, **changes: Any) -> _Event:
        """A new event about the same payment."""
        fresh: _Event = json.loads(json.dumps({**self._sample, **changes}))
        return {**fresh, "event_id": f"evt_{self._chance.token('event', next(self._numbers))}"}

    def about(self, event: _Event, **changes: Any) -> _Event:
        """The event with another object in it."""
        content = event["content"]
        return {**event, "content": {**content, "object": {**content["object"], **changes}}}

    def send(
        self, event: _Event | bytes, *, signed: str | None = GENUINE, kind: str = "", timeout_s: float = 0
    ) -> _Answered:
        """Sends an event; `signed` replaces its signature, and None omits it."""
        body = event if isinstance(event, bytes) else _compact(event)
        sent: dict[str, str | None] = dict(headers(body, self.secret, {}))
        sent |= {"Content-Type": kind} if kind else {}
        sent |= {HEADER: signed} if signed != GENUINE else {}
        pairs = tuple((name, value) for name, value in sent.items() if value is not None)
        try:
            return _Answered(self._transport.send(self.url, body, pairs, timeout_s or self.timeout_s, Wire()).status)
        except Unanswered as problem:
            return _Answered(None, str(problem))

    def send_slowly(self, event: _Event) -> _Answered:
        """Sends an event in pieces. An app in this process always gets whole bodies, so it is not judged."""
        if self.is_near:
            raise _Ended(State.NOT_JUDGED, "an app in this process always gets whole bodies")
        body = _compact(event)
        sent = {**dict(headers(body, self.secret, {})), "Content-Length": str(len(body))}
        with closing(connection_to(self.url, self.timeout_s)) as line:
            line.response_class = FinalAnswer
            try:
                line.request("POST", path_of(self.url), _slowly(body), sent)
                return _Answered(line.getresponse().status)
            except (OSError, HTTPException) as problem:
                return _Answered(None, sentence_for(problem, self.timeout_s))


def _compact(event: _Event) -> bytes:
    """The bytes that the sandbox would send."""
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()


def _slowly(body: bytes) -> Iterator[bytes]:
    length = -(-len(body) // PIECES)
    for at in range(0, len(body), length):
        yield body[at : at + length]
        Pause().wait(PAUSE_S)


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


def _must_accept(answer: _Answered) -> None:
    _must_survive(answer, holds=answer.is_accepted)


def _must_survive(answer: _Answered, *, holds: bool | None = None) -> None:
    if not (answer.is_sound if holds is None else holds):
        raise _Ended(State.FOUND, f"it {answer}" if answer.status else f"no answer: {answer}")


def _sends(
    make: Callable[[Receiver], _Event], holds: Callable[[_Answered], None] = _must_accept
) -> Callable[[Receiver], None]:
    """A case that sends one event and checks the answer."""
    return lambda receiver: holds(receiver.send(make(receiver)))


def _must_ignore(receiver: Receiver, what: str, *events: _Event, counts: bool = False) -> bool:
    """Whether the state stays as it is; with `counts`, it may also grow, if no word of it goes."""
    before = receiver.state()
    if before == receiver.began:
        same = "did not change when a genuine event was accepted, or changes by itself"
        said = "is not known: give state, or --state-url" if before is None else same
        raise _Ended(State.NOT_JUDGED, f"the receiver's state {said}")
    answers = [receiver.send(event) for event in events]
    _must_accept(next((one for one in answers if one.is_accepted), answers[0]))
    after = receiver.state()
    was, now = (Counter(re.findall(r"[^\W\d]+", str(state))) for state in (before, after))
    if after != before and not (counts and was <= now):
        raise _Ended(State.FOUND, f"it {what}: from {_short(before)} to {_short(after)}")
    return after == before


def _must_refuse(receiver: Receiver, event: _Event, signed: str | None) -> None:
    before = receiver.state()
    answer = receiver.send(event, signed=signed)
    if answer.is_accepted:
        raise _Ended(State.FOUND, f"it {answer}: anybody can send it events")
    _must_survive(answer)
    if receiver.state() != before:
        raise _Ended(State.FOUND, "it refused the event, but acted on it")


def _refuses(sign: Callable[[Receiver, _Event], str | None]) -> Callable[[Receiver], None]:
    """A case that sends one event with a wrong signature."""

    def run(receiver: Receiver) -> None:
        event = receiver.event()
        _must_refuse(receiver, event, sign(receiver, event))

    return run


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:120]}…"


# cases


def _one_sign_off(receiver: Receiver, event: _Event) -> str:
    good = signature(receiver.secret, _compact(event))
    return good[:-1] + ("0" if good[-1] != "0" else "1")


def signature_of_another_body(receiver: Receiver) -> None:
    taken = receiver.event()
    _must_accept(receiver.send(taken))
    _must_refuse(receiver, receiver.event(), signature(receiver.secret, _compact(taken)))


def escapes(receiver: Receiver) -> None:
    event = receiver.about(receiver.event(), description="Ünïcödé / done")
    _must_accept(receiver.send(event))
    _must_accept(receiver.send(json.dumps(event, indent=1).replace("/", "\\/").encode() + b"\n"))


def twice(receiver: Receiver) -> None:
    event = receiver.event()
    _must_accept(receiver.send(event))
    _must_ignore(receiver, "acted again", event)


def at_the_same_moment(receiver: Receiver) -> None:
    """Between two single events, which show what each moves: a number of the state, or a length."""
    counts = [_counts(receiver.state())]
    for copies in (1, AT_THE_SAME_MOMENT, 1):
        with ThreadPoolExecutor(copies) as pool:
            answers = list(pool.map(receiver.send, [receiver.event()] * copies))
        if not any(answer.is_accepted for answer in answers):
            raise _Ended(State.FOUND, f"it accepted none of {copies} simultaneous events: it {answers[0]}")
        counts.append(_counts(receiver.state()))
    steps = [{at: now.get(at, 0) - was.get(at, 0) for at in was | now} for was, now in pairwise(counts)]
    moved = [(steps[0][at], many) for at, many in steps[1].items() if 0 != steps[0].get(at, 0) == steps[2].get(at)]
    if not moved:
        said = "no number or length in its state changed as much with one event as with another"
        raise _Ended(State.NOT_JUDGED, said)
    one, further = max(moved, key=lambda pair: abs(pair[1]) - abs(pair[0]))
    if abs(further) > abs(one):
        said = f"one event changed its state by {abs(one):g}, and simultaneous copies by {abs(further):g}"
        raise _Ended(State.FOUND, said)


def _counts(state: object, *way: object) -> dict[tuple[object, ...], float]:
    """Every number in a state by its place, also within texts, and the length of everything."""
    if not isinstance(state, Mapping | list | tuple | set | frozenset):
        numbers = enumerate(re.findall(r"(?<!\w)-?\d+(?:\.\d+)?(?!\w)", str(state)))  # none within an id
        return {way: len(str(state)), **{(*way, at): float(number) for at, number in numbers}}
    inner = state.items() if isinstance(state, Mapping) else enumerate(state) if isinstance(state, list | tuple) else ()
    return dict(chain({way: float(len(state))}.items(), *(_counts(one, *way, key).items() for key, one in inner)))


def again_later(receiver: Receiver) -> None:
    event = receiver.event()
    _must_accept(receiver.send(event))
    for _ in range(OTHERS):
        _must_accept(receiver.send(receiver.event()))
    _must_ignore(receiver, "acted again on an earlier event", event)


def _goes_back(**changes: object) -> Callable[[Receiver], None]:
    """A case in which events with an older object come after a newer one; the state must not change."""
    past = {"amount_received": 0, "updated": LONG_AGO, "modified_at": LONG_AGO}

    def run(receiver: Receiver) -> None:
        before, stays = receiver.state(), True
        _must_accept(receiver.send(receiver.event()))
        counts = receiver.state() != before
        for kind, *words in OLDER:
            old = [receiver.about(receiver.event(event_type=kind, **changes), status=word, **past) for word in words]
            stays &= _must_ignore(receiver, f"went back to an older state after {kind}", *old, counts=counts)
        if not stays:
            raise _Ended(State.NOT_JUDGED, "the receiver's state also counts events that have no effect")

    return run


def flood(receiver: Receiver) -> None:
    within = min(FLOOD_S, receiver.timeout_s) if not receiver.is_near else receiver.timeout_s
    events = [receiver.event() for _ in range(FLOOD)]
    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda event: receiver.send(event, timeout_s=within), events))
    bad = [answer for answer in answers if not answer.is_sound]
    if bad:
        raise _Ended(State.FOUND, f"{len(bad)} of {FLOOD} were not accepted within {within:g} s: {bad[0]}")


CASES: Final = (
    Case("valid", ACCEPT, "A genuine event. If it fails, the other cases cannot be checked.", _sends(lambda it: it.event()), ""),
    Case("signature-wrong", REFUSE, "One character of the signature is wrong.", _refuses(_one_sign_off)),
    Case("signature-missing", REFUSE, "The signature is missing.", _refuses(lambda it, event: None)),
    Case("signature-empty", REFUSE, "The signature's header is empty.", _refuses(lambda it, event: "")),
    Case("signature-cut", REFUSE, "The signature is cut off in the middle.", _refuses(lambda it, event: signature(it.secret, _compact(event))[:64])),
    Case("signature-of-another-secret", REFUSE, "The event is signed with another secret.", _refuses(lambda it, event: signature(f"not {it.secret}", _compact(event)))),
    Case("signature-of-another-body", REFUSE, "The signature belongs to another event.", signature_of_another_body),
    Case("reordered-keys", ACCEPT, "The keys of the JSON object are in another order.", _sends(lambda it: dict(reversed(it.event().items())))),
    Case("escapes", ACCEPT, "The JSON has other spaces and signs; the signature covers its raw bytes.", escapes),
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
    """Runs the cases, or those of a pattern (ValueError if it has none), and what they need: a result if it failed."""
    only, ids = [only] if isinstance(only, str) else only, [case.id for case in CASES]
    if unknown := [one for one in only if not any(fnmatchcase(case, one) for case in ids)]:
        raise ValueError(f"there is no case {unknown[0]}{hint(unknown[0], ids)}; the cases are: {', '.join(ids)}")
    results: dict[str, Probed] = {}
    receiver.began = receiver.state()
    wanted = [case for case in CASES if not only or any(fnmatchcase(case.id, one) for one in only)]
    for case in CASES:
        if case in wanted or any(case.id in _needs(one) for one in wanted):
            results[case.id] = _result(case, receiver, results)
            if not case.after and results[case.id].state is State.WELL:
                receiver.learn()
    return [one for one in results.values() if one.case in wanted or one.state is State.FOUND]


def _needs(case: Case) -> list[str]:
    by_id = {one.id: one for one in CASES}
    return [case.after, *_needs(by_id[case.after])] if case.after else []


def _result(case: Case, receiver: Receiver, results: Mapping[str, Probed]) -> Probed:
    if case.after and results[case.after].state is not State.WELL:
        what = "failed already" if results[case.after].state is State.FOUND else "could not be checked"
        return Probed(case, State.NOT_JUDGED, f"{case.after} {what}")
    try:
        case.run(receiver)
    except _Ended as how:
        if receiver.late_s or receiver.began is None or how.args[0] is not State.FOUND:
            return Probed(case, *how.args)
        receiver.late_s = PAUSE_S / 2  # perhaps it acted on an earlier event only now
        again = _result(case, receiver, results)
        receiver.late_s *= again.state is State.WELL
        return again
    return Probed(case, State.WELL)
