"""Every value class of the stages of a call and its defaults: what is left out means nothing, unless it stands here."""

from __future__ import annotations

from mock_server.http.recording import RECORDERS, Recorders
from tests.values import changeable, told_defaults

CHANGEABLE = {"Call"}
TOLD = {
    "Call.took_place": True,
    "PageRow.methods": ("GET",),
    **{f"Recorders.{name}": getattr(RECORDERS, name) for name in Recorders.__struct_fields__},
}


def test_only_these_values_can_be_changed() -> None:
    assert changeable("http") == CHANGEABLE


def test_what_is_left_out_means_nothing_or_stands_here() -> None:
    assert told_defaults("http") == TOLD
