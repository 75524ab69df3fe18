"""A scenario in every form of text and every name: it is turned on as itself, and replaces none of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.testing import ControlRefused, Sandbox
from mock_server.testing.scenarios import ExpectationFailed, collected

DECLINES: Final = {"version": 1, "rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}
NEVER: Final = {"version": 1, "expect": [{"calls": "payments.create", "exactly": 0}]}
NAMES: Final = ("", "plain", "v1.slow", "with-dash", "under_score", "a.b.c", "x.yaml", "1.5", "inline", "x" * 64)
BLOCK: Final = "version: 1\n{name}rules:\n  - on: charge\n    then: {{decline: lost_card}}\n"


def texts(name: str) -> dict[str, Any]:
    """The forms, with a name in them or without."""
    said = {"name": name} if name else {}
    whole = {**said, **DECLINES}
    line = json.dumps(whole)
    return {
        "mapping": whole,
        "JSON on one line": line,
        "JSON on several lines": json.dumps(whole, indent=2),
        "JSON with the name last": json.dumps({**DECLINES, **said}, indent="\t"),
        "JSON after a line": f"\n{line}",
        "YAML": BLOCK.format(name=f"name: '{name}'\n" if name else ""),
        "YAML with a quoted key": BLOCK.format(name=f'"name": "{name}"\n' if name else ""),
        "YAML with a space": BLOCK.format(name=f'name : "{name}"  # mine\n' if name else ""),
        "YAML with a name in a text": BLOCK.format(
            name=f"{f'name: {json.dumps(name)}' if name else ''}\nsummary: |\n  first\n  name: other\n"
        ),
        "YAML on one line": f"{{{f'name: {name!r}, ' if name else ''}rules: {json.dumps(DECLINES['rules'])}}}",
    }


@pytest.mark.parametrize("form", texts(""))
@pytest.mark.parametrize("name", NAMES)
def test_a_text_is_turned_on_under_its_name(name: str, form: str, sandbox: Sandbox) -> None:
    with sandbox.scenario(texts(name)[form]) as on:
        assert on.name == (name or "inline")
        assert sandbox.client.pay()["status"] == "failed"


@pytest.mark.parametrize("form", [*texts(""), "one key on one line"])
def test_a_form_can_be_put_as_it_can_be_turned_on(form: str, sandbox: Sandbox) -> None:
    given = {**texts(""), "one key on one line": f"rules: {json.dumps(DECLINES['rules'])}"}[form]
    for _ in range(2):
        name = sandbox.scenarios.put(given)
        with sandbox.scenario(name), sandbox.scenario(given):
            assert sandbox.client.pay()["status"] == "failed"


@pytest.mark.parametrize("form", texts(""))
def test_one_without_a_name_replaces_no_other(form: str, sandbox: Sandbox) -> None:
    outer = sandbox.scenario(NEVER)
    with sandbox.scenario(texts("")[form]) as inner, sandbox.scenario({"settings": {}}) as innermost:
        assert sandbox.client.pay()["status"] == "failed"
        assert [one.name for one in (outer, inner, innermost)] == ["inline", "inline_2", "inline_3"]
    with pytest.raises(ExpectationFailed, match="exactly 0"):
        outer.check()
    outer.stop()


def test_names_that_are_given_are_left_alone(sandbox: Sandbox) -> None:
    names = [sandbox.scenario(given).name for given in ({"name": "inline_2"}, {}, {"name": "inline"}, {}, {})]
    assert names == ["inline_2", "inline", "inline", "inline_3", "inline_4"]


def test_those_of_a_suite_without_a_name_are_told_apart() -> None:
    assert [one.name for one in collected([DECLINES, NEVER, json.dumps(DECLINES)])] == [
        "inline",
        "inline_2",
        "inline_3",
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_a_name_of_the_suites_folder_is_a_name(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / f"{name}.yaml").write_text(json.dumps(DECLINES))
    for source in collected(tmp_path):
        sandbox.scenarios.put(source)
    with sandbox.scenario(name):
        assert sandbox.client.pay()["status"] == "failed"


def test_a_file_beside_is_a_file(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.yaml", "mine.of.today", "v2.json"):
        (tmp_path / name).write_text(json.dumps(DECLINES))
        with sandbox.scenario(name):
            assert sandbox.client.pay()["status"] == "failed"
    with pytest.raises(ControlRefused, match=r"yours\.yaml"):
        sandbox.scenario("yours.yaml")
