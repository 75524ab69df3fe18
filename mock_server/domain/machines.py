"""Every state machine as it is shown: its transitions, and what may be requested of a record in which status."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mock_server.domain.customer import MANDATE_MACHINE, METHOD_MACHINE
from mock_server.domain.dispute import DISPUTE_ASKS, DISPUTE_MACHINE, FIGHTABLE
from mock_server.domain.machine import Machine, MayAsk, StatusRow, Transition
from mock_server.domain.refund import REFUND_MACHINE
from mock_server.domain.statuses import MandateStatus, MethodStatus, RefundStatus
from mock_server.domain.transitions import ASKS, PAYMENT_MACHINE


class ShownMachine(NamedTuple):
    """The states of one kind of record, named as its routes, and the transitions between them."""

    name: str
    states: tuple[StatusRow, ...]
    ways: tuple[Transition[Any, Any], ...]


def _shown(machine: Machine[Any, Any], *asks: MayAsk) -> ShownMachine:
    return ShownMachine(machine.name, machine.statuses(asks), machine.rows)


_USABLE: Final = (MethodStatus.ACTIVE,)
_STAGES: Final = {ask: "" if ask.stages == FIGHTABLE else f" (stage {', '.join(ask.stages)})" for ask in DISPUTE_ASKS}

MACHINES: Final = (
    _shown(PAYMENT_MACHINE, *(MayAsk(ask.name, ask.allowed, "control API" in ask.cites) for ask in ASKS)),
    _shown(REFUND_MACHINE, MayAsk("update", RefundStatus), MayAsk("settle", REFUND_MACHINE.sources(), trigger=True)),
    _shown(
        DISPUTE_MACHINE,
        *(MayAsk(ask.name + stages, ask.statuses) for ask, stages in _STAGES.items()),
        MayAsk("advance", DISPUTE_MACHINE.sources(), trigger=True),
    ),
    _shown(MANDATE_MACHINE, MayAsk("charge", (MandateStatus.ACTIVE,)), MayAsk("revoke", (MandateStatus.ACTIVE,))),
    _shown(
        METHOD_MACHINE,
        MayAsk("save", (MethodStatus.AWAITING_DATA,)),
        MayAsk("charge", _USABLE),
        MayAsk("update", _USABLE),
        MayAsk("delete", MethodStatus),
    ),
)

BY_NAME: Final = {machine.name: machine for machine in MACHINES}
