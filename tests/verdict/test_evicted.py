"""The verdict on all workspaces says of how many it does not know: those that made room for others."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.connections import Http
from mock_server.front import serve
from mock_server.sandbox import build
from mock_server.settings import Settings


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("made", [1, 4])
@pytest.mark.parametrize("more", [[], ["--json"]], ids=" ".join)
def test_it_says_how_many_were_evicted(most: int, made: int, more: list[str]) -> None:
    sandbox = build(Settings(seed="tests", workspaces=most))
    with serve(sandbox, "127.0.0.1", 0) as server:
        for number in range(made):
            call = {"api-key": f"snd_evicted_{number:08}"}
            assert Http(server.address, keeps=False).call("GET", "/health", None, call, 5.0).status == 200
        done = CliRunner().invoke(main, ["verdict", "--all", "--url", server.address, *more])
    said = [line for line in done.stderr.splitlines() if "not in memory" in line]
    assert done.exit_code == 0, done.output
    assert said == ([f"payment-sandbox: workspaces that are not in memory, and so not checked: {made - most}"]
                    if made > most else [])  # fmt: skip
