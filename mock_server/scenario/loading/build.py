"""From checked values to the model."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from msgspec import structs

from mock_server.domain.card_brands import brand_named, brand_of
from mock_server.domain.cards import Card, CardType
from mock_server.domain.faults import LineFault
from mock_server.domain.issuer import Authenticates, Behaviour
from mock_server.domain.outcomes import Challenge, DisputePlan, Outcome, OutcomeStatus, Settles
from mock_server.scenario.conditions.on import on_of
from mock_server.scenario.conditions.paths import PLAIN, Path, compile_path
from mock_server.scenario.conditions.when import Pattern
from mock_server.scenario.model import answers
from mock_server.scenario.model import scenario as model
from mock_server.scenario.schema.answers import LINE_KEYS, WEBHOOK_KEYS
from mock_server.scenario.schema.block import Node, Way, mark_of
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.top import SUBJECTS

AS_WRITTEN: Final = ("when", "skip", "times", "every", "probability", "per")
"""Keys of a rule whose values the model takes as they are."""


class Builder:
    """Builds one scenario, with the place of each part in its file."""

    def __init__(self, root: Node, file: str, text: str, digest: str) -> None:
        self.root = root
        self.file = file
        self.text = text
        self.digest = digest

    def scenario(self, values: Mapping[str, Any], name: str) -> model.Scenario:
        """The scenario of a whole file."""
        rules = tuple(self._rule(at, rule) for at, rule in in_turns(enumerate(values.get("rules", ()))))
        expect = tuple(self._expect(at, item) for at, item in enumerate(values.get("expect", ())))
        conditions = chain(*(rule.when for rule in rules), *(item.where for item in expect))
        return model.Scenario(
            name=values.get("name", name),
            file=self.file,
            digest=self.digest,
            stamp=self.digest[:8],
            summary=values.get("summary", ""),
            cards=self._cards(values.get("cards", {})),
            given=values.get("given"),
            rules=rules,
            chaos=self._chaos(values["chaos"]) if "chaos" in values else None,
            settings=values.get("settings", {}),
            expect=expect,
            steps=sum(one.expected.steps for one in conditions if isinstance(one.expected, Pattern)),
            story=tuple(self._step(at, step) for at, step in enumerate(values.get("story", ()))),
            extends=values.get("extends"),
            extends_place=self._place(("extends",)) if "extends" in values else None,
            text=self.text,
        )

    def _place(self, way: Way, key: bool = False) -> model.Place:
        mark = mark_of(self.root, way, key)
        if not mark.line:
            steps = (f"{step + 1}" if isinstance(step, int) else str(step).removesuffix("s") for step in way)
            return model.Place(f"{self.file} {' '.join(steps)}".rstrip())
        return model.Place(self.file, mark.line, mark.column)

    def _cards(self, cards: Mapping[str, Mapping[str, Any]]) -> dict[str, model.ScenarioCard]:
        written = (self.root.items or {}).get("cards")
        keys = dict(zip(cards, written.items or (), strict=False)) if written else {}
        return {
            number: model.ScenarioCard(card_of(number, card, place), place)
            for number, card in cards.items()
            for place in [self._place(("cards", keys.get(number, number)), key=True)]
        }

    def _rule(self, at: int, rule: Mapping[str, Any]) -> model.Rule:
        during, per = rule.get("during"), rule.get("per", "workspace")
        return model.Rule(
            number=at + 1,
            place=self._place(("rules", at)),
            on=on_of(tuple(rule["on"])),
            **{name: rule[name] for name in AS_WRITTEN if name in rule},
            per_paths=tuple(map(compile_path, PER.get(per, per).split())),
            during=None if during is None else model.During(during.get("from_", 0), during.get("for_")),
            then=tuple(map(then_of, rule["then"])),
            repeat=model.Repeat(rule.get("repeat", "last")),
        )

    def _chaos(self, chaos: Mapping[str, Any]) -> model.Chaos:
        kept = chaos.get("effect") == "kept"
        faults = [
            (f.value, chaos[f.value], answers.LineRule(fault=f, kept=kept)) for f in LineFault if f.value in chaos
        ]
        errors = [
            (f"error {code}", share, answers.LineRule(error=answers.ErrorAnswer(code), kept=kept))
            for code, share in chaos.get("error", {}).items()
        ]
        declines = [
            (f"decline {name}", share, Outcome(OutcomeStatus.FAILED, decline=name))
            for name, share in chaos.get("decline", {}).items()
        ]
        on_delivery = {"webhook_copies": answers.WebhookRule(copies=2), "webhook_drop": answers.WebhookRule(drop=True)}
        webhooks = [(key, chaos[key], rule) for key, rule in on_delivery.items() if key in chaos]
        return model.Chaos((*faults, *errors), tuple(declines), tuple(webhooks), self._place(("chaos",), key=True))

    def _expect(self, at: int, item: Mapping[str, Any]) -> model.Expect:
        subject = next((key for key in SUBJECTS if key in item), "in_order")
        about = item[subject] if subject != "in_order" else {}
        path = item.get("unique_by")
        return model.Expect(
            number=at + 1,
            place=self._place(("expect", at)),
            subject=subject,
            on=on_of(tuple(about["on"])) if "on" in about else None,
            where=about.get("where", ()),
            bound=_bound(item),
            unique_by=Path(path, PLAIN, tuple(path.split("."))) if path else None,
            order=tuple(item.get("in_order", ())),
        )

    def _step(self, at: int, step: Mapping[str, Any]) -> model.StoryStep:
        others = {name: value for name, value in step.items() if name != "by"}
        return model.StoryStep(number=at + 1, place=self._place(("story", at)), by_ms=step.get("by"), **others)


def card_of(number: str, card: Mapping[str, Any], place: model.Place) -> Card:
    """A card in the form of the built-in table."""
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


PER: Final = {
    "workspace": "",
    "payment": "payment.payment_id body.payment_id",
    "customer": "payment.customer_id customer.customer_id body.customer_id body.customer.id query.customer_id",
}
"""Where `per` finds its value: for the connection of a call that makes a payment, there is no record yet."""


def _bound(item: Mapping[str, Any]) -> model.Bound:
    exact = item.get("exactly")
    least, most = item.get("at_least", exact), item.get("at_most", exact)
    return model.Bound(least=1) if least is most is None else model.Bound(least, most)


def then_of(values: Mapping[str, Any]) -> model.Then:
    """One answer, channel by channel."""
    issuer, line, webhook = outcome_of(values), line_of(values), webhook_of(values)
    said = (issuer and answers.say(issuer), line and answers.say_line(line), webhook and answers.say_webhook(webhook))
    return model.Then(issuer, line, webhook, "; ".join(text for text in said if text))


def outcome_of(values: Mapping[str, Any]) -> Outcome | None:
    """What the issuer answers; None without a key of the issuer."""
    if not any(key in values for key in answers.ISSUER_KEYS):
        return None
    settles = _settles(values)
    succeeds = Outcome(OutcomeStatus.SUCCEEDED)
    later = {answers.LATER_NAMES[name]: outcome_of(part) or succeeds for name, part in values.get("later", {}).items()}
    disputes = tuple(map(_dispute, values.get("dispute", ())))
    word = _word(values)
    if word is OutcomeStatus.REQUIRES_ACTION:
        return _challenged(values, settles, Outcome(OutcomeStatus.SUCCEEDED, later=later, disputes=disputes))
    decline = values.get("decline") if word is OutcomeStatus.FAILED else None
    return Outcome(
        word, decline=decline, settles=settles, later=later, disputes=disputes, expires_ms=values.get("expires")
    )


def _dispute(dispute: Mapping[str, Any]) -> DisputePlan:
    amount = dispute.get("amount", "100%")
    is_share = isinstance(amount, str)
    return DisputePlan(
        reason=dispute.get("reason", "general"),
        stage=dispute.get("stage", "dispute"),
        after_ms=dispute.get("after", 0),
        amount=None if is_share else amount,
        percent=int(amount[:-1]) if is_share else 100,
        respond_ms=dispute.get("respond_within"),
    )


def _word(values: Mapping[str, Any]) -> OutcomeStatus:
    """The outcome's word, as written or implied."""
    if "outcome" in values:
        return OutcomeStatus(values["outcome"])
    if "challenge" in values:
        return OutcomeStatus.REQUIRES_ACTION
    if "settles" in values:
        return OutcomeStatus.PENDING
    return OutcomeStatus.FAILED if "decline" in values else OutcomeStatus.SUCCEEDED


def _challenged(values: Mapping[str, Any], settles: Settles | None, approved: Outcome) -> Outcome:
    """A challenge, and what the issuer answers once it is passed, if the file says so."""
    challenge = values.get("challenge", {})
    then = None
    if settles is not None:
        then = structs.replace(approved, word=OutcomeStatus.PENDING, settles=settles)
    elif "decline" in values:
        then = Outcome(OutcomeStatus.FAILED, decline=values["decline"])
    elif approved.later or approved.disputes:
        then = approved
    return Outcome(
        OutcomeStatus.REQUIRES_ACTION,
        challenge=Challenge(challenge["result"]) if challenge else None,
        challenge_after_ms=challenge.get("after"),
        then=then,
        later=approved.later,
        expires_ms=values.get("expires"),
    )


def _settles(values: Mapping[str, Any]) -> Settles | None:
    settles = values.get("settles")
    if settles is None:
        return None
    word = OutcomeStatus(settles.get("as_", "succeeded"))
    decline = settles.get("decline", values.get("decline")) if word is OutcomeStatus.FAILED else None
    return Settles(word, settles.get("after"), settles.get("after_polls"), decline)


def line_of(values: Mapping[str, Any]) -> answers.LineRule | None:
    """What happens to the connection; None without such a key."""
    if not any(key in values for key in LINE_KEYS):
        return None
    return answers.LineRule(
        error=answers.ErrorAnswer(**values["error"]) if "error" in values else None,
        respond=answers.RawAnswer(**values["respond"]) if "respond" in values else None,
        delay=_delay(values["delay"]) if "delay" in values else None,
        fault=LineFault(values["fault"]) if "fault" in values else None,
        kept=values.get("effect") == "kept",
        headers=values.get("headers", {}),
    )


def _delay(delay: Mapping[str, Any]) -> answers.Delay:
    if "fixed" in delay:
        return answers.Delay(delay["fixed"], delay["fixed"])
    if "between" in delay:
        return answers.Delay(*delay["between"])
    return answers.Delay(delay["p50"], delay["p99"], percentiles=True)


def webhook_of(values: Mapping[str, Any]) -> answers.WebhookRule | None:
    """What happens to a delivery; None without such a key."""
    if not any(key in values for key in WEBHOOK_KEYS):
        return None
    return answers.WebhookRule(
        deliver=answers.Deliver(**values["deliver"]) if "deliver" in values else None,
        **{name: values[name] for name in ("drop", "copies", "concurrently", "signature") if name in values},
        stale=values.get("body") == "stale",
    )
