"""From values that were found sound to the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mock_server.domain.card_brands import brand_named, brand_of
from mock_server.domain.cards import Card, CardType
from mock_server.domain.faults import LineFault
from mock_server.domain.issuer import Authenticates, Behaviour
from mock_server.domain.outcomes import Outcome, OutcomeStatus
from mock_server.scenario.conditions.paths import PLAIN, Path, compile_path
from mock_server.scenario.loading.build_then import outcome_of, then_of
from mock_server.scenario.model.answers import ErrorAnswer, LineRule, WebhookRule
from mock_server.scenario.model.scenario import (
    Bound,
    Chaos,
    During,
    Expect,
    Given,
    Place,
    Repeat,
    Rule,
    Scenario,
    ScenarioCard,
    StoryStep,
)
from mock_server.scenario.schema.expect import SUBJECTS
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.nodes import Node, Way, mark_of
from mock_server.scenario.schema.rule import on_of

AS_WRITTEN: Final = ("when", "skip", "times", "every", "probability", "per")
"""Keys of a rule whose values the model takes as they are."""


class Builder:
    """Builds one scenario; knows the file's name and where everything stands."""

    def __init__(self, root: Node, file: str, text: str, digest: str) -> None:
        self.root = root
        self.file = file
        self.text = text
        self.digest = digest

    def scenario(self, values: Mapping[str, Any], name: str) -> Scenario:
        """The scenario of a whole file."""
        return Scenario(
            name=values.get("name", name),
            file=self.file,
            digest=self.digest,
            stamp=self.digest[:8],
            summary=values.get("summary", ""),
            cards=self._cards(values.get("cards", {})),
            given=self._given(values.get("given")),
            rules=tuple(self._rule(at, rule) for at, rule in in_turns(enumerate(values.get("rules", ())))),
            chaos=self._chaos(values.get("chaos")),
            settings=values.get("settings", {}),
            expect=tuple(self._expect(at, item) for at, item in enumerate(values.get("expect", ()))),
            story=tuple(self._step(at, step) for at, step in enumerate(values.get("story", ()))),
            extends=values.get("extends"),
            extends_place=self._place(("extends",)) if "extends" in values else None,
            text=self.text,
        )

    def _place(self, way: Way, key: bool = False) -> Place:
        mark = mark_of(self.root, way, key)
        if not mark.line:
            words = (f"{step + 1}" if isinstance(step, int) else str(step).removesuffix("s") for step in way)
            return Place(f"{self.file} {' '.join(words)}".rstrip())
        return Place(self.file, mark.line, mark.column)

    def _cards(self, cards: Mapping[str, Mapping[str, Any]]) -> dict[str, ScenarioCard]:
        written = (self.root.items or {}).get("cards")
        keys = dict(zip(cards, written.items or (), strict=False)) if written else {}
        return {
            number: ScenarioCard(card_of(number, card, place), place)
            for number, card in cards.items()
            for place in [self._place(("cards", keys.get(number, number)), key=True)]
        }

    def _given(self, given: Mapping[str, object] | None) -> Given | None:
        return None if given is None else Given(given, self._place(("given",), key=True))

    def _rule(self, at: int, rule: Mapping[str, Any]) -> Rule:
        during = rule.get("during")
        return Rule(
            number=at + 1,
            place=self._place(("rules", at)),
            on=on_of(rule["on"]),
            **{name: rule[name] for name in AS_WRITTEN if name in rule},
            per_path=per_path(rule.get("per", "workspace")),
            during=None if during is None else During(during.get("from_", 0), during.get("for_")),
            then=tuple(map(then_of, rule["then"])),
            repeat=Repeat(rule.get("repeat", "last")),
        )

    def _chaos(self, chaos: Mapping[str, Any] | None) -> Chaos | None:
        if chaos is None:
            return None
        kept = chaos.get("effect") == "kept"
        faults = [(f.value, chaos[f.value], LineRule(fault=f, kept=kept)) for f in LineFault if f.value in chaos]
        errors = [
            (f"error {code}", share, LineRule(error=ErrorAnswer(code), kept=kept))
            for code, share in chaos.get("error", {}).items()
        ]
        declines = [
            (f"decline {name}", share, Outcome(OutcomeStatus.FAILED, decline=name))
            for name, share in chaos.get("decline", {}).items()
        ]
        webhooks = [
            (key, chaos[key], rule)
            for key, rule in (("webhook_copies", WebhookRule(copies=2)), ("webhook_drop", WebhookRule(drop=True)))
            if key in chaos
        ]
        return Chaos((*faults, *errors), tuple(declines), tuple(webhooks), self._place(("chaos",), key=True))

    def _expect(self, at: int, item: Mapping[str, Any]) -> Expect:
        subject = next((key for key in SUBJECTS if key in item), "in_order")
        about = item.get(subject) if subject != "in_order" else {}
        about = about if isinstance(about, dict) else {}
        return Expect(
            number=at + 1,
            place=self._place(("expect", at)),
            subject=subject,
            on=on_of(about["on"]) if "on" in about else None,
            where=about.get("where", ()),
            bound=_bound(item),
            unique_by=_record_path(item.get("unique_by")),
            order=tuple(item.get("in_order", ())),
        )

    def _step(self, at: int, step: Mapping[str, Any]) -> StoryStep:
        return StoryStep(
            number=at + 1,
            place=self._place(("story", at)),
            by_ms=step.get("by"),
            **{name: value for name, value in step.items() if name != "by"},
        )


def card_of(number: str, card: Mapping[str, Any], place: Place) -> Card:
    """A row as the built-in table has them."""
    row = brand_named(card["brand"]) if "brand" in card else None
    says = outcome_of(card) or Outcome(OutcomeStatus.SUCCEEDED)
    asks = Authenticates.ON_REQUEST if says.word is OutcomeStatus.SUCCEEDED else Authenticates.NEVER
    return Card(
        number,
        card["name"],
        row.name if row else brand_of(number),
        CardType(card.get("type", "credit")),
        Behaviour(says=says, authenticates=asks),
        str(place),
    )


def per_path(per: str) -> Path | None:
    """The path to the value that keeps counters apart; None for the workspace's."""
    path = {"payment": "payment.payment_id", "customer": "payment.customer_id"}.get(per, per)
    return None if path == "workspace" else compile_path(path)


def _record_path(text: str | None) -> Path | None:
    return None if text is None else Path(text, PLAIN, tuple(text.split(".")))


def _bound(item: Mapping[str, Any]) -> Bound:
    if "exactly" in item:
        return Bound(item["exactly"], item["exactly"])
    if "at_least" in item or "at_most" in item:
        return Bound(item.get("at_least"), item.get("at_most"))
    return Bound(least=1)


def names_twice(cards: Mapping[str, Mapping[str, Any]]) -> Sequence[tuple[str, str]]:
    """Numbers whose card has the name of an earlier one, with that name."""
    seen: set[str] = set()
    found = []
    for number, card in cards.items():
        name = card.get("name", "")
        if name in seen:
            found.append((number, name))
        seen.add(name)
    return found
