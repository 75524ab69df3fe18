"""A Python without ctypes, as one that was built without libffi: there is less memory to give back, and all works."""

from __future__ import annotations

import logging
import sys

import pytest

from mock_server.cli.memory import MemoryWatch
from mock_server.store.memory import sweep
from mock_server.store.state import SpaceState
from mock_server.store.table import RecordCache


@pytest.fixture(autouse=True, params=["ctypes", "_ctypes"])
def lacking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ctypes", raising=False)
    monkeypatch.setitem(sys.modules, request.param, None)


def test_a_server_starts() -> None:
    MemoryWatch(logging.NullHandler(), lambda: None).start()


def test_a_workspace_is_freed() -> None:
    sweep(SpaceState(RecordCache(100), {}, 10, {}), lambda: None)
