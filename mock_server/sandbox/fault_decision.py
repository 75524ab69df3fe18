"""What a scenario's line rule comes to for one call: an answer of its own, a plan for the line, headers."""

from __future__ import annotations

from mock_server.contract.dialect import Dialect
from mock_server.domain.faults import LinePlan
from mock_server.domain.outcomes import Reason
from mock_server.scenario.model.decision_state import LineDecision

Pairs = tuple[tuple[str, str], ...]


class FaultDecision:
    """One drawn line decision, as the pipeline carries it out."""

    def __init__(self, drawn: LineDecision) -> None:
        self._rule = drawn.rule
        self._delay_ms = drawn.delay_ms
        self.because: Reason = drawn.because

    @property
    def works(self) -> bool:
        """Whether the operation takes place."""
        return not self._rule.ends_call

    @property
    def plan(self) -> LinePlan | None:
        """What the line does with the answer."""
        if not self._delay_ms and self._rule.fault is None:
            return None
        return LinePlan(delay_s=self._delay_ms / 1000, fault=self._rule.fault)

    @property
    def sorts(self) -> tuple[str, ...]:
        """What is done to the call, by the words of the scenario language; headers alone are no trouble."""
        rule = self._rule
        given = (("delay", self._delay_ms), ("error", rule.error), ("respond", rule.respond), (rule.fault, rule.fault))
        return tuple(str(word) for word, there in given if there)

    @property
    def headers(self) -> Pairs:
        """Headers that the answer carries besides."""
        return tuple(self._rule.headers.items())

    def own_answer(self, dialect: Dialect) -> tuple[int, object, Pairs] | None:
        """The scenario's own answer: status, body (bytes as they are, else JSON), headers; None for the real one."""
        error, respond = self._rule.error, self._rule.respond
        if error is not None:
            status, body = dialect.coded(error.code, status=error.status, message=error.message)
            return status, body, ()
        if respond is None:
            return None
        text = respond.body.encode() if isinstance(respond.body, str) else respond.body
        return respond.status, b"" if text is None else text, tuple(respond.headers.items())
