"""The checkouts in other languages and the tutorial's shop are right, and nothing else is said of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mock_server.domain.api_keys import ApiKey
from mock_server.sandbox import Sandbox as Inside
from mock_server.sandbox.workspace import Workspace
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.rules import ERROR
from tests.architecture.sources import ROOT
from tests.examples.test_languages import EXAMPLES, THERE, Language, tried
from tests.running import environment

SHOP = EXAMPLES / "shop"


@pytest.mark.parametrize("language", THERE, ids=lambda one: one.name)
def test_nothing_is_found_in_a_checkout(language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: set[str] = set()
    opened = Inside.workspace

    def opens(self: Inside, key: ApiKey) -> Workspace:
        keys.add(key.text)
        return opened(self, key)

    monkeypatch.setattr(Inside, "workspace", opens)
    with SandboxServer() as server:
        told = tried(language, EXAMPLES / language.name, server.url, tmp_path)
        assert told.returncode == 0, told.stdout + told.stderr
        verdicts = [Sandbox(server=server, api_key=key).verdict() for key in tuple(keys)]
    assert [one for verdict in verdicts for one in verdict.found(ERROR)] == []
    assert sum(verdict.is_judged for verdict in verdicts) >= 4


def pytest_in_the_shop(*options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    done = subprocess.run(
        command, cwd=SHOP, env=environment(PYTHONPATH=str(ROOT)), capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_nothing_is_found_in_the_tutorials_shop() -> None:
    told = pytest_in_the_shop("--payment-sandbox-verdict=error")
    assert re.search(r"^\d+ passed in", told, re.MULTILINE), told
