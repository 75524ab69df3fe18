"""Every value class of the store and its defaults: what is left out means nothing, unless it stands here."""

from __future__ import annotations

from tests.values import changeable, told_defaults

TOLD = {"Index.where": "__class__", "Most.here": 2**62, "Most.total": 2**62}


def test_no_value_can_be_changed() -> None:
    assert changeable("store") == set()


def test_what_is_left_out_means_nothing_or_stands_here() -> None:
    assert told_defaults("store") == TOLD
