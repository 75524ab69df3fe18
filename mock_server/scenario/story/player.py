"""Stories: a client's run-through, played step by step against a running sandbox.

The player knows no HTTP. It is handed a client that sends a request and gives back the reply, or says how the line
broke; so the command line, the tests and the pytest plugin play the same stories.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from mock_server.scenario.model.scenario import Scenario, StoryStep
from mock_server.scenario.story.client import NO_REPLY, Client, LineBroken, Played, Reply
from mock_server.scenario.story.differences import differences
from mock_server.scenario.story.requests import Request, request_of
from mock_server.scenario.story.steps import AGAIN


class StepResult(Struct, frozen=True):
    """One played step: what was done, what came of it, what differs from what should be seen, and the reason."""

    step: StoryStep
    did: str
    got: str
    problems: tuple[str, ...] = ()
    because: str | None = None

    @property
    def holds(self) -> bool:
        """Whether everything was as it should be."""
        return not self.problems

    def __str__(self) -> str:
        lines = [f"{'ok  ' if self.holds else 'FAIL'} {self.step.number}. {self.did} → {self.got}"]
        lines += [f"       because {self.because}"] if self.because else []
        return "\n".join([*lines, *(f"       {problem} ({self.step.place})" for problem in self.problems)])


def play(scenario: Scenario, client: Client) -> Iterator[StepResult]:
    """Plays a scenario's story; the scenario must be active and the workspace fresh. Stops at nothing."""
    cards = {row.card.name: number for number, row in scenario.cards.items()}
    played = Played(client, cards, {"publishable_key": client.publishable_key})
    for step in scenario.story:
        yield _step(step, played)


def _step(step: StoryStep, played: Played) -> StepResult:
    try:
        request = _request(step, played)
    except ValueError as wrong:
        return StepResult(step, step.do or "look", "nothing was sent", (str(wrong),))
    reply, broken = _sent(request, played)
    if step.as_ is not None and reply.body is not None:
        played.named[step.as_] = reply.body
    problems = differences(step, reply, broken, played)
    did = "look" if request is None else f"{step.do} ({request.method} {request.path})"
    return StepResult(step, did, _got(request, reply, broken), tuple(problems), _because(reply))


def _because(reply: Reply) -> str | None:
    """The reason from the answer's header, where signs beyond ASCII are written as percents."""
    from urllib.parse import unquote

    said = reply.headers.get("x-sandbox-because")
    return None if said is None else unquote(said)


def _request(step: StoryStep, played: Played) -> Request | None:
    if step.do is None:
        return None
    if step.do != AGAIN:
        return request_of(step, played.named, played.cards)
    if played.last is None:
        raise ValueError("again has no step before it")
    return played.last if step.key is None else played.last.with_key(step.key)


def _sent(request: Request | None, played: Played) -> tuple[Reply, str | None]:
    if request is None:
        return NO_REPLY, None
    if not request.is_control:
        played.last = request
    try:
        return played.client.request(request.method, request.path, request.json, request.headers), None
    except LineBroken as broken:
        return NO_REPLY, broken.how


def _got(request: Request | None, reply: Reply, broken: str | None) -> str:
    if broken is not None:
        return f"connection {broken}"
    if request is None:
        return "seen"
    status = reply.body.get("status") if isinstance(reply.body, dict) else None
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    said = status if isinstance(status, str) else error.get("code") if isinstance(error, dict) else None
    return f"{reply.status} {said}" if said else str(reply.status)
