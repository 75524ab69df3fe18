"""Every place that `scenarios play` names is a line of a file: of a rule, a card, an assertion and a difference."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Final

import pytest
from click.testing import CliRunner

import mock_server
from mock_server.cli import main
from mock_server.scenario.loading.library import bundled_files
from tests.counts import times

ROOT: Final = Path(mock_server.__file__).parents[1]
PLACE: Final = re.compile(r"(?: at |\()([^\n()]+?\.yaml|\w+):(\d+)")
BASE: Final = """version: 1
name: base
rules:
  - on: payments.capture
    then: {fault: connection_reset, effect: kept}
"""
OWN: Final = """version: 1
name: own
extends: base
rules:
  - on: charge
    when: {payment.amount: 4200}
    then: {decline: insufficient_funds}
cards:
  4000000000001232: {name: mine, decline: do_not_honor}
expect:
  - {calls: payments.create, exactly: 9}
story:
  - do: payments.create
    with: {amount: 4200, currency: EUR, confirm: true, card: success}
    see: {status: succeeded}
  - do: payments.create
    with: {amount: 100, currency: EUR, confirm: true, card: mine}
  - do: payments.create
    with: {amount: 100, currency: EUR, confirm: true, card: success, capture_method: manual}
    as: held
  - {do: payments.capture, of: $held, see: {connection: reset}}
  - {do: payments.retrieve, of: $held}
"""


def places(printed: str) -> list[tuple[str, int]]:
    return [(found[1], int(found[2])) for found in PLACE.finditer(printed)]


def line_of(file: str, number: int) -> str:
    return (ROOT / file).read_text().splitlines()[number - 1]


def test_each_place_of_ones_own_files_is_named(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "own.yaml").write_text(OWN)
    played = CliRunner().invoke(main, ["scenarios", "play", str(tmp_path / "own.yaml")])
    assert played.exit_code == 1, played.output
    lines = [line_of(file, number) for file, number in places(played.output)]
    for part in ("on: charge", "on: payments.capture", "name: mine", "exactly: 9", "do: payments.create"):
        assert any(part in line for line in lines), (part, played.output)


@pytest.mark.parametrize("name", Random("places").sample(sorted(bundled_files()), times(3, soak=len(bundled_files()))))
def test_each_place_of_a_shipped_scenario_is_named(name: str) -> None:
    played = CliRunner().invoke(main, ["scenarios", "play", name])
    if played.exit_code != 3:  # without a story there is nothing to play
        assert played.exit_code == 0, played.output
        assert all(line_of(file, number) for file, number in places(played.output)), played.output
