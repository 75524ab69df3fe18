"""Scenarios that were read are kept ready within a bound on their texts."""

from __future__ import annotations

from mock_server.scenario.loading.uploaded import Ready


def test_those_used_longest_ago_are_read_again() -> None:
    read: list[str] = []

    def of(name: str, text: str, form: str, revision: int) -> str:
        read.append(name)
        return text.upper()

    ready = Ready(of, most=20)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert ready(name, name * 8, "yaml", 0) == name.upper() * 8
    assert read == ["a", "b", "c", "b"], "c took the place of b, which was used before a"
    assert ready("long", "l" * 100, "yaml", 0) == ready("long", "l" * 100, "yaml", 0)
    assert read[4:] == ["long"]
