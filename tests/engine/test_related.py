"""What an event keeps of a payment's refunds and disputes is what they were, also after a snapshot."""

from __future__ import annotations

from msgspec import structs

from mock_server.engine import related
from mock_server.engine.kinds import DISPUTES, REFUNDS
from mock_server.store import records
from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.domain.records import PAYMENT, REFUND
from tests.domain.test_dispute import DISPUTE

REFUNDED = tuple(structs.replace(REFUND, refund_id=f"ref_{number}", created_at=number) for number in range(10))
DISPUTED = tuple(structs.replace(DISPUTE, dispute_id=f"dp_{number}", created_at=number) for number in range(2))
OTHERS = structs.replace(REFUND, refund_id="ref_other", payment_id="pay_other")
PAID = structs.replace(PAYMENT, refund_count=10, dispute_count=2)


def workspace() -> Space:
    """A workspace with refunds and disputes of two payments."""

    def fill(tx: Transaction) -> None:
        for refund in (*REFUNDED, OTHERS):
            tx.put(REFUNDS, refund)
        for dispute in DISPUTED:
            tx.put(DISPUTES, dispute)

    return Store().open("workspace", fill)


def test_a_payment_has_its_own_the_oldest_first() -> None:
    found = workspace().transact(lambda tx: related.of(tx, PAID))
    assert found == related.Related(REFUNDED, DISPUTED)


def test_what_was_kept_is_read_back() -> None:
    kept = workspace().transact(lambda tx: related.encoded(tx, PAID))
    assert related.decoded(kept) == related.Related(REFUNDED, DISPUTED)


def test_what_a_snapshot_wrote_is_read_back() -> None:
    kept = workspace().transact(lambda tx: related.encoded(tx, PAID))
    assert related.decoded(tuple(map(records.named, kept))) == related.Related(REFUNDED, DISPUTED)


def test_nothing_is_looked_up_where_there_is_nothing() -> None:
    assert workspace().transact(lambda tx: related.encoded(tx, PAYMENT)) == ()
