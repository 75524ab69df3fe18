"""Refusals: each names its cause and has the values that explain it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from mock_server.domain.causes import Cause as Cause
from mock_server.domain.causes import CauseGroup as CauseGroup


class ObjectKind(StrEnum):
    """The kinds of objects, for `object_unknown`."""

    PAYMENT = "payment"
    REFUND = "refund"
    CUSTOMER = "customer"
    PROFILE = "business profile"
    PAYMENT_METHOD = "payment method"
    MANDATE = "mandate"
    MERCHANT = "merchant account"
    CONNECTOR = "connector account"
    API_KEY = "api key"
    EPHEMERAL_KEY = "ephemeral key"
    EVENT = "event"
    POLL = "poll"
    PAYMENT_LINK = "payment link"
    CALL = "call"
    REPORT = "report"
    SCENARIO = "scenario"
    SNAPSHOT = "snapshot"


NO_BOUNDARY: Final = "its content type has no boundary"
"""The reason for which a form has no parts."""
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class FieldError(Struct, frozen=True):
    """One wrong field: its dotted path and what is wrong, as a clause about it ("must be a whole number").

    The message never contains a value that could be a card number, a code or a secret. `rule` names the rule that the
    field breaks, and `values` are for a dialect's own sentence about that rule.
    """

    field: str
    message: str
    cause: Cause = Cause.VALUE_INVALID
    rule: str = ""
    values: Mapping[str, object] = _NOTHING


class Refusal(Exception):
    """A call that is answered with an error: `Refusal(Cause.STATUS_FORBIDS, action="cancel", status=status)`.

    `values` are the params of the cause, `fields` the wrong fields, `extras` further members of the answer (`reason`,
    `connector`, `data`, `payment_id` …).
    """

    def __init__(
        self,
        cause: Cause,
        *,
        fields: tuple[FieldError, ...] = (),
        extras: Mapping[str, object] | None = None,
        **values: object,
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.fields = fields
        self.extras = _NOTHING if extras is None else extras
        self.values: Mapping[str, object] = values

    @classmethod
    def of_fields(cls, fields: Iterable[FieldError]) -> Refusal:
        """Refuse wrong fields with the cause that they share, or else as invalid values."""
        wrong = tuple(fields)
        causes = {field.cause for field in wrong}
        return cls(causes.pop() if len(causes) == 1 else Cause.VALUE_INVALID, fields=wrong)

    @property
    def gives_back(self) -> bool:
        """Whether an idempotency claim is released, as the operation had not begun; otherwise the answer is stored."""
        return self.cause.gives_back

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.values.items())
        wrong = ", ".join(f"{field.field}: {field.message}" for field in self.fields)
        return "; ".join(part for part in (str(self.cause), said, wrong) if part)
