"""What is installed and what is run is said to the byte: the lock, the actions, the image."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.sources import ROOT

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS: Final = {name: (ROOT / "requirements" / f"{name}.txt").read_text("utf-8") for name in ("run", "build", "dev")}
WANTED: Final = {
    "run": [
        *PROJECT["project"]["dependencies"],
        *(one for extra in ("tls", "postgresql") for one in PROJECT["project"]["optional-dependencies"][extra]),
    ],
    "build": PROJECT["build-system"]["requires"],
    "dev": PROJECT["project"]["optional-dependencies"]["dev"],
}
WORKFLOWS: Final = sorted([*(ROOT / ".github" / "workflows").glob("*.yml"), *(ROOT / "examples" / "ci").glob("*.yml")])


def locked(text: str) -> dict[str, set[str]]:
    """Return each package of a lock with its versions: more than one where Pythons or systems differ."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==([\w.+!-]+)", text, re.MULTILINE):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


@pytest.mark.parametrize(
    ("lock", "wanted"), [(lock, wanted) for lock, every in WANTED.items() for wanted in every], ids=lambda one: one
)
def test_the_lock_has_what_the_project_asks_for(lock: str, wanted: str) -> None:
    asked = Requirement(wanted)
    versions = locked(LOCKS[lock]).get(canonicalize_name(asked.name))
    assert versions, f"make lock writes {asked.name} into requirements/{lock}.txt"
    assert all(asked.specifier.contains(version) for version in versions)


@pytest.mark.parametrize("lock", LOCKS)
def test_each_file_of_the_lock_has_its_digest(lock: str) -> None:
    entries = re.split(r"^(?=[\w.-]+(?:\[[\w,-]+\])?==)", LOCKS[lock], flags=re.MULTILINE)[1:]
    assert entries
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_pins_extras_too(lock: str) -> None:
    """Else pip takes the newest release of what is asked for with an extra, which has no digest here, and stops."""
    named = re.findall(r"^([\w.-]+)\[([\w,-]+)\]==", LOCKS[lock], re.MULTILINE)
    own = {name: set(extras.split(",")) for name, extras in named}
    asked = [Requirement(one) for one in WANTED[lock]]
    for name in locked(LOCKS[lock]):
        try:
            installed = requires(name) or []
        except PackageNotFoundError:  # of another system, or of another Python
            continue
        chosen = [{"extra": extra} for extra in ("", *own.get(name, set()))]
        needed = [Requirement(one) for one in installed]
        asked += [one for one in needed if not one.marker or any(map(one.marker.evaluate, chosen))]
    without = {str(one) for one in asked if not one.extras <= own.get(canonicalize_name(one.name), set())}
    assert without == set(), "make lock writes extras"


def test_locks_agree() -> None:
    run, build, dev = (locked(LOCKS[name]) for name in ("run", "build", "dev"))
    assert {name: dev[name] for name in run if name in dev} == {name: run[name] for name in run if name in dev}
    assert {name: build[name] for name in build.keys() & dev.keys()} == {n: dev[n] for n in build.keys() & dev.keys()}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.relative_to(ROOT)))
def test_actions_are_named_by_digest_and_version(path: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", path.read_text("utf-8"))
    others = [(name, rest) for name, rest in used if not name.startswith(("./", "OWNER/"))]
    assert [name for name, rest in others if not re.fullmatch(r"\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name + rest)] == []


def test_the_image_is_made_of_the_lock() -> None:
    installs = re.findall(r'"install",.*?\]', (ROOT / "Dockerfile").read_text("utf-8"), re.DOTALL)
    assert installs
    assert all("--require-hashes" in one or "--no-index" in one for one in installs)


def test_tags_are_put_on_what_was_tested() -> None:
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8")
    assert text.count("docker/build-push-action@") == 1
    assert "push-by-digest=true" in text
    assert 'make image-check ENGINE=docker IMAGE="$IMAGE@$DIGEST"' in text
    assert "imagetools create" in text.partition("  tags:\n")[2]
