"""Scenarios that were read are kept ready within a bound on their texts."""

from __future__ import annotations

from mock_server.scenario.loading.load import LoadedScenario, load_text
from mock_server.scenario.loading.uploaded import Ready


def test_those_used_longest_ago_are_read_again() -> None:
    read: list[str] = []

    def of(name: str, text: str, form: str, revision: int) -> LoadedScenario:
        read.append(name)
        return load_text(text, name)

    ready = Ready(of, most=40)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert ready(name, f"summary: {name * 8}", "yaml", 0).scenario.summary == name * 8
    assert read == ["a", "b", "c", "b"], "c took the place of b, which was used before a"
    long = "summary: " + "l" * 100
    assert ready("long", long, "yaml", 0) is ready("long", long, "yaml", 0)
    assert read[4:] == ["long"]
