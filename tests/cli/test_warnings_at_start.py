"""What `scenarios check` warns of, `serve` logs too, at its start and after a change; the fixture does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from mock_server.cli import main
from mock_server.sandbox import build
from mock_server.settings import Settings
from mock_server.testing import SandboxServer
from tests.cli.test_scenarios import ODD
from tests.logged import logged
from tests.running import RunningSandbox

CARD: Final = "cards: {4000000000001234: {name: house_decline, decline: do_not_honor, brand: visa}}\n"
FINE: Final = "rules:\n- {on: charge, then: {decline: lost_card}}\n"


def checked(folder: Path) -> list[str]:
    said = CliRunner().invoke(main, ["scenarios", "check", str(folder)]).stdout
    return [line.replace(" warning: ", " ") for line in said.splitlines() if " warning: " in line]


def test_serve_logs_each_warning_once(tmp_path: Path) -> None:
    for name, text in {"odd": ODD, "card": CARD, "fine": FINE}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    with RunningSandbox("--scenarios", str(tmp_path)) as sandbox:
        said = sandbox.stop()[2]
    lines = [line for line in map(json.loads, said.splitlines()) if str(tmp_path) in line["message"]]
    assert {line["level"] for line in lines} == {"warning"}
    assert sorted(line["message"] for line in lines) == sorted(checked(tmp_path)) != []


def test_a_changed_file_is_warned_of_again_and_no_other(tmp_path: Path) -> None:
    for name in ("odd", "changed"):
        (tmp_path / f"{name}.yaml").write_text(ODD if name == "odd" else FINE)
    sandbox = build(Settings(scenarios=str(tmp_path)))
    assert sandbox.scenarios.mistakes() == []
    (tmp_path / "changed.yaml").write_text(f"{CARD}{FINE}")
    with logged() as kept:
        sandbox.scenarios.run_once()
    told = [line for line in kept.getvalue().splitlines() if ".yaml:" in line]
    assert told == [line for line in checked(tmp_path) if "changed.yaml" in line] != []


def test_the_fixtures_server_logs_none(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text(ODD)
    with logged() as kept, SandboxServer({"scenarios": tmp_path}):
        pass
    assert "odd.yaml" not in kept.getvalue()
