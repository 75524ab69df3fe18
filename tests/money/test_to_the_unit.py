"""Each act that has a limit takes exactly that much, and not one minor unit more; amounts where a share is rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from tests.api.money_places import fine
from tests.counts import times
from tests.wire import Wire, wire

AMOUNTS: Final = (1, 2, 4, 5, 9, 10, 99, 101, 999, 6540, 100_003)


class Act(NamedTuple):
    """What is made of an amount, the call after it with its field for the amount, and the most that this may be."""

    fields: dict[str, Any]
    before: tuple[tuple[str, str, float], ...]
    path: str
    field: str
    most: Callable[[int], int]


MANUAL: Final = {"capture_method": "manual"}
SEVERAL: Final = {"capture_method": "manual_multiple"}
CAPTURE: Final = ("/payments/{}/capture", "amount_to_capture")
REFUND: Final = ("/refunds", "amount")
DISPUTE: Final = ("/_sandbox/payments/{}/dispute", "amount")
ACTS: Final = {
    "capture": Act(MANUAL, (), *CAPTURE, lambda of: of),
    "overcapture": Act({**MANUAL, "enable_overcapture": True}, (), *CAPTURE, lambda of: of * 120 // 100),
    "one of several": Act(SEVERAL, (), *CAPTURE, lambda of: of),
    "the rest of several": Act(SEVERAL, ((*CAPTURE, 0.5),), *CAPTURE, lambda of: of - half(of)),
    "refund": Act({}, (), *REFUND, lambda of: of),
    "refund of a part": Act(MANUAL, ((*CAPTURE, 0.5),), *REFUND, lambda of: half(of)),
    "a second refund": Act({}, ((*REFUND, 0.5),), *REFUND, lambda of: of - half(of)),
    "refund of more": Act(
        {**MANUAL, "enable_overcapture": True}, ((*CAPTURE, 1.2),), *REFUND, lambda of: of * 120 // 100
    ),
    "dispute": Act({}, (), *DISPUTE, lambda of: of),
    "a second dispute": Act({}, ((*DISPUTE, 0.5),), *DISPUTE, lambda of: of - half(of)),
    "refund of what is disputed": Act({}, ((*DISPUTE, 0.5),), *REFUND, lambda of: of - half(of)),
}


def half(amount: int) -> int:
    return max(1, int(amount * 0.5))


def do(api: Wire, payment: str, path: str, field: str, amount: int) -> Any:
    body = {field: amount} | ({"payment_id": payment} if path == "/refunds" else {})
    return api.post(path.format(payment), body)


@pytest.mark.parametrize("name", ACTS)
def test_the_limit_is_exact(name: str) -> None:
    act, api = ACTS[name], wire()
    for amount in (*AMOUNTS, *range(11, times(11, soak=1000))):
        payment, most = fine(api.pay(amount=amount, **act.fields))["payment_id"], act.most(amount)
        for path, field, share in act.before:
            fine(do(api, payment, path, field, most if share > 1 else half(amount)))
        for asked, fits in ((most + 1, False), (most, True), (1, False))[: 3 if most else 1]:
            reply = do(api, payment, act.path, act.field, asked)
            assert (reply.status == 200) is fits, (amount, asked, most, reply.raw)
