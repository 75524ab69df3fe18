"""One server for these tests, reached from inside its process and as if it ran elsewhere; and pytest in pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Final

import pytest

from mock_server.testing import RunningServer, Sandbox, SandboxServer

PLUGIN: Final = "mock_server.testing.plugin"
INSTALLED: Final = any(one.value == PLUGIN for one in entry_points(group="pytest11"))
LOADED: Final = () if INSTALLED else ("-p", PLUGIN)
"""A checkout that was installed before the plugin was there does not announce it."""
STRICT: Final = ("-W", "error", "-p", "no:cacheprovider", "-p", "no:randomly")


@pytest.fixture(scope="session")
def inside() -> Iterator[SandboxServer]:
    """A server in a thread of this process."""
    with SandboxServer() as server:
        yield server


@pytest.fixture(params=["inside", "elsewhere"])
def sandbox(request: pytest.FixtureRequest, inside: SandboxServer) -> Iterator[Sandbox]:
    """A world; `elsewhere` reaches the same server as if another process had started it."""
    far = RunningServer(inside.url)
    server = inside if request.param == "inside" else far
    world = Sandbox(server=server, name=request.node.nodeid, seed="tests").start()
    try:
        yield world
    finally:
        world.close()
        far.stop()


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a test file with the plugin, in this process."""
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", "")  # so that it is put back, whatever the test file does to it
    monkeypatch.delenv("PAYMENT_SANDBOX_URL")

    def go(source: str, *arguments: str, conftest: str = "") -> pytest.RunResult:
        if conftest:
            pytester.makeconftest(conftest)
        pytester.makepyfile(test_shop=source)
        return pytester.runpytest_inprocess(*LOADED, *STRICT, *arguments)

    return go
