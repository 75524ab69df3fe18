"""One server for these tests, reached from inside its process and as if it ran elsewhere; and pytest in pytest."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Final

import pytest

import mock_server
from mock_server.testing import RunningServer, Sandbox, SandboxServer
from tests.running import FOREIGN

PLUGIN: Final = "mock_server.testing.plugin"
INSTALLED: Final = bool(entry_points(group="pytest11", name="payment_sandbox"))
LOADED: Final = () if INSTALLED else ("-p", PLUGIN)
"""A checkout that was installed before the plugin was there does not announce it."""
STRICT: Final = ("-W", "error", *(f"-pno:{name}" for name in ("cacheprovider", "randomly", *FOREIGN)))
"""Other plugins of this environment are left out: to import them takes longer than the tests."""
WITHIN: Final = (*LOADED, *STRICT, "--assert=plain")
"""For pytest in pytest: each run would look for all files of all plugins, to rewrite their assertions."""


@pytest.fixture(scope="session")
def inside() -> Iterator[SandboxServer]:
    """A server in a thread of this process."""
    with SandboxServer() as server:
        yield server


@pytest.fixture(params=["inside", "elsewhere"])
def sandbox(request: pytest.FixtureRequest, inside: SandboxServer) -> Iterator[Sandbox]:
    """A workspace; `elsewhere` reaches the same server as if another process had started it."""
    far = RunningServer(inside.url)
    server = inside if request.param == "inside" else far
    workspace = Sandbox(server=server, name=request.node.nodeid, seed="tests")
    try:
        yield workspace
    finally:
        workspace.close()
        far.stop()


Run = Callable[..., pytest.RunResult]


@pytest.fixture(scope="session")
def imported() -> None:
    """Imports the whole package. Of a module that comes with pytest in pytest there would be a second one later."""
    for module in pkgutil.walk_packages(mock_server.__path__, "mock_server."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@pytest.fixture
def run(imported: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a test file with the plugin, in this process."""
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", "")  # so that it is put back, whatever the test file does to it
    monkeypatch.delenv("PAYMENT_SANDBOX_URL")

    def go(source: str, *arguments: str, conftest: str = "") -> pytest.RunResult:
        if conftest:
            pytester.makeconftest(conftest)
        pytester.makepyfile(test_shop=source)
        return pytester.runpytest_inprocess(*WITHIN, *arguments)

    return go
