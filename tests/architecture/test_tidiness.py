"""Names that say nothing, files with two subjects, loose ends, unexplained exceptions, machine paths."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT, files, modules

EMPTY_NAMES: Final = frozenset({"utils", "util", "helpers", "helper", "manager", "managers", "data", "info", "misc"})
LINES: Final = {"mock_server": 400, "tests": 400}
"""The longest a Python file may be, by folder; elsewhere as in tests."""

TEMPLATE_WIDTH: Final = 160
"""The longest a line of a template may be."""

LONG_FILES: Final[dict[str, str]] = {}
"""Python files over the limit, each with the reason why it is still one subject."""

SHARED_NAMES: Final = frozenset({"Answer", "Card", "Event", "Many", "Meta", "Request", "Sandbox", "Scenario"})
"""Names of two classes: what the server has and what a test gets of it, a shape and an answer, marshmallow's own."""

LOOSE_END: Final = re.compile(r"\b(TO" + "DO|FIX" + "ME|NotImplemented" + r"Error)\b")
SILENCED: Final = re.compile(
    r"#.*?(?:type:\s*ignore|noqa)(?:\[[^\]]*\]|:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?(?P<reason>.*)"
)
FOREIGN_PATH: Final = re.compile(r"(?<![\w.])/(?:work|ro" + r"ot|home/\w+)/|\.\./sha" + "red")
MAY_NAME_SHARED: Final = "benchmarks/"

PYTHON: Final = [path for path in files() if path.suffix == ".py"]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def lines_of(path: Path) -> list[str]:
    # Some files are broken on purpose: they are what readers of files are tested with.
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def too_long(name: str, length: int) -> bool:
    return length > LINES.get(name.split("/")[0], LINES["tests"])


def places(paths: Iterable[Path], wrong: Callable[[str], object]) -> list[str]:
    """Return `file:line` of every line that is wrong."""
    return [f"{shown(path)}:{number}" for path in paths for number, line in enumerate(lines_of(path), 1) if wrong(line)]


def unexplained(line: str) -> bool:
    """Whether the line silences a tool without saying why."""
    found = SILENCED.search(line)
    return found is not None and not re.search(r"[a-z]{2}", found["reason"])


def test_names_say_something() -> None:
    named = {path: {part.removesuffix(".py") for part in path.relative_to(ROOT).parts} for path in PYTHON}
    assert not [shown(path) for path, parts in named.items() if EMPTY_NAMES & parts]


def test_files_have_one_subject() -> None:
    """A file over the limit is split, or its reason stands in LONG_FILES."""
    lengths = {shown(path): len(lines_of(path)) for path in PYTHON}
    assert {name: n for name, n in lengths.items() if too_long(name, n) and name not in LONG_FILES} == {}


def test_exceptions_for_long_files_are_needed() -> None:
    for name, reason in LONG_FILES.items():
        assert too_long(name, len(lines_of(ROOT / name))), name
        assert reason


def test_what_is_private_is_used() -> None:
    """Also a method of a subclass whose base no longer calls it: `_oldest` of a log with gaps was such a one."""
    defined, used = set[str](), set[str]()
    for node in (node for module in modules() for node in module.nodes):
        if isinstance(node, ast.FunctionDef) and re.match(r"_(?!_)", node.name) and not node.decorator_list:
            defined.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute):
            used.add(node.id if isinstance(node, ast.Name) else node.attr)
    assert len(defined) > 500
    assert sorted(defined - used) == []


def test_one_name_is_one_class() -> None:
    names = Counter(node.name for module in modules() for node in module.nodes if isinstance(node, ast.ClassDef))
    assert {name for name, count in names.items() if count > 1 and name[0] != "_"} == SHARED_NAMES


def test_lines_of_templates_are_short_enough_to_be_read() -> None:
    templates = [path for path in files() if "/templates/" in shown(path)]
    assert templates
    assert not places(templates, lambda line: len(line) > TEMPLATE_WIDTH)


def test_nothing_is_left_for_later() -> None:
    found = places(PYTHON, LOOSE_END.search)
    assert not found, "\n".join(found)


def test_every_silenced_tool_has_its_reason() -> None:
    found = places(PYTHON, unexplained)
    assert not found, "\n".join(found)


def test_nothing_names_a_place_on_somebodys_machine() -> None:
    ours = [path for path in files() if not shown(path).startswith(MAY_NAME_SHARED)]
    found = places(ours, FOREIGN_PATH.search)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("x = 1  # type: ignore", True),
        ("x = 1  # type: ignore[assignment]", True),
        ("import x  # noqa: F401", True),
        ("x = 1  # type: ignore[assignment]  # the stub is wrong", False),
        ("import x  # noqa: F401 — for its side effect", False),
        ("x = 1  # ignore what follows", False),
    ],
)
def test_the_rule_tells_a_reason_from_none(line: str, wrong: bool) -> None:
    assert unexplained(line) is wrong


def test_the_rules_see_what_breaks_them() -> None:
    assert LOOSE_END.search("# TO" + "DO: later")
    assert too_long("mock_server/x.py", 401)
    assert not too_long("tests/x.py", 301)
    assert too_long("tests/x.py", 401)
    assert FOREIGN_PATH.search("/ro" + "ot/thing")
    assert FOREIGN_PATH.search("see ../sha" + "red/bench")
    assert not FOREIGN_PATH.search("https://example.test/root/")
