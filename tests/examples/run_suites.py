"""Runs the example shop's suite in several copies of it, each in a fork of this process, and notes what became of it.

A fork, because what takes long is to import pytest, Flask and the sandbox. Arguments: pairs of a copy's folder and the
test to run there or an option, empty for all tests. What became of them is left in the folder, as `result.json`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Final

import flask
import pytest
import requests

import mock_server.app
import mock_server.front
from mock_server.testing import sandbox, servers

IMPORTED: Final = (flask, requests, mock_server.app, mock_server.front, sandbox, servers)
PLUGIN: Final = "mock_server.testing.plugin"
ARGUMENTS: Final = ("-q", "-p", "no:cacheprovider", "-p", PLUGIN, "--no-header")
"""Other plugins are not loaded: that would take longer than the suite."""


class Record:
    """What became of each test."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        self.passed += report.when == "call" and report.passed


def run(folder: Path, asked: str) -> None:
    """The suite of one copy, in this process."""
    os.chdir(folder)
    record = Record()
    code = pytest.main([*ARGUMENTS, *([asked] if asked else [])], plugins=[record])
    told = {"failed": record.failed, "passed": record.passed, "code": int(code)}
    (folder / "result.json").write_text(json.dumps(told))


def main(pairs: list[tuple[Path, str]]) -> None:
    """All of them, two at a time."""
    running: list[int] = []
    for folder, asked in pairs:
        if len(running) == 2:
            os.waitpid(running.pop(0), 0)
        child = os.fork()
        if child == 0:
            with (folder / "output.txt").open("w") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                run(folder, asked)
                sys.stdout.flush()
            os._exit(0)
        running.append(child)
    for child in running:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main([(Path(folder), asked) for folder, asked in zip(sys.argv[1::2], sys.argv[2::2], strict=True)])
