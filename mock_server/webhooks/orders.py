"""How a scenario wants one delivery sent, as the event keeps it until then."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mock_server import jsontext
from mock_server.scenario.model.answers import WebhookRule


class DeliveryOrders(NamedTuple):
    """What a drawn rule leaves for the sending; `scenarios` are those that the call named in its header."""

    copies: int = 1
    concurrently: bool = False
    signature: str | None = None
    stale: bool = False
    scenarios: tuple[str, ...] | None = None
    because: str | None = None

    def kept(self) -> str | None:
        """As JSON text; None where there is nothing to say."""
        said = {name: value for name, value in self._asdict().items() if value != _USUAL[name]}
        return jsontext.dump(said).decode() if said else None


USUAL: Final = DeliveryOrders()
_USUAL: Final[dict[str, Any]] = USUAL._asdict()


def of_rule(rule: WebhookRule, scenarios: tuple[str, ...] | None, because: str) -> DeliveryOrders:
    """What a rule leaves to be done when the delivery leaves."""
    return DeliveryOrders(rule.copies, rule.concurrently, rule.signature, rule.stale, scenarios, because)


def read(kept: str | None) -> DeliveryOrders:
    """The orders that an event kept."""
    if kept is None:
        return USUAL
    said: Any = jsontext.parse(kept.encode())
    scenarios = said.pop("scenarios", None)
    return DeliveryOrders(**said, scenarios=None if scenarios is None else tuple(scenarios))
