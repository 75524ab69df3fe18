"""A scenario as frozen values, ready to decide: rules, cards, chaos, expectations, story."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar, Final

from msgspec import Struct, field

from mock_server.domain.cards import Card
from mock_server.domain.outcomes import Outcome
from mock_server.domain.records import Discreet
from mock_server.scenario.conditions.on import On
from mock_server.scenario.conditions.paths import Path
from mock_server.scenario.conditions.when import Condition
from mock_server.scenario.model.answers import LineRule, WebhookRule


class Channel(StrEnum):
    """Where an answer applies: the issuer, the connection of the client, or the delivery of webhooks."""

    ISSUER = "issuer"
    LINE = "line"
    WEBHOOK = "webhook"


class Repeat(StrEnum):
    """What comes after the last of a list of outcomes."""

    LAST = "last"
    CYCLE = "cycle"
    STOP = "stop"


class Place(Struct, frozen=True):
    """A place in a file; line 0 if there was never a text."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Then(Struct, frozen=True):
    """One answer of a rule, by channel; None where it has nothing for a channel."""

    issuer: Outcome | None = None
    line: LineRule | None = None
    webhook: WebhookRule | None = None
    text: str = ""

    def part(self, channel: Channel) -> Outcome | LineRule | WebhookRule | None:
        found: Outcome | LineRule | WebhookRule | None = getattr(self, channel)
        return found


class During(Struct, frozen=True):
    """A period of the workspace's time since activation, in milliseconds; without a `length` it has no end."""

    start: int = 0
    length: int | None = None

    def holds(self, since: int) -> bool:
        """Whether an instant, counted from the activation, is in it."""
        return since >= self.start and (self.length is None or since < self.start + self.length)


class Rule(Struct, frozen=True, kw_only=True):
    """One rule; calls are counted by the first value at `per_paths`, which `per` names (none: for the workspace)."""

    number: int
    place: Place
    on: On
    when: tuple[Condition, ...] = ()
    skip: int = 0
    times: int | None = None
    every: int | None = None
    probability: float | None = None
    per: str = "workspace"
    per_paths: tuple[Path, ...] = ()
    during: During | None = None
    then: tuple[Then, ...]
    repeat: Repeat = Repeat.LAST

    def steps(self, channel: Channel) -> tuple[Then, ...]:
        """The answers for a channel in order; the issuer has none for calls that never reach it."""
        if not any(then.part(channel) is not None for then in self.then):
            return ()
        if channel is Channel.ISSUER:
            return tuple(t for t in self.then if t.issuer is not None or t.line is None or not t.line.ends_call)
        return self.then

    def limit(self, channel: Channel) -> int | None:
        """How many answers a channel gets of those to `times` calls, some of which never reach the issuer."""
        steps, size = self.steps(channel), len(self.then)
        if self.times is None:
            return len(steps) if self.repeat is Repeat.STOP else None
        rounds, more = divmod(self.times, size) if self.repeat is Repeat.CYCLE else (0, self.times)
        last = max(0, more - size) if self.repeat is Repeat.LAST and self.then[-1] in steps else 0
        return rounds * len(steps) + sum(then in steps for then in self.then[:more]) + last


class ScenarioCard(Struct, frozen=True):
    """A test card of a scenario, with its place."""

    card: Card
    place: Place


class Chaos(Struct, frozen=True):
    """Random failures, by channel: the name, its share of 1, and what happens."""

    line: tuple[tuple[str, float, LineRule], ...] = ()
    issuer: tuple[tuple[str, float, Outcome], ...] = ()
    webhook: tuple[tuple[str, float, WebhookRule], ...] = ()
    place: Place = Place("")


class Bound(Struct, frozen=True):
    """How often something may happen; None is no bound."""

    least: int | None = None
    most: int | None = None

    def holds(self, count: int) -> bool:
        return (self.least is None or count >= self.least) and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.least == self.most:
            return f"exactly {self.least}"
        if self.most is None:
            return f"at least {self.least}"
        return f"at most {self.most}" if not self.least else f"{self.least} to {self.most}"


class Expect(Struct, frozen=True, kw_only=True):
    """One assertion; `order` has the steps of `in_order`."""

    number: int
    place: Place
    subject: str
    on: On | None = None
    where: tuple[Condition, ...] = ()
    bound: Bound = Bound(least=1)
    unique_by: Path | None = None
    order: tuple[tuple[str, str], ...] = ()


class StoryStep(Struct, frozen=True, kw_only=True):
    """One step of a story; values in `with_` can be `$name.path` references."""

    number: int
    place: Place
    do: str | None = None
    of: str | None = None
    with_: Mapping[str, object] = field(default_factory=dict)
    by_ms: int | None = None
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    see: Mapping[str, object] = field(default_factory=dict)
    as_: str | None = None
    bare: bool = False


class Scenario(Discreet, frozen=True, kw_only=True):
    """A scenario; `stamp` changes with its text and with every reload, and counters are kept under it.

    `digest` is of the text alone. `extends` names another scenario, whose `rules`, `cards` and `settings` are added
    after those of this one.
    """

    HIDDEN: ClassVar = frozenset({"text", "index"})

    name: str
    file: str
    digest: str
    stamp: str
    summary: str = ""
    cards: Mapping[str, ScenarioCard] = field(default_factory=dict)
    given: Mapping[str, object] | None = None
    rules: tuple[Rule, ...] = ()
    chaos: Chaos | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    expect: tuple[Expect, ...] = ()
    story: tuple[StoryStep, ...] = ()
    extends: str | None = None
    extends_place: Place | None = None
    text: str = ""
    steps: int = 0
    """Those of all patterns that its rules and assertions have."""
    index: dict[tuple[Channel, tuple[str, ...]], tuple[Rule, ...]] = field(default_factory=dict)

    def listening(self, channel: Channel, names: tuple[str, ...]) -> tuple[Rule, ...]:
        """The rules with an answer in a channel for one of these names, in the file's order."""
        found = self.index.get((channel, names))
        if found is None:
            found = tuple(r for r in self.rules if r.steps(channel) and any(r.on.covers(name) for name in names))
            if len(self.index) < MOST_INDEXED:
                self.index[channel, names] = found
        return found


MOST_INDEXED: Final = 1_000
