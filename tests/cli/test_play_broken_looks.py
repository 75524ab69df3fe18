"""A story whose counts cannot be looked at, as a rule breaks that connection too, fails, and does not crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.domain.faults import LineFault
from mock_server.scenario.conditions.on import RECORDS

CASES = [("payments", fault) for fault in LineFault] + [(name, LineFault.CONNECTION_RESET) for name in [*RECORDS][1:]]


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_a_look_that_breaks_is_a_failure(name: str, fault: LineFault, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    rule = {"on": f"{name}.list", "then": {"fault": fault}}
    step = {"do": "payments.create", "with": {"amount": 1, "currency": "EUR", "confirm": True}, "see": {name: 0}}
    path.write_text(json.dumps({"version": 1, "rules": [rule], "story": [step, step]}))
    done = CliRunner().invoke(main, ["scenarios", "play", str(path), "--timeout", "200ms"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1 and "FAIL" in done.stdout, done.output
