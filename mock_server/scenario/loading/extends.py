"""`extends`: another scenario's cards, settings and rules come after this one's."""

from __future__ import annotations

from msgspec import structs

from mock_server.scenario.loading.story_checks import unknown_card
from mock_server.scenario.model.mistakes import Mistake, ScenarioErrors, nearest
from mock_server.scenario.model.scenario import Scenario
from mock_server.scenario.model.state import Find

LONGEST = 10


def followed(scenario: Scenario, raw: Find, names: tuple[str, ...] = ()) -> Scenario:
    """The scenario with everything it extends. Raises ScenarioErrors for a missing one and for a circle.

    `raw` finds a scenario as it was written; `names` are suggested for a name that is none.
    """
    chain = [scenario]
    while chain[-1].extends is not None:
        chain.append(_next(chain, raw, names))
    merged = chain[-1]
    for above in reversed(chain[:-1]):
        merged = _over(above, merged)
    if len(chain) > 1:
        _check_cards(merged)
    return merged


def _check_cards(merged: Scenario) -> None:
    """A story may name the cards of what its scenario extends, so they are looked at once these are known."""
    own = {row.card.name: number for number, row in merged.cards.items()}
    found = ((step.place, unknown_card(step.with_, own)) for step in merged.story)
    wrong = [Mistake(merged.file, place.line, place.column, message) for place, message in found if message]
    if wrong:
        raise ScenarioErrors(wrong)


def _next(chain: list[Scenario], raw: Find, names: tuple[str, ...]) -> Scenario:
    last = chain[-1]
    wanted = str(last.extends)
    way = " → ".join([*(link.name for link in chain), wanted])
    if any(link.name == wanted for link in chain) or len(chain) > LONGEST:
        raise _wrong(chain[0], f"extends goes round in a circle: {way}")
    found = raw(wanted)
    if found is None:
        raise _wrong(last, f"extends names no scenario: {wanted}{nearest(wanted, names)}")
    return found


def _wrong(scenario: Scenario, message: str) -> ScenarioErrors:
    place = scenario.extends_place
    line, column = (place.line, place.column) if place else (0, 0)
    return ScenarioErrors([Mistake(scenario.file, line, column, message)])


def _over(above: Scenario, base: Scenario) -> Scenario:
    """One step: what stands above comes first; rules keep their places and get numbers of their own."""
    rules = tuple(structs.replace(rule, number=len(above.rules) + at) for at, rule in enumerate(base.rules, start=1))
    return structs.replace(
        above,
        stamp=f"{above.stamp}+{base.stamp}",
        cards={**{number: card for number, card in base.cards.items() if number not in above.cards}, **above.cards},
        rules=(*above.rules, *rules),
        settings={**base.settings, **above.settings},
        extends=None,
        index={},
    )
