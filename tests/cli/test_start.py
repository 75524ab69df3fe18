"""What a start waits for, and what it does not: libraries and rooms that come in with the first call for them."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

LATE: Final = (
    "marshmallow", "yaml", "faker", "urllib3", "segno", "prometheus_client", "cryptography",
    "mock_server.cli.tls", "mock_server.cli.authority", "mock_server.server.tls",
    "mock_server.api.payments", "mock_server.control.scenarios", "mock_server.pages.views",
    "mock_server.contract.kinds", "mock_server.contract.requests",
    "mock_server.scenario.model.scenario", "mock_server.story", "mock_server.openapi",
)  # fmt: skip
START: Final = """
import sys
import mock_server.cli.serve, mock_server.cli.serving
from mock_server.app import create_app
from mock_server.sandbox import build
from mock_server.settings import Settings
create_app(build(Settings()))
print(*sys.modules)
"""


HELP: Final = "import sys, mock_server.cli; print(*sys.modules)"


def test_the_commands_own_help_imports_no_room() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    rooms = {name for name in done.stdout.split() if name.startswith("mock_server")}
    light = {"mock_server.domain", "mock_server.domain.money", "mock_server.guesses"}
    assert rooms == {"mock_server", "mock_server.cli", "mock_server.cli.output", *light}


def test_a_start_imports_nothing_that_can_wait() -> None:
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    assert not set(LATE) & set(done.stdout.split())
