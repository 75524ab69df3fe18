"""The requests of the control API, each as a `Shape` to load bodies and queries with."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.payments import NOTHING as NOTHING
from mock_server.control.requests.commands import (
    AdvanceClock,
    Authenticate,
    Expire,
    Fail,
    FreezeClock,
    LookAtJournal,
    LookAtTimeline,
    ResetWorkspace,
    Settle,
    TakeSnapshot,
)
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.outcomes import Challenge, OutcomeStatus

_PARAMETER: Final = Cause.UNKNOWN_PARAMETER
_NAMES: Final = {"wait": "wait_ms", "count": "enough"}
_TRUE: Final = frozenset({"1", "true"})
Loaded = dict[str, Any]


def _schema(name: str) -> Any:
    from mock_server.control.requests import bodies

    return getattr(bodies, name)()


def _sent(loaded: Loaded) -> Loaded:
    """What was sent and is not null."""
    return {name: value for name, value in loaded.items() if value is not None}


def _advance(loaded: Loaded) -> AdvanceClock:
    """Asked once the values are good by themselves, so that a wrong one is the only one named."""
    sent = _sent(loaded)
    if ("by" in sent) == ("to" in sent):
        raise Refusal(Cause.VALUE_INVALID, fields=(FieldError("by", "must be there, or to instead of it"),))
    return AdvanceClock(**sent)


def _settle(loaded: Loaded) -> Settle:
    return Settle(OutcomeStatus(loaded["as"]), loaded.get("amount"), loaded.get("decline"))


def _waiting(loaded: Loaded) -> Loaded:
    return {_NAMES.get(name, name): value for name, value in _sent(loaded).items()}


RESET: Final = Shape(lambda: _schema("ResetBody"), lambda loaded: ResetWorkspace(**loaded))
FREEZE: Final = Shape(lambda: _schema("FreezeBody"), lambda loaded: FreezeClock(**loaded))
ADVANCE: Final = Shape(lambda: _schema("AdvanceBody"), _advance)
AUTHENTICATE: Final = Shape(
    lambda: _schema("AuthenticateBody"), lambda loaded: Authenticate(Challenge(loaded["result"]))
)
SETTLE: Final = Shape(lambda: _schema("SettleBody"), _settle)
FAIL: Final = Shape(lambda: _schema("FailBody"), lambda loaded: Fail(**loaded))
EXPIRE: Final = Shape(lambda: _schema("ExpireBody"), lambda loaded: Expire(**loaded))
JOURNAL: Final = Shape(lambda: _schema("JournalQuery"), lambda loaded: LookAtJournal(**_waiting(loaded)), _PARAMETER)
TIMELINE: Final = Shape(
    lambda: _schema("TimelineQuery"),
    lambda loaded: LookAtTimeline(loaded.get("format") or "json", loaded.get("colour") in _TRUE),
    _PARAMETER,
)
SNAPSHOT: Final = Shape(
    lambda: _schema("SnapshotQuery"), lambda loaded: TakeSnapshot(loaded.get("journal") in _TRUE), _PARAMETER
)
