"""A new scenario gets its name, and what is wrong with a name is told where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.dashboard.visitor import Visitor, said, text
from tests.wire import Reply, wire

BODY: Final = "rules:\n  - on: charge\n    then: {decline: lost_card}\n"


def new_scenario(visitor: Visitor, arg__name: str, text: str) -> Reply:
    return visitor.press("new-scenario", "control.put_scenario", new="true", arg__name=arg__name, text=text)


@pytest.mark.parametrize(
    ("field", "in_text", "kept"),
    [("mine", "", "mine"), ("", "mine", "mine"), ("mine", "mine", "mine"), ("", "'mine' # so", "mine")],
)
def test_a_new_scenario_is_named_by_its_field_or_its_text(
    visitor: Visitor, field: str, in_text: str, kept: str
) -> None:
    body = BODY if not in_text else f"version: 1\nname: {in_text}\n{BODY}"
    reply = new_scenario(visitor, arg__name=field, text=body)
    assert reply.status == 200, text(reply)
    assert said(text(reply), "scenario-state") == "off"
    assert visitor.api.get(f"/_sandbox/scenarios/{kept}")["text"] == body


def test_two_names_are_told_at_the_line_of_the_name(visitor: Visitor) -> None:
    page = text(new_scenario(visitor, arg__name="mine", text=f"version: 1\n\nname: other\n{BODY}"))
    assert said(page, "mistake").startswith("line 3:1")
    assert "name: other" in said(page, "mistake")
    yaml = {"Content-Type": "application/yaml"}
    broken = visitor.api.call("PUT", "/_sandbox/scenarios/mine", raw=b"# so\nname: other\nrules: []\n", headers=yaml)
    assert [field["field"] for field in broken.error["fields"]] == ["2:1"]


def test_a_scenario_without_a_name_or_with_one_that_is_taken_keeps_its_text(visitor: Visitor) -> None:
    for name, says in (("", "is missing"), ("mine", "is the name of another")):
        reply = new_scenario(visitor, arg__name=name, text=BODY)
        assert reply.status == 400
        assert says in said(text(reply), "problem-arg.name")
        assert "decline: lost_card" in said(text(reply), "text")
        assert new_scenario(visitor, arg__name="mine", text=BODY).status == (200 if not name else 400)


STORY: Final = """extends: base
story:
  - {do: payments.create, with: {amount: 100, currency: EUR, confirm: true, card: mine}, see: {status: failed}}
"""
BASE: Final = "cards: {4000000000001232: {name: mine, decline: lost_card, brand: visa}}\n"


def run(visitor: Visitor, name: str, text: str) -> Reply:
    return visitor.send("scenarios/new", {"do": "control.put_scenario", "try": "run", "arg.name": name, "text": text})


@pytest.mark.parametrize("place", ["the workspace", "the directory"])
@pytest.mark.parametrize("between", [False, True], ids=["one step", "two steps"])
def test_a_story_is_run_with_what_its_scenario_extends(place: str, between: bool, tmp_path: Path) -> None:
    texts = {"base": "extends: first\n", "first": BASE} if between else {"base": BASE}
    if place == "the directory":
        for name, one in texts.items():
            (tmp_path / f"{name}.yaml").write_text(one)
    visitor = Visitor(wire(scenarios=str(tmp_path)))
    for name, one in reversed(texts.items()) if place == "the workspace" else ():
        kind = {"Content-Type": "application/yaml"}
        assert visitor.api.call("PUT", f"/_sandbox/scenarios/{name}", raw=one.encode(), headers=kind).status == 200
    assert said(text(run(visitor, "child", STORY)), "notice") == "1 passed."


def test_a_run_says_that_assertions_wait_for_the_command(visitor: Visitor) -> None:
    reply = run(visitor, "mine", STORY.replace("extends: base\n", BASE) + "expect: [{payments: {}, exactly: 5}]\n")
    assert "were not checked" in said(text(reply), "notice")
