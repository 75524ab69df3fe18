"""Bytes are found again by the very record that they show, and by no other."""

from __future__ import annotations

from msgspec import structs

from mock_server.contract.answers.writing import MOST_KEPT, WrittenAnswers
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.outcomes import Reason

OTHER = structs.replace(INTERFACE, name="other")


def test_bytes_belong_to_one_record_in_one_dialect() -> None:
    kept, one, twin = WrittenAnswers(), Reason("card", "x"), Reason("card", "x")
    written = kept.keep(one, INTERFACE, b"1")
    assert kept.find(one, INTERFACE) is written
    assert (written.record, written.text) == (one, b"1")
    assert one == twin
    assert kept.find(twin, INTERFACE) is None
    assert kept.find(one, OTHER) is None


def test_no_more_than_two_generations_are_kept() -> None:
    kept = WrittenAnswers()
    records = [Reason("card", str(number)) for number in range(3 * MOST_KEPT)]
    for record in records:
        kept.keep(record, INTERFACE, record.text.encode())
    newest = [*reversed(records)]
    found = [written.text for record in newest if (written := kept.find(record, INTERFACE))]
    assert MOST_KEPT <= len(found) <= 2 * MOST_KEPT + 1
    assert found == [record.text.encode() for record in newest[: len(found)]]
