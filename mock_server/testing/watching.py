"""What the plugin's options `--payment-sandbox-verdict` and `--payment-sandbox-coverage` do in a run of pytest."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pytest

from mock_server.testing.control import ControlRefused
from mock_server.testing.wire import SandboxUnreachable
from mock_server.verdict import reporting
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.judging import NOTHING, judge

if TYPE_CHECKING:
    from mock_server.testing.factory import Made

WARN: Final = "warn"


class VerdictWarning(UserWarning):
    """What a client did wrong in a test."""


class Watching:
    """Looks at each workspace before it goes."""

    def __init__(self, config: pytest.Config, made: pytest.StashKey[list[Made]]) -> None:
        self._verdict: str | None = config.getoption("--payment-sandbox-verdict")
        self._made = made

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """A test that failed is not judged: its client may have been stopped half-way."""
        result = yield
        for made in item.stash.get(self._made, ()):
            self._look(item, made)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """What several tests share is looked at with the last of them."""
        for made in self._ending(item, nextitem):
            self._look(item, made)
        return (yield)

    def _ending(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[Made]:
        going_on = nextitem.listchain() if nextitem else []
        for node in item.listchain():
            if node is not item and node not in going_on:
                yield from node.stash.get(self._made, ())

    def _look(self, item: pytest.Item, made: Made) -> None:
        __tracebackhide__ = True
        evidence: dict[str, Any] = {}
        with suppress(ControlRefused, SandboxUnreachable):  # a test may have taken its sandbox away
            evidence = gathered(lambda path: made.workspace.control.get(f"/{path}"))
        if evidence and self._verdict:
            self._judge(item, evidence)

    def _judge(self, item: pytest.Item, evidence: dict[str, Any]) -> None:
        __tracebackhide__ = True
        verdict = judge(read(evidence), NOTHING)
        told = "\n".join(["payment sandbox: the client", *reporting.findings(verdict)])
        if self._verdict == WARN and verdict.found():
            item.warn(VerdictWarning(told))
        elif verdict.fails():
            pytest.fail(told, pytrace=False)
