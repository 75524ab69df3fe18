"""Plays stories step by step against a running sandbox, and reports the differences.

The player uses a client that sends requests and returns replies, or says how the connection failed, so the command
line, the tests and the pytest plugin play the same stories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, Final, Protocol
from urllib.parse import unquote

from msgspec import Struct, structs

from mock_server.contract.control_operations import PREFIX
from mock_server.domain.events import SkipReason
from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.conditions.paths import ABSENT, PLAIN, Path, follow
from mock_server.scenario.conditions.when import OPERATORS, Condition, compile_pattern, same, show
from mock_server.scenario.model.decision_state import Find
from mock_server.scenario.model.scenario import Scenario, StoryStep
from mock_server.scenario.story.requests import AGAIN, StoryRequest, key_of, request_of, resolved
from mock_server.scenario.story.settling import MOST, awaited

WAIT_S: Final = 5
"""How long events and deliveries that a step expects can take (real time)."""
KEPT_BACK: Final = (SkipReason.DROPPED, SkipReason.FILTERED)


def differences(step: StoryStep, reply: StoryReply, broken: str | None, played: StoryProgress) -> Iterator[str]:
    """Every difference from the expected result, as one sentence."""
    wanted = step.see.get("connection")
    if broken != wanted:
        yield f"connection is {broken or 'complete'}, not {wanted or 'complete'}"
        return
    if reply.status >= 400 and not any(key == "http" or key.startswith("error") for key in step.see):
        yield "the call was refused"
    for key, expected in step.see.items():
        if key != "connection":
            yield from _difference(key, expected, reply, played)


def _difference(key: str, expected: Any, reply: StoryReply, played: StoryProgress) -> Iterator[str]:
    try:
        expected = resolved(expected, played.named)
    except ValueError as wrong:
        yield f"{key}: {wrong}"
        return
    if key == "webhooks" and isinstance(expected, int):
        yield from _other(key, len(_found(played, expected, itemgetter("deliveries"))), expected)
    elif key == "webhooks":
        seen = _found(played, len(expected), _types)
        if seen != expected:
            yield f"webhooks are {', '.join(seen) or 'none'}, not {', '.join(expected) or 'none'}"
    elif key in RECORDS and isinstance(expected, int):
        body = played.client.request("GET", f"/{key}/list?limit=1", None, {}).body
        yield from _other(key, follow(body, ("total_count",)), expected)
    elif key == "http":
        yield from _other(key, reply.status, expected)
    elif key == "replayed":
        yield from _other(key, reply.headers.get("x-sandbox-replayed") == "true", expected)
    else:
        yield from _in_body(key, expected, reply)


def _in_body(key: str, expected: Any, reply: StoryReply) -> Iterator[str]:
    path = Path(key, PLAIN, tuple(key.split(".")))
    actual = path.read(reply.body)
    if not isinstance(expected, Mapping) or not expected.keys() <= OPERATORS.keys():
        yield from _other(key, actual, expected)
        return
    for name, value in expected.items():
        listed = tuple(value) if isinstance(value, list) else value
        wanted = compile_pattern(str(value)) if name == "matches" else listed
        failure = Condition(path, OPERATORS[name], wanted).failure(actual)
        if failure is not None:
            yield failure


def _other(key: str, actual: object, expected: Any) -> Iterator[str]:
    if isinstance(expected, list) and not isinstance(actual, list):
        if not any(same(actual, item) for item in expected):
            yield f"{key} is {show(actual)}, not one of {show(tuple(expected))}"
    elif expected is None:
        if actual is not ABSENT:
            yield f"{key} is {show(actual)}, but must be missing"
    elif not same(actual, expected):
        yield f"{key} is {show(actual)}, not {show(expected)}"


def _found(played: StoryProgress, count: int, of: Callable[[Mapping[str, Any]], Iterable[Any]]) -> Any:
    """A list of what all events have, oldest first; waits for at least `count` of it."""

    def read(path: str) -> Any:
        return played.client.request("GET", PREFIX + path, None, {}).body

    look = f"webhooks?limit={MOST}"
    return awaited(read, lambda: [*chain(*map(of, read(look)["data"]))], lambda found: len(found) >= count, WAIT_S)


def _types(row: Mapping[str, Any]) -> Iterator[str]:
    yield from () if row.get("fate") in KEPT_BACK else [str(row.get("event_type"))]


class StepResult(Struct, frozen=True):
    """One played step: what was done, the result, the differences from the expected one, and the reason."""

    step: StoryStep
    did: str
    got: str
    problems: tuple[str, ...] = ()
    because: str | None = None

    @property
    def holds(self) -> bool:
        """Whether there are no differences."""
        return not self.problems

    def __str__(self) -> str:
        lines = [f"{'ok  ' if self.holds else 'FAIL'} {self.step.number}. {self.did} → {self.got}"]
        lines += [f"       because {self.because}"] if self.because else []
        return "\n".join([*lines, *(f"       {problem} ({self.step.place})" for problem in self.problems)])


def extended(scenario: Scenario, find: Find) -> list[Scenario]:
    """The scenarios that one extends, the last one first, without those that are not found."""
    found: dict[str, Scenario] = {}
    name = scenario.extends
    while name is not None and name not in found and (base := find(name)) is not None:
        found[name] = base
        name = base.extends
    return list(reversed(found.values()))


def play(scenario: Scenario, client: _StoryClient, needed: Sequence[Scenario] = ()) -> Iterator[StepResult]:
    """Plays a scenario's story; it must be active, after those `needed` that it extends, in a new workspace."""
    cards = {row.card.name: number for part in (*needed, scenario) for number, row in part.cards.items()}
    played = StoryProgress(client, cards, {"publishable_key": client.publishable_key})
    for step in scenario.story:
        yield _step(step, played)


def _step(step: StoryStep, played: StoryProgress) -> StepResult:
    try:
        request = _request(step, played)
        reply, broken = _sent(request, played)
    except ValueError as wrong:  # also a header that cannot be one
        return StepResult(step, step.do or "look", "nothing was sent", (str(wrong),))
    if step.as_ is not None and reply.body is not None:
        played.named[step.as_] = reply.body
    problems = differences(step, reply, broken, played)
    did = "look" if request is None else f"{step.do} ({request.method} {request.path})"
    said = reply.headers.get("x-sandbox-because")  # percent-encoded where it is not ASCII
    because = None if said is None else unquote(said)
    return StepResult(step, did, _got(request, reply, broken), tuple(problems), because)


def _request(step: StoryStep, played: StoryProgress) -> StoryRequest | None:
    if step.do is None:
        return None
    if step.do != AGAIN:
        return request_of(step, played.named, played.cards)
    if played.last is None:
        raise ValueError("again has no earlier step")
    return structs.replace(played.last, headers={**played.last.headers, **key_of(step, played.named)})


def _sent(request: StoryRequest | None, played: StoryProgress) -> tuple[StoryReply, str | None]:
    if request is None:
        return _NO_REPLY, None
    if not request.path.startswith(PREFIX):
        played.last = request
    try:
        return played.client.request(request.method, request.path, request.json, request.headers), None
    except LineBroken as broken:
        return _NO_REPLY, broken.how


def _got(request: StoryRequest | None, reply: StoryReply, broken: str | None) -> str:
    if broken is not None:
        return f"connection {broken}"
    if request is None:
        return "seen"
    body = reply.body if isinstance(reply.body, dict) else {}
    error = body["error"] if isinstance(body.get("error"), dict) else {}
    why = ": ".join(str(error[name]) for name in ("code", "message") if name in error)
    return f"{reply.status} {body['status'] if isinstance(body.get('status'), str) else why}".rstrip()


class StoryReply(Struct, frozen=True):
    """A complete answer; header names are in lower case, `body` is parsed JSON (None for no body)."""

    status: int
    headers: Mapping[str, str]
    body: Any = None


class LineBroken(Exception):
    """The call got no complete answer: `reset`, `empty`, `truncated`, `malformed` or `timeout`."""

    def __init__(self, how: str) -> None:
        super().__init__(f"the connection failed: {how}")
        self.how = how


class _StoryClient(Protocol):
    """Sends one request, with its API key if the headers have none. Raises LineBroken."""

    @property
    def publishable_key(self) -> str:
        """The key for browsers: `$publishable_key` in a story."""

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply: ...


_NO_REPLY: Final = StoryReply(0, {})


@dataclass(slots=True)
class StoryProgress:
    """The progress of a story: the answers by name, and the last request, for `again`."""

    client: _StoryClient
    cards: Mapping[str, str] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)
    last: StoryRequest | None = None
