"""A card's fingerprint: the same for the same card, and never what passes for a card's number."""

from __future__ import annotations

from mock_server.domain import hiding
from mock_server.domain.cards import CARDS
from mock_server.engine.payments.instrument import fingerprint
from mock_server.keyed import Keyed
from tests.counts import times


def test_no_fingerprint_passes_for_a_number() -> None:
    unlucky = 0
    for at in range(times(100, soak=10_000)):
        keyed = Keyed(b"%d" % at)
        found = [fingerprint(keyed, card.number) for card in CARDS]
        assert len({*found}) == len({card.number for card in CARDS}) and {*map(len, found)} == {40}
        assert [fingerprint(keyed, card.number) for card in CARDS] == found
        assert not [mark for mark in found if hiding.without_numbers(mark) != mark]
        unlucky += sum(
            not keyed.digest(card.number.encode()).hex().startswith(mark)
            for card, mark in zip(CARDS, found, strict=True)
        )
    assert unlucky > 0


class Middle(Keyed):
    """Whose first digest has a number in its middle."""

    def digest(self, message: bytes) -> bytes:
        return bytes.fromhex("ab" * 12 + CARDS[0].number + "cd" * 12) if message == b"1" else super().digest(message)


def test_a_number_in_the_middle_of_a_digest_is_no_fault() -> None:
    keyed = Middle(b"key")
    mark = fingerprint(keyed, "1")
    assert (len(mark), hiding.without_numbers(mark)) == (40, mark)
    assert fingerprint(keyed, "1") == mark
