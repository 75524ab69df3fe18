from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from mock_server.domain.making import maker
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True, slots=True)
class Alone:
    only: str


@dataclass(frozen=True, slots=True)
class Deeper(Point):
    z: int = 0


@dataclass(frozen=True)
class Loose:
    x: int


def a_payment() -> Payment:
    return Payment(
        payment_id="pay_1",
        merchant_id="mer_1",
        profile_id="pro_1",
        status=PaymentStatus.SUCCEEDED,
        amount=100,
        currency="USD",
        client_secret="pay_1_secret_1",
        created_at=1,
        modified_at=2,
        expires_at=3,
        session_expiry_s=900,
    )


@pytest.mark.parametrize("record", [Point(1, 2), Alone("a"), a_payment()])
def test_what_is_made_is_the_record(record: Point | Alone | Payment) -> None:
    kind: type[Point | Alone | Payment] = type(record)
    made = maker(kind)([getattr(record, f.name) for f in fields(record)])
    assert made == record
    assert type(made) is kind
    assert repr(made) == repr(record)


def test_what_is_made_is_frozen_and_can_be_replaced() -> None:
    made = maker(Point)([1, 2])
    with pytest.raises(FrozenInstanceError):
        made.x = 3  # type: ignore[misc]  # frozen: that is the point
    assert replace(made, x=3) == Point(3, 2)


def test_a_value_too_few_or_too_many_is_refused() -> None:
    with pytest.raises(ValueError, match="not enough values"):
        maker(Point)([1])
    with pytest.raises(ValueError, match="too many values"):
        maker(Point)([1, 2, 3])


@pytest.mark.parametrize("kind", [Deeper, Loose])
def test_a_class_without_slots_of_its_own_is_refused(kind: type) -> None:
    with pytest.raises(TypeError, match="slots of its own"):
        maker(kind)
