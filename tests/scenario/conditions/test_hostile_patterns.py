"""No pattern, and no number of them, has a call search for long, wherever a scenario has patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.scenario.conditions.when import (
    LONGEST_PATTERN,
    LONGEST_PROGRAM,
    LONGEST_TEXT,
    MOST_STEPS,
    compile_pattern,
)
from tests.counts import times
from tests.wire import Reply, Wire, wire

FAMILIES: Final = (
    "(a?){%d}x", "(.?){%d}x", "(a?){100}(b?){%d}x$", "(a|b)*a(a|b){%d}c", ".*a.{%d}b", "(a{1,9}){1,%d}b", ".{%d}x",
    "(.{0,9}){%d}b", "(?i)(a?b?){%d}x", "((a|b)?(.|x)?){%d}!", r"(\w?\d?){%d}z$", r"\b(\w+\b.){%d}!", r"(\pL?){%d}x",
    r"(\x{1234}?.?){%d}x", "(a*b*){%d}x", "(é?a?){%d}$", "[^b]{1,%d}b", "^.{1,%d}$",
)  # fmt: skip
"""Patterns that take many steps for a character, by how often a part is repeated."""
REPEATED: Final = range(1, 1_001, times(53, soak=2))
PLACES: Final[dict[str, dict[str, Any]]] = {
    "a rule about a call": {"on": "payments.create", "when": "body.description"},
    "a rule about a charge": {"on": "charge", "when": "payment.description"},
    "a rule about every call": {"on": "*", "when": "header.user-agent"},
    "a rule about a query": {"on": "payments.list", "when": "query.customer_id"},
    "a rule about a webhook": {"on": "webhook.*", "when": "payment.description"},
    "an assertion about calls": {"calls": "body.description"},
    "an assertion about webhooks": {"webhooks": "object.description"},
    "an assertion about payments": {"payments": "description"},
}
THEN: Final[dict[str, dict[str, Any]]] = {"charge": {"decline": "lost_card"}, "webhook.*": {"drop": True}}


def scenario(name: str, place: str, patterns: list[str]) -> dict[str, Any]:
    """A scenario with the patterns in one sort of place."""
    row = PLACES[place]
    if "on" in row:
        then = THEN.get(row["on"], {"delay": "1s"})
        rules = [{"on": row["on"], "when": {row["when"]: {"matches": one}}, "then": then} for one in patterns]
        return {"name": name, "rules": rules}
    (subject, path), *_ = row.items()
    return {"name": name, "expect": [{subject: {path: {"matches": one}}, "exactly": 0} for one in patterns]}


def put(api: Wire, name: str, place: str, patterns: list[str]) -> Reply:
    return api.put(f"/_sandbox/scenarios/{name}", scenario(name, place, patterns))


def told(api: Wire) -> Iterator[Reply]:
    """Calls that rules in every place are about, with texts that fit the patterns."""
    text = "a" * LONGEST_TEXT
    yield api.pay(description=text)
    yield api.post("/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_1", "description": text})
    yield api.get(f"/payments/list?customer_id={text[:200]}")
    yield api.call("GET", "/health", headers={"User-Agent": text})


@pytest.mark.parametrize("family", FAMILIES)
def test_a_pattern_that_may_take_long_is_refused(family: str) -> None:
    accepted = 0
    for number in REPEATED:
        text = family % number
        assert len(text) <= LONGEST_PATTERN
        try:
            pattern = compile_pattern(text)
        except ValueError as refused:
            assert "steps" in str(refused) or "too large" in str(refused) or "repetition size" in str(refused)  # noqa: PT017 — one of many
            continue
        accepted += 1
        assert number <= pattern.steps <= LONGEST_PROGRAM
    assert accepted


def several(many: int) -> list[str]:
    """So many large patterns, no two alike."""
    return [f"(a?){{200}}x{number}$" for number in range(100, 100 + many)]


STEPS: Final = compile_pattern(several(1)[0]).steps
FIT: Final = MOST_STEPS // STEPS


@pytest.mark.parametrize("place", PLACES)
def test_a_scenario_has_only_so_many_patterns(place: str) -> None:
    api = wire()
    assert put(api, "fits", place, several(FIT)).status == 200
    refused = put(api, "too_many", place, several(FIT + 1))
    assert refused.status == 400
    assert f"{STEPS * (FIT + 1):,} steps together" in refused.error["message"]
    assert put(api, "one_too_large", place, ["(a?){900}x"]).status == 400


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", ["active", "header", "extended"])
def test_scenarios_that_apply_to_a_call_have_only_so_many_together(place: str, way: str) -> None:
    api, names = wire(), ["first", "second", "third"]
    for before, name in zip([None, *names], names, strict=False):
        more = {"extends": before} if way == "extended" and before else {}
        made = {**scenario(name, place, several(FIT // 2)), **more}
        assert api.put(f"/_sandbox/scenarios/{name}", made).status == 200
    headers = {"X-Sandbox-Scenario": ",".join(names)} if way == "header" else {}
    for name in {"active": names, "extended": names[-1:], "header": []}[way]:
        if name == names[-1]:
            assert [reply.status for reply in told(api)] == [200] * 4
        assert api.post(f"/_sandbox/scenarios/{name}/activate").status == 200
    for path in ("/health", "/payments/list"):
        reply = api.call("GET", path, headers={**headers, "User-Agent": "a" * LONGEST_TEXT})
        assert reply.status == 400
        assert "that apply to this call have patterns of" in reply.error["message"]
