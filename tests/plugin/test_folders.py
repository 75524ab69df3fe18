"""A folder of scenarios in every shape has the same scenarios, or is refused, wherever a folder is taken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.scenario.loading.library import Library
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.testing import ControlRefused, Sandbox, SandboxServer
from mock_server.testing.scenarios import collected
from tests.counts import times
from tests.plugin.conftest import imported, inside, run

__all__ = ["imported", "inside", "run"]
pytest_plugins = "pytester"

Folder = dict[str, str]
EMPTY: Final = "version: 1\n"


def extending(name: str) -> str:
    return f"version: 1\nextends: {name}\n"


SHAPES: Final[dict[str, Folder]] = {
    "plain": {"a.yaml": EMPTY, "b.yml": EMPTY, "c.json": '{"version": 1}'},
    "with a schema": {".payment-sandbox.schema.json": "{}", "a.yaml": EMPTY},
    "hidden": {".a.yaml": EMPTY, ".git/b.yaml": EMPTY, "c.yaml": EMPTY},
    "drafts": {"_a.yaml": EMPTY, "_old/b.yaml": EMPTY, "c.yaml": EMPTY, "d_e.yaml": EMPTY, "f.g.yaml": EMPTY},
    "below": {"a.yaml": EMPTY, "sub/b.yaml": EMPTY, "sub/deep/c.json": '{"version": 1}'},
    "other files": {"a.yaml": EMPTY, "notes.md": "a: b", "b.yaml.bak": EMPTY, "c.YAML": EMPTY},
    "one name, two folders": {"a.yaml": EMPTY, "sub/a.yaml": EMPTY},
    "one name, two suffixes": {"a.yaml": EMPTY, "a.json": '{"version": 1}'},
    "one name in a text": {"a.yaml": EMPTY, "b.yaml": "version: 1\nname: a\n"},
    "named otherwise": {"a.yaml": "version: 1\nname: b\n", "b.yaml": '{"version": 1, "name": "a"}'},
    "extends a later one": {"a.yaml": extending("b"), "b.yaml": EMPTY},
    "extends an earlier one": {"a.yaml": EMPTY, "b.yaml": extending("a")},
    "extends one below": {"a.yaml": extending("m"), "m.yaml": extending("z"), "sub/z.yaml": EMPTY},
    "extends by another name": {"a.yaml": extending("w"), "b.yaml": "version: 1\nname: w\n"},
    "extends as JSON": {"a.json": '{"version": 1, "extends": "b"}', "b.json": '{"version": 1}'},
    "extends a shipped one": {"a.yaml": extending("lost_response")},
    "extends a draft": {"a.yaml": extending("_b"), "_b.yaml": EMPTY},
    "extends nobody": {"a.yaml": extending("nobody"), "b.yaml": EMPTY},
    "extends itself": {"a.yaml": extending("a")},
    "extends in a circle": {"a.yaml": extending("b"), "b.yaml": extending("c"), "c.yaml": extending("a")},
    "broken": {"a.yaml": "version: 1\nrules: [{on: chrge}]\n", "b.yaml": EMPTY},
    "no YAML": {"a.yaml": "{", "b.yaml": EMPTY},
    "a mark of byte order": {"a.yaml": f"\ufeff{EMPTY}", "b.json": '\ufeff{"version": 1}'},
    "empty": {},
    "only hidden": {".a.yaml": EMPTY, "_b.yaml": EMPTY, "notes.md": ""},
}


def drawn(seed: int) -> Folder:
    """A folder by chance: places, suffixes, names and what is extended."""
    dice, found = Random(seed), Folder()
    for _ in range(dice.randint(1, 6)):
        place = dice.choice(["", "", "", "sub/", "_old/", ".git/", "sub/deep/"])
        stem, suffix = dice.choice("abcde"), dice.choice([".yaml", ".yml", ".json"])
        said: dict[str, object] = {"version": 1}
        said |= dice.choice([{}, {}, {}, {"name": dice.choice("abxy")}])
        said |= dice.choice([{}, {"extends": dice.choice([*"abcdexy", "lost_response"])}])
        text = json.dumps(said) if suffix == ".json" else "".join(f"{key}: {value}\n" for key, value in said.items())
        found[f"{place}{dice.choice(['', '', '', '_', '.'])}{stem}{suffix}"] = text
    return found


@pytest.fixture(params=[*SHAPES, *range(times(40, soak=2_000))], ids=str)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = SHAPES[request.param] if request.param in SHAPES else drawn(request.param)
    for name, text in made.items():
        path = tmp_path / "scenarios" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "scenarios").mkdir(exist_ok=True)
    return tmp_path / "scenarios"


REFUSED: Final = frozenset({"refused"})
NOTHING: Final = 3
Names = frozenset[str]


def typed(*words: str, **env: str) -> Result:
    return CliRunner().invoke(main, words, env=env, prog_name="payment-sandbox")


def own(sandbox: Sandbox, origin: str) -> Names:
    listed = sandbox.control.get("/scenarios")["scenarios"]
    return frozenset(one["name"] for one in listed if one["origin"] == origin)


def is_refused(done: Result) -> bool:
    if done.exit_code == NOTHING and "skipped" not in done.output:
        assert "there is no" in done.output
    return done.exit_code not in (0, NOTHING)


def checked(folder: Path, inside: SandboxServer) -> int:
    done = typed("scenarios", "check", str(folder))
    return -1 if is_refused(done) else int(done.output.split()[0]) if done.exit_code == 0 else 0


def served(folder: Path, inside: SandboxServer) -> Names:
    try:
        Library(folder)  # as `serve` reads it before it starts
    except ScenarioErrors:
        return REFUSED
    with SandboxServer({"scenarios": str(folder)}) as server, Sandbox(server=server) as sandbox:
        return own(sandbox, "directory")


def played(folder: Path, inside: SandboxServer) -> Names:
    done = typed("scenarios", "play", str(folder))
    if is_refused(done):
        return REFUSED
    said = done.stdout.splitlines()[0] if done.stdout else ""
    return frozenset(filter(None, said.removeprefix("skipped, because they have no story: ").split(", ")))


def put(folder: Path, inside: SandboxServer) -> Names:
    with Sandbox(server=inside) as sandbox:
        env = {"PAYMENT_SANDBOX_URL": sandbox.url, "PAYMENT_SANDBOX_API_KEY": sandbox.api_key}
        done = typed("scenarios", "put", str(folder), **env)
        return REFUSED if is_refused(done) else own(sandbox, "workspace")


def in_the_fixture(folder: Path, inside: SandboxServer) -> Names:
    try:
        with Sandbox(server=inside, scenarios=collected(folder)) as sandbox:
            sandbox.reset()
            return own(sandbox, "workspace")
    except (ControlRefused, ValueError):
        return REFUSED


DOORS: Final[tuple[Callable[[Path, SandboxServer], Any], ...]] = (served, played, put, in_the_fixture)


def test_a_folder_means_the_same_everywhere(folder: Path, inside: SandboxServer) -> None:
    found = {door.__name__: door(folder, inside) for door in DOORS}
    assert len(set(found.values())) == 1, found
    (names,) = set(found.values())
    assert checked(folder, inside) == (-1 if names == REFUSED else len(names))


@pytest.mark.parametrize("name", [*SHAPES])
def test_a_list_in_any_order_means_the_same(name: str, inside: SandboxServer, tmp_path: Path) -> None:
    """Its files one by one, as the fixture and the command take them too."""
    files = [
        tmp_path / path for path in SHAPES[name] if path.endswith((".yaml", ".yml", ".json")) and path[0] not in "._"
    ]
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SHAPES[name][str(path.relative_to(tmp_path))], "utf-8")
    found = set()
    for order in (files, files[::-1]):
        with Sandbox(server=inside) as sandbox:
            env = {"PAYMENT_SANDBOX_URL": sandbox.url, "PAYMENT_SANDBOX_API_KEY": sandbox.api_key}
            if order:
                done = typed("scenarios", "put", *map(str, order), **env)
                found.add(REFUSED if is_refused(done) else own(sandbox, "workspace"))
        try:
            with Sandbox(server=inside, scenarios=collected(order)) as sandbox:
                found.add(own(sandbox, "workspace"))
        except (ControlRefused, ValueError):
            found.add(REFUSED)
    assert len(found) == 1, found


STORY: Final = (
    "story: [{do: payments.create, with: {amount: 1, currency: EUR, confirm: true, card: success}, "
    "see: {status: failed}}]\n"
)
DECLINES: Final = "version: 1\nrules: [{on: charge, then: {decline: lost_card}}]\n"


@pytest.mark.parametrize("place", ["", "sub/", "sub/deep/"])
@pytest.mark.parametrize("name", ["a", "z", "other"])
def test_what_a_story_extends_is_found_in_the_folder(name: str, place: str, tmp_path: Path) -> None:
    base = tmp_path / place / f"{'file' if name == 'other' else name}.yaml"
    base.parent.mkdir(parents=True, exist_ok=True)
    base.write_text(f"{DECLINES}name: {name}\n")
    (tmp_path / "m.yaml").write_text(extending(name) + STORY)
    done = typed("scenarios", "play", str(tmp_path))
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "1 of 1 passed"), done.output


def test_what_is_wrong_with_a_folder_is_said_without_a_traceback(tmp_path: Path, run: Callable[..., Any]) -> None:
    (tmp_path / "one").mkdir()
    for name in ("one/a.yaml", "a.yaml"):
        (tmp_path / name).write_text(EMPTY)
    conftest = f"""
        import pathlib, pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_scenarios():
            return pathlib.Path({str(tmp_path)!r})
    """
    result = run("def test_x(payment_sandbox): pass", conftest=conftest)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*payment_sandbox_scenarios: *: the name a is already used by *"])
    result.stdout.no_fnmatch_line("*Traceback*")
