"""`payment-sandbox states`: every machine as text, as JSON and as diagrams."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from mock_server.cli.tables import states as command
from mock_server.domain.machines import MACHINES, ShownMachine
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import PAYMENT_MACHINE

each_machine = pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
ARROW = re.compile(r" +(\S+) --> (\S+?)(?:: (.+))?")


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def arrows(lines: list[str], prefix: str = "") -> set[tuple[str, str, str]]:
    """Every (from, what, to) that a diagram's lines draw, the beginning and the end as `[*]`."""
    found = (ARROW.fullmatch(line) for line in lines if "-->" in line)
    return {
        (match[1].removeprefix(prefix), what, match[2].removeprefix(prefix))
        for match in found
        if match
        for what in (match[3] or "").split(", ")
    }


def drawn(machine: ShownMachine) -> set[tuple[str, str, str]]:
    ways = {(way.source or "[*]", way.what, way.target) for way in machine.ways}
    return ways | {(state.name, "", "[*]") for state in machine.states if state.final}


def test_all_machines_are_printed() -> None:
    shown = json.loads(printed("--json"))
    assert list(shown) == [machine.name for machine in MACHINES]
    assert [row["status"] for row in shown["payments"]["states"]] == list(PaymentStatus)
    assert len(shown["payments"]["transitions"]) == len(PAYMENT_MACHINE.rows)
    text = printed()
    assert all(state.name in text for machine in MACHINES for state in machine.states)


@each_machine
def test_one_machine_is_printed_alone(machine: ShownMachine) -> None:
    assert list(json.loads(printed(machine.name, "--json"))) == [machine.name]
    assert [other.name for other in MACHINES if printed(machine.name).startswith(f"{other.name}\n")] == [machine.name]


@each_machine
def test_a_diagram_draws_every_way(machine: ShownMachine) -> None:
    first, *lines = printed(machine.name, "--mermaid").splitlines()
    assert first == "stateDiagram-v2"
    assert arrows(lines) == drawn(machine)


@each_machine
def test_the_whole_diagram_has_a_box_for_each_machine_with_names_of_its_own(machine: ShownMachine) -> None:
    whole = printed("--mermaid")
    box = whole.partition(f"    state {machine.name} {{\n")[2].partition("\n    }")[0].splitlines()
    assert arrows(box, f"{machine.name}__") == drawn(machine)
    assert sum("-->" in line for line in whole.splitlines()) == sum(
        printed(other.name, "--mermaid").count("-->") for other in MACHINES
    )


def test_an_unknown_record_is_a_usage_error() -> None:
    assert CliRunner().invoke(command, ["payouts"]).exit_code == 2
