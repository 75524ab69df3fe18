"""`make quick`: lint, types, and the tests that a change touches, within a minute; it prints what it left out.

`python -m tests.quick [REVISION]`: what has changed since a revision, by default since the branch left its upstream. A
test belongs to a changed file if it is that file, imports it, names it, or stands in the folder of its tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import click
import pytest

from tests.architecture.sources import PACKAGE, ROOT, read_module

STARTS_WITHIN_S: Final = 45.0
"""No test is started later: those that run then have time to end within the minute."""
BEGUN_AT, LEFT_OUT = "QUICK_BEGUN_AT", "QUICK_LEFT_OUT"
"""Variables: when it began, and the file with the tests that were not reached."""
NEVER: Final = ("browser", "container", "npm", "recipes", "wheel")
"""Folders whose tests need a browser, an image, a wheel or other programs; they are run if they are changed."""
BASES: Final = ("@{upstream}", "origin/main", "main")
FOLDERS: Final = {"scenarios": "tests/scenarios_e2e/"}
"""The folders of tests whose names do not follow."""
BESIDE: Final = {
    "mock_server/contract/answers/": ("tests/dialects/", "tests/openapi/"),
    "mock_server/domain/events.py": ("tests/dialects/",),
    "mock_server/settings/": ("tests/architecture/test_settings_are_read.py", "tests/scenario/schema/"),
}
"""Tests in other folders of what is shown by rows in these."""
SAME, NAMESAKE, IMPORTS, NEAR = range(4)
"""Why a test is touched: the nearest first."""


def changed_since(revision: str) -> list[str]:
    """The paths of all files that a working tree changed, with those that git does not know yet."""
    return [*_git("diff", "--name-only", revision), *_git("ls-files", "--others", "--exclude-standard")]


def base() -> str:
    """The last revision that is not of this branch, or the present one."""
    named = os.environ.get("PRE_COMMIT_FROM_REF")
    for one in (named, *BASES) if named else BASES:
        if found := _git("merge-base", "HEAD", one):
            return found[0]
    return "HEAD"


def _git(*words: str) -> list[str]:
    done = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


@cache
def tests() -> dict[str, tuple[frozenset[str], str]]:
    """Every file of tests: what it imports, and its text."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "node_modules" not in path.parts:
            module = read_module(path)
            found[path.relative_to(ROOT).as_posix()] = frozenset(name for name, _ in module.imports()), module.source
    return found


def touched(changed: Iterable[str]) -> list[str]:
    """The files of tests that changed files touch, the nearest first."""
    ranks: dict[str, int] = {}
    for path in changed:
        for test, rank in _of(path):
            ranks[test] = min(rank, ranks.get(test, rank))
    return sorted(ranks, key=lambda test: (ranks[test], test))


def _of(path: str) -> Iterator[tuple[str, int]]:
    """The tests of one file, each with its rank."""
    parts, stem = path.split("/"), Path(path).stem
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") if path.endswith(".py") else None
    folder = FOLDERS.get(parts[0]) or f"tests/{parts[parts[0] == PACKAGE and len(parts) > 2]}/"
    package = f"{PACKAGE}.{parts[1]}." if parts[0] == PACKAGE and not (ROOT / folder).is_dir() else "."
    folders = (folder, *(test for above, beside in BESIDE.items() if path.startswith(above) for test in beside))
    word = None if module else stem if parts[0] == "scenarios" else parts[-1]
    for test, (imported, text) in tests().items():
        if test == path:
            yield test, SAME
        elif test.split("/")[1] in NEVER:
            continue
        elif Path(test).stem == f"test_{stem}" and (test.startswith(folder) or test.count("/") == 1):
            yield test, NAMESAKE
        elif module and any(name == module or name.startswith(f"{module}.") for name in imported):
            yield test, IMPORTS
        elif test.startswith(folders) or (word and word in text) or any(name.startswith(package) for name in imported):
            yield test, NEAR


def main(revision: str | None) -> int:
    begun_at = time.time()
    changed = changed_since(revision or base())
    tools = Path(sys.executable).parent
    for words in (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)):
        if subprocess.run((tools / words[0], *words[1:]), cwd=ROOT, check=False).returncode:
            return 1
    found = [test for test in touched(changed) if (ROOT / test).exists()]
    with tempfile.NamedTemporaryFile("r+", encoding="utf-8") as left_out:
        environ = {**os.environ, BEGUN_AT: str(begun_at), LEFT_OUT: left_out.name}
        options = ("-q", "-p", "tests.quick", "-n", "2", "--dist", "load", "--maxschedchunk", "2")
        pytest_words = (sys.executable, "-m", "pytest", *options, *found)
        code = subprocess.run(pytest_words, cwd=ROOT, env=environ, check=False).returncode if found else 0
        missed = Counter(line.partition("::")[0] for line in left_out.read().splitlines())
    for test, count in sorted(missed.items()):
        click.echo(f"left out, for lack of time: {count} tests of {test}")
    others = len(tests()) - len(found)
    click.echo(f"left out: {others} other files of tests, always those in {', '.join(NEVER)} (make test runs all)")
    click.echo(f"{len(changed)} changed files, {len(found)} files of tests, {time.time() - begun_at:.0f} s")
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Start no test late, but note it."""
    if time.time() - float(os.environ[BEGUN_AT]) < STARTS_WITHIN_S:
        return None
    with Path(os.environ[LEFT_OUT]).open("a", encoding="utf-8") as left_out:
        left_out.write(f"{item.nodeid}\n")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
