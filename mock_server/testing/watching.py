"""The plugin's options `--payment-sandbox-verdict` and `--payment-sandbox-coverage` in a run of pytest."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from mock_server.guesses import hint
from mock_server.testing.control import ControlRefused, SandboxUnreachable
from mock_server.testing.parts import shared_by
from mock_server.verdict import outcomes, reporting
from mock_server.verdict.evidence import Evidence
from mock_server.verdict.outcomes import Coverage, Met, coverage, from_json, met, out_of_scope
from mock_server.verdict.rules import RULES, Baseline, judge, suspected

if TYPE_CHECKING:
    from mock_server.testing.sandbox import Sandbox

HANDED: Final = "payment_sandbox_coverage"


class VerdictWarning(UserWarning):
    """The mistakes of a client in a test."""


def accepted(node: pytest.Item | pytest.Collector) -> Baseline:
    """The mistakes that a test, its class or its module makes on purpose, by markers."""
    known = [rule.id for rule in RULES]
    found: dict[str, tuple[str, date]] = {}
    for mark in node.iter_markers("payment_sandbox_accepts"):
        reason = mark.kwargs.get("reason")
        if not mark.args or set(mark.kwargs) != {"reason"} or not isinstance(reason, str) or not reason.strip():
            pytest.fail('write payment_sandbox_accepts("rule", reason="…")', pytrace=False)
        for name in mark.args:
            if name not in known:
                meant = hint(str(name), known)
                pytest.fail(f"payment_sandbox_accepts: there is no rule {name!r}{meant}", pytrace=False)
            found[name] = (reason, date.max)
    return found


class Watching:
    """Evaluates each workspace at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._verdict: str | None = config.getoption("--payment-sandbox-verdict")
        self._forms: list[str] = config.getoption("--payment-sandbox-coverage")
        self._fail_under: float | None = config.getoption("--payment-sandbox-coverage-fail-under")
        self._covers = bool(self._forms) or self._fail_under is not None
        self._met = Met()
        for form in self._forms:
            path = Path(form[5:] or "term")
            is_free = os.access(f"{path.parent}/.", os.W_OK) and not path.is_dir()
            if not (is_free and re.fullmatch(r"term|(json|html):.+", form)):
                allowed = "must be term, or json:FILE or html:FILE that can be written"
                raise pytest.UsageError(f"--payment-sandbox-coverage={form}: {allowed}")
        if not 0 <= (self._fail_under or 0) <= 100:
            raise pytest.UsageError("--payment-sandbox-coverage-fail-under: must be a percentage, from 0 to 100")
        try:
            self._scope = out_of_scope(config.rootpath) if self._covers else []
        except ValueError as wrong_scope:
            raise pytest.UsageError(str(wrong_scope)) from None

    def look(self, node: pytest.Item | pytest.Collector, workspace: Sandbox, *, judged: bool, ended: bool) -> None:
        """Evaluates a workspace at its end, with the last test that uses it; before, only what fails that test."""
        if not ended and self._verdict != "error":
            return
        evidence: Evidence | None = None
        with suppress(ControlRefused, SandboxUnreachable):  # a test can have stopped its sandbox
            evidence = workspace.evidence()
        if evidence and self._covers and ended:
            self._met = self._met.and_also(met(evidence))
        if evidence is None or not judged or not self._verdict:
            return
        verdict = judge(evidence, accepted(node), rules=suspected(evidence))
        shared = [shared_by(node.nodeid)] if isinstance(node, pytest.Collector) else []
        told = "\n".join(["payment sandbox: the client", *shared, *reporting.findings(verdict)])
        if self._verdict == "warn" and verdict.found():
            node.warn(VerdictWarning(told))
        elif verdict.fails():
            pytest.fail(told, pytrace=False)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A worker of xdist passes on the outcomes of its tests; other processes check the bound."""
        self._session = session
        handed: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if handed is not None:
            handed[HANDED] = self._met.as_json()
        elif self._fail_under is not None and self._found().percent < self._fail_under and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended."""
        if handed := getattr(node, "workeroutput", {}).get(HANDED):
            self._met = self._met.and_also(from_json(handed))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Reports in each requested form."""
        if not self._covers or hasattr(self._config, "workeroutput"):
            return
        found = self._found()
        terminalreporter.section("payment sandbox: coverage of outcomes")
        for form in self._forms:
            kind, _, path = form.partition(":")
            if path:
                text = json.dumps(outcomes.as_json(found), indent=1) if kind == "json" else outcomes.html(found)
                try:
                    Path(path).write_text(text, "utf-8")
                    terminalreporter.write_line(f"{kind} written to {path}")
                except OSError as wrong:
                    terminalreporter.write_line(f"FAILED: cannot write {path}: {wrong.strerror}")
                    self._session.exitstatus = self._session.exitstatus or pytest.ExitCode.TESTS_FAILED
            else:
                terminalreporter.write_line("\n".join(outcomes.text(found)))
        if self._fail_under is not None and found.percent < self._fail_under:
            told = f"FAILED: {found.percent:.2f}% of the outcomes tested, less than {self._fail_under:g}%"
            terminalreporter.write_line(told)

    def _found(self) -> Coverage:
        return coverage(self._met, self._scope)
