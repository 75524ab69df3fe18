"""Every scenario in the docs is sound, and the list of the shipped ones is whole."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from mock_server.domain.faults import LineFault
from mock_server.scenario.conditions.when import OPERATORS
from mock_server.scenario.loading.library import Library, bundled_files
from mock_server.scenario.loading.load import load_text
from mock_server.scenario.schema.answers import ThenBlock
from mock_server.scenario.schema.rule import RuleBlock
from mock_server.scenario.schema.top import WORKSPACE_SETTINGS, ChaosBlock, ScenarioBlock, StepBlock
from mock_server.scenario.story.requests import STEPS

ROOT = Path(__file__).parents[3]
HOW_TO = ROOT / "docs" / "how-to" / "write-a-scenario.md"
REFERENCE = ROOT / "docs" / "reference" / "scenario-language.md"
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def snippets() -> list[tuple[str, str]]:
    return [
        (f"{page.stem}_{number}", text)
        for page in (HOW_TO, REFERENCE)
        for number, text in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1)
    ]


@pytest.mark.parametrize(("name", "text"), snippets(), ids=lambda value: value if len(value) < 40 else "")
def test_a_snippet_is_sound(name: str, text: str) -> None:
    assert load_text(dedent(text), f"{name}.yaml").warnings == ()


@pytest.mark.parametrize("block", [ScenarioBlock, RuleBlock, ThenBlock, StepBlock], ids=lambda block: block.__name__)
def test_every_key_is_explained(block: type[ScenarioBlock]) -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    keys = list(block.keys())
    assert [key for key in keys if not re.search(rf"`{key}[`:]", page)] == []


def test_every_word_is_explained() -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    steps = [word for name in STEPS for word in (name, f".{name.split('.')[-1]}") if f"`{word}`" in page]
    assert len(steps) == len(STEPS)
    assert [name for name in (*OPERATORS, *WORKSPACE_SETTINGS, *LineFault) if f"`{name}`" not in page] == []


def test_every_fault_of_the_connection_can_come_by_chance() -> None:
    assert {fault.value for fault in LineFault} <= set(ChaosBlock.keys())


def test_the_list_of_the_shipped_is_whole() -> None:
    page = (ROOT / "scenarios" / "README.md").read_text(encoding="utf-8")
    library = Library()
    rows = dict(re.findall(r"^\| \[(\w+)\]\(\w+\.yaml\) \| (.*) \|$", page, re.MULTILINE))
    assert rows == {name: found.summary for name in bundled_files() if (found := library.find(name))}
