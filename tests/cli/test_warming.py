"""What the first calls would wait for is there before they come."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

WARM: Final = """
import sys
from mock_server.cli.serving import warm_later
from mock_server.sandbox import build
from mock_server.settings import Settings
warm_later(build(Settings()), 0).join()
print(*sys.modules)
"""
THERE: Final = {
    "mock_server.api.payments",
    "mock_server.control.workspaces",
    "marshmallow",
    "mock_server.contract.kinds.objects",
}
NOT_THERE: Final = {"yaml", "faker", "urllib3", "mock_server.pages.views"}


def test_views_and_the_commonest_shape_are_brought_in() -> None:
    done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, check=True)
    found = set(done.stdout.split())
    assert found >= THERE
    assert not found & NOT_THERE
