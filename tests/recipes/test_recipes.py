"""The recipes' one script, against the sandbox with the variables of each recipe; and the action, step by step.

Here the sandbox is a process. tests/container does the same with containers.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from mock_server.connections import Http
from tests.architecture.sources import ROOT
from tests.counts import times
from tests.recipes.reading import CONTAINERS, PORT_OF_THE_JOB, RECIPES, Recipe, document, filled
from tests.running import RunningSandbox, environment

ACTION: Final = document("action.yml")
PATH: Final = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run what a step runs, in the checkout."""
    return subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=ROOT,
        env=environment(PATH=PATH, **variables),
        capture_output=True,
        text=True,
        check=False,
    )


def elsewhere(recipe: Recipe, base: str) -> dict[str, str]:
    """Return the script's variables, with the address that the sandbox has here."""
    port = base.rpartition(":")[2]
    told = {name: filled(value, {PORT_OF_THE_JOB: port}) for name, value in recipe.told.items()}
    return {name: value.replace("http://payment-sandbox:12190", base) for name, value in told.items()}


@pytest.mark.parametrize("recipe", CONTAINERS, ids=lambda recipe: recipe.name)
def test_the_script_passes_beside_the_recipes_sandbox(recipe: Recipe) -> None:
    assert "PAYMENT_SANDBOX_IMAGE" in recipe.image
    mounted = {"PAYMENT_SANDBOX_SCENARIOS": str(RECIPES / "scenarios")} if "/scenarios" in str(recipe.options) else {}
    with RunningSandbox(variables={**recipe.variables, **mounted}) as sandbox:
        done = run(recipe.script, **elsewhere(recipe, sandbox.base))
    assert done.returncode == 0, done.stderr
    assert "Ran 3 tests" in done.stderr


def test_the_script_fails_where_the_scenario_is_missing() -> None:
    with RunningSandbox() as sandbox:
        done = run("examples/ci/run-tests", PAYMENT_SANDBOX_URL=sandbox.base)
    assert done.returncode == 1
    assert "beyond_the_cards_limit) ... FAIL" in done.stderr


def test_inline_and_mounted_scenarios_are_the_same() -> None:
    file = yaml.safe_load((RECIPES / "scenarios" / "large_orders.yaml").read_text("utf-8"))
    texts = [recipe.variables["PAYMENT_SANDBOX_SCENARIOS_INLINE"] for recipe in CONTAINERS[:2]]
    assert [yaml.safe_load(text)["rules"] for text in texts] == [file["rules"]] * 2


# the composite action


@contextmanager
def started(folder: Path, given: Mapping[str, str], **job: str) -> Iterator[dict[str, str]]:
    """Carry out the step that starts the sandbox, as a runner does, with variables of the job; yields what it told."""
    output = folder / "output"
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "start")
    inputs = {f"inputs.{name}": given.get(name, about["default"]) for name, about in ACTION["inputs"].items()}
    variables = {name: filled(value, inputs) for name, value in step["env"].items()}
    places = {"GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(folder / "path"), "GITHUB_ACTION_PATH": str(ROOT)}
    runner = {"RUNNER_TEMP": str(folder), **places, **job}
    done = run(step["run"], **variables, **runner)
    assert done.returncode == 0, done.stderr
    try:
        yield dict(line.split("=", 1) for line in output.read_text().splitlines())
    finally:
        os.kill(int((folder / "payment-sandbox.pid").read_text()), signal.SIGTERM)


def test_the_action_starts_what_the_script_is_run_against(tmp_path: Path) -> None:
    for path in ("examples/ci/github-action.yml", ".github/workflows/try-action.yml"):
        steps: list[dict[str, Any]] = document(path)["jobs"]["test"]["steps"]
        (use,) = (step for step in steps if step.get("id") == "sandbox")
        (script,) = (step for step in steps if "run" in step)
        folder = tmp_path / Path(path).stem
        folder.mkdir()
        with started(folder, use["with"]) as told:
            outputs = {f"steps.sandbox.outputs.{name}": value for name, value in told.items()}
            done = run(script["run"], **{name: filled(value, outputs) for name, value in script["env"].items()})
        assert done.returncode == 0, done.stderr


def test_the_action_tells_what_it_says_it_tells(tmp_path: Path) -> None:
    with started(tmp_path, {}) as told:
        assert set(told) == set(ACTION["outputs"])
        assert re.fullmatch(r"snd_ci_[0-9a-f]{24}", told["api-key"])
        assert told["publishable-key"] == f"pk_{told['api-key']}"
        assert told["url"].startswith("http://127.0.0.1:")
    for name, about in ACTION["outputs"].items():
        assert about["value"] == f"${{{{ steps.start.outputs.{name} }}}}"


def test_after_the_action_the_command_is_there_and_nothing_else_beside_it(tmp_path: Path) -> None:
    with started(tmp_path, {}) as told:
        (folder,) = (tmp_path / "path").read_text().splitlines()
        done = run(f"{folder}/payment-sandbox verdict --all", PAYMENT_SANDBOX_URL=told["url"])
    assert [file.name for file in Path(folder).iterdir()] == ["payment-sandbox"]
    assert (done.returncode, "nothing to check" in done.stderr) == (2, True)


def test_the_action_says_why_it_could_not_start(tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match="there is no scenario nobody_wrote_it"),
        started(tmp_path, {"scenario": "nobody_wrote_it"}),
    ):
        pass


JOBS: Final[dict[str, dict[str, str]]] = {
    "every address": {"HOST": "0.0.0.0"},
    "IPv6": {"HOST": "::1"},
    "every address of IPv6": {"HOST": "::"},
    "a name": {"HOST": "localhost"},
    "guarded": {"CONTROL_TOKEN": "between us"},
    "another URL for links": {"PUBLIC_URL": "https://pay.example.test"},
    "plain": {"PLAIN_HEADERS": "true", "LOG_FORMAT": "json"},
    "one key": {"KEYS": "snd_only_this_one"},
    "strict": {"UNKNOWN_PROFILES": "refuse", "DIALECT": "hyperswitch", "RATE_LIMIT": "1"},
}
GIVEN: Final[dict[str, dict[str, str]]] = {
    "no key": {},
    "the key": {"api-key": "snd_only_this_one"},
    "a key of production": {"api-key": "prd_only_this_one"},
    "no key of ours": {"api-key": "sk_test_only_this_one"},
    "a key for browsers": {"api-key": "pk_snd_only_this_one"},
}


PAIRS: Final = [
    *((job, "no key") for job in JOBS),
    *(("one key", given) for given in [*GIVEN][1:]),
    *(("IPv6", given) for given in [*GIVEN][1 : times(2, soak=len(GIVEN))]),
]


@pytest.mark.parametrize(("job", "given"), PAIRS)
def test_what_the_action_tells_works_or_it_says_why_not(job: str, given: str, tmp_path: Path) -> None:
    variables = {f"PAYMENT_SANDBOX_{name}": value for name, value in JOBS[job].items()}
    if given == "the key" or (given == "no key" and job != "one key"):
        with started(tmp_path, GIVEN[given], **variables) as told:
            called = Http(told["url"], keeps=False).call("GET", "/health", None, {"api-key": told["api-key"]}, 10.0)
            assert called.status == 200
        return
    with pytest.raises(AssertionError, match="key"), started(tmp_path, GIVEN[given], **variables):
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "payment-sandbox.pid").read_text()), 0)


# publishing


def test_only_the_tag_of_this_version_is_published() -> None:
    from mock_server import __version__

    assert run(f".github/check-version v{__version__}").returncode == 0
    refused = run(".github/check-version v99.0.0")
    assert refused.returncode == 1
    assert __version__ in refused.stderr


def test_what_is_published_says_where_it_comes_from() -> None:
    jobs = document(".github/workflows/publish.yml")["jobs"]
    (push,) = (step["with"] for step in jobs["image"]["steps"] if step.get("id") == "push")
    assert jobs["image"]["strategy"]["matrix"]["runner"] == ["ubuntu-24.04", "ubuntu-24.04-arm"]
    assert jobs["tags"]["needs"] == "image"
    assert push["sbom"] is True
    assert push["provenance"] == "mode=max"
    assert jobs["pypi"]["permissions"] == {"id-token": "write"}
    arguments = {line.split("=")[0] for line in push["build-args"].splitlines()}
    declared = set(re.findall(r"^ARG (\w+)=$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE))
    assert arguments == declared
