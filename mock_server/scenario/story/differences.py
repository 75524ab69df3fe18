"""What a story's step should see, against what it saw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from mock_server.scenario.conditions.facts import PLAIN
from mock_server.scenario.conditions.paths import ABSENT, Path, follow
from mock_server.scenario.conditions.when import OPERATORS, Condition, same, show
from mock_server.scenario.story.requests import CONTROL, resolved
from mock_server.scenario.story.steps import COUNTED

if TYPE_CHECKING:
    from mock_server.scenario.model.scenario import StoryStep
    from mock_server.scenario.story.client import Played, Reply

WAIT: Final = "5s"
REFUSED: Final = 400


def differences(step: StoryStep, reply: Reply, broken: str | None, played: Played) -> Iterator[str]:
    """Everything that is not as it should be, one sentence each."""
    wanted = step.see.get("connection")
    if broken != wanted:
        yield f"connection is {broken or 'whole'}, not {wanted or 'whole'}"
        return
    if reply.status >= REFUSED and not any(key == "http" or key.startswith("error") for key in step.see):
        yield f"the call was refused: {reply.status} {show(follow(reply.body, ('error', 'message')))}"
    for key, expected in step.see.items():
        if key != "connection":
            yield from _difference(key, expected, reply, played)


def _difference(key: str, expected: Any, reply: Reply, played: Played) -> Iterator[str]:
    try:
        expected = resolved(expected, played.named)
    except ValueError as wrong:
        yield f"{key}: {wrong}"
        return
    if key == "webhooks":
        yield from _webhooks(expected, played)
    elif key in COUNTED and isinstance(expected, int):
        yield from _other(key, count_of(key, played), expected)
    elif key == "http":
        yield from _other(key, reply.status, expected)
    elif key == "replayed":
        yield from _other(key, reply.headers.get("x-sandbox-replayed") == "true", expected)
    else:
        yield from _in_body(key, expected, reply)


def _in_body(key: str, expected: Any, reply: Reply) -> Iterator[str]:
    path = Path(key, PLAIN, tuple(key.split(".")))
    actual = path.read(reply.body)
    tests = expected if isinstance(expected, Mapping) and expected.keys() <= OPERATORS.keys() else None
    if tests is None:
        yield from _other(key, actual, expected)
        return
    for name, value in tests.items():
        failure = Condition(path, OPERATORS[name], ready(name, value)).failure(actual)
        if failure is not None:
            yield failure


def ready(operator: str, value: Any) -> Any:
    """What stands behind an operator, as its test takes it. ValueError where it cannot stand there."""
    if operator == "matches":
        from mock_server.scenario.conditions.patterns import compile_pattern

        return compile_pattern(str(value))
    return tuple(value) if isinstance(value, list) else value


def _other(key: str, actual: object, expected: Any) -> Iterator[str]:
    if isinstance(expected, list) and not isinstance(actual, list):
        if not any(same(actual, item) for item in expected):
            yield f"{key} is {show(actual)}, none of {show(tuple(expected))}"
    elif expected is None:
        if actual is not ABSENT:
            yield f"{key} is {show(actual)}, and must not be there"
    elif not same(actual, expected):
        yield f"{key} is {show(actual)}, not {show(expected)}"


def _webhooks(expected: list[str], played: Played) -> Iterator[str]:
    seen = events(played, len(expected))
    if seen != expected:
        yield f"webhooks are {', '.join(seen) or 'none'}, not {', '.join(expected) or 'none'}"


def events(played: Played, count: int) -> list[str]:
    """The types of the events of the workspace so far, the oldest first; waits a while for so many."""
    wait = f"?wait={WAIT}&count={count}" if count else ""
    body = played.client.request("GET", f"{CONTROL}webhooks{wait}", None, {}).body
    found = body.get("data") if isinstance(body, dict) else None
    return [str(row.get("event_type")) for row in found or () if isinstance(row, dict)]


def count_of(kind: str, played: Played) -> object:
    """How many records of a kind the workspace has."""
    body = played.client.request("GET", f"/{kind}/list?limit=1", None, {}).body
    return follow(body, ("total_count",))
