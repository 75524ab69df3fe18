"""The folders of `scenario/` look one way only, for annotations too, and its tests stand in the same folders."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import PACKAGE, ROOT, Module, modules

FOLDERS: Final = ("conditions", "model", "given", "story", "schema", "loading", "deciding", "expectations")
"""A folder imports from those before it."""
ROOM: Final = f"{PACKAGE}.scenario."
PAGE: Final = ROOT / "docs" / "explanation" / "architecture.md"


def folder_of(name: str) -> str | None:
    """The folder of a module of the room; None for modules elsewhere."""
    return name.removeprefix(ROOM).split(".")[0] if name.startswith(ROOM) else None


def wrong_imports(module: Module) -> list[str]:
    folder = folder_of(module.name)
    if folder is None:
        return []
    if folder not in FOLDERS:
        return [f"{module.name} is in no folder"]
    below = FOLDERS[: FOLDERS.index(folder) + 1]
    return [
        f"{module.name}:{line} imports {name}"
        for name, line in module.imports()
        if (there := folder_of(name)) is not None and there not in below
    ]


def test_a_folder_imports_from_those_before_it() -> None:
    found = [wrong for module in modules() for wrong in wrong_imports(module)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "source", "wrong"),
    [
        ("model.scenario", "from mock_server.scenario.conditions.when import Condition", False),
        ("model.scenario", "from mock_server.scenario.model.answers import LineRule", False),
        ("model.scenario", "from mock_server.scenario.loading import load", True),
        ("model.state", "if TYPE_CHECKING:\n    from mock_server.scenario.deciding import queue", True),
        ("schema.top", "def late():\n    from mock_server.scenario.loading.load import load_text", True),
        ("standing", "", True),
    ],
)
def test_the_rule_sees_what_breaks_it(name: str, source: str, wrong: bool) -> None:
    assert bool(wrong_imports(Module(ROOM + name, source))) is wrong


def test_tests_stand_in_the_folders_of_what_they_test() -> None:
    here = ROOT / "tests" / "scenario"
    folders = {path.parent.relative_to(here).as_posix() for path in here.rglob("test_*.py")}
    assert folders == set(FOLDERS) - {"model"}, "the model's values are tested by those who make and read them"


def test_the_page_lists_the_folders_in_this_order() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## The folders of `scenario/`")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == FOLDERS
