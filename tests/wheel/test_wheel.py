"""The built package, in environments where nothing else is."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import zipfile
from itertools import cycle, product
from pathlib import Path
from typing import Final

import pytest
from packaging.metadata import Metadata

from mock_server import __version__
from tests.architecture.sources import ROOT
from tests.counts import SOAK
from tests.docs.snippets import blocks
from tests.plugin.test_cost import REWRITTEN
from tests.wheel.conftest import PYTHONS
from tests.wheel.environments import Environment, made

LINES: Final = 11
"""How long the README's test may be: a minute's work."""


def readme_test() -> str:
    (block,) = (one for one in blocks((ROOT / "README.md").read_text("utf-8")) if "def test_" in one.text)
    return block.text


# what is in it


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"mock_server", "payment_sandbox"}
    assert "mock_server/py.typed" in names
    shipped = {path.name for path in (ROOT / "scenarios").glob("*.yaml")}
    assert {name.rpartition("/")[2] for name in names if name.startswith("mock_server/_scenarios/")} >= shipped
    assert "mock_server/_reference/scenario-language.md" in names
    assert not [name for name in names if "__pycache__" in name]


def test_it_holds_every_file_of_the_package(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "mock_server", "payment_sandbox"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(tracked) - set(zipfile.ZipFile(wheel).namelist()) <= {"mock_server/_scenarios"}


def test_an_older_and_a_newer_python_were_there() -> None:
    assert "3.11" in PYTHONS or sys.version_info > (3, 11)
    if len(PYTHONS) == 1:
        print(f"only Python {', '.join(PYTHONS)} on this machine")  # noqa: T201 — said aloud


def test_what_it_says_of_itself_is_in_order(wheel: Path) -> None:
    found = zipfile.ZipFile(wheel)
    (name,) = (name for name in found.namelist() if name.endswith(".dist-info/METADATA"))
    said = Metadata.from_email(found.read(name), validate=True)
    assert (str(said.version), said.license_expression) == (__version__, "MIT")
    assert "payment_sandbox/py.typed" in found.namelist()


def test_the_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    (sdist,) = wheel.parent.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(sdist)], check=True)
    (again,) = tmp_path.glob("*.whl")
    assert set(zipfile.ZipFile(again).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def test_it_installs_by_its_name_from_an_index(wheel: Path, tmp_path: Path) -> None:
    """The last step before a release that can be tried here: an index that is a folder."""
    place = tmp_path / "index" / "payment-sandbox"
    place.mkdir(parents=True)
    shutil.copy(wheel, place)
    (place / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>', "utf-8")
    environment = made(PYTHONS[next(iter(PYTHONS))], tmp_path / "env", tmp_path / "work", pip=True)
    environment.install("--extra-index-url", (tmp_path / "index").as_uri(), "payment-sandbox[tls]")
    done = environment.run("python", "-c", "from payment_sandbox import Sandbox; print(Sandbox.__name__)")
    assert done.stdout == "Sandbox\n", done.stderr


# as a command


def test_the_command_is_there(alone: Environment) -> None:
    assert alone.run("payment-sandbox", "--version").stdout.strip() == f"payment-sandbox {__version__}"
    assert alone.uv("check")
    assert "insufficient_funds" in alone.run("payment-sandbox", "cards").stdout


def test_it_serves(alone: Environment) -> None:
    port_file = alone.folder / "port"
    serve = ["serve", "--port", "0", "--port-file", str(port_file), "--scenario", "lost_response"]
    process = subprocess.Popen([alone.program("payment-sandbox"), *serve], cwd=alone.folder)
    try:
        waited = alone.run("payment-sandbox", "wait", "--port-file", str(port_file))
        assert waited.returncode == 0, waited.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0


def test_without_pytest_the_unittest_way_works(alone: Environment) -> None:
    source = (
        "from mock_server.testing import Sandbox\n"
        "with Sandbox() as sandbox:\n    assert sandbox.client.pay()['status'] == 'succeeded'\n"
    )
    done = alone.run("python", "-W", "error", "-c", source)
    assert done.returncode == 0, done.stderr


# in pytest


WAYS: Final = {
    "plain": (),
    "strict": ("-p", "no:cacheprovider", "-W", "error"),
    "two workers": ("-n", "2"),
}
EACH: Final = [*product(PYTHONS, WAYS)] if SOAK else [*zip(cycle(PYTHONS), WAYS, strict=False)]


@pytest.fixture
def with_the_readmes_test(beside_pytest: Environment) -> Environment:
    (beside_pytest.folder / "test_shop.py").write_text(readme_test(), "utf-8")
    return beside_pytest


@pytest.mark.parametrize(("alone", "way"), EACH, indirect=["alone"])
def test_the_readmes_test_passes(with_the_readmes_test: Environment, way: str) -> None:
    done = with_the_readmes_test.run("python", "-m", "pytest", *WAYS[way])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("alone", PYTHONS if SOAK else [*PYTHONS][-1:], indirect=True)
def test_it_passes_against_a_server_that_runs_already(with_the_readmes_test: Environment) -> None:
    port_file = with_the_readmes_test.folder / "port"
    serve = ["serve", "--port", "0", "--port-file", str(port_file)]
    process = subprocess.Popen([with_the_readmes_test.program("payment-sandbox"), *serve])
    try:
        assert with_the_readmes_test.run("payment-sandbox", "wait", "--port-file", str(port_file)).returncode == 0
        url = f"http://127.0.0.1:{port_file.read_text().strip()}"
        done = with_the_readmes_test.run("python", "-m", "pytest", "--payment-sandbox-url", url, "-n", "2")
    finally:
        process.terminate()
        process.wait()
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"payment sandbox: {url}" in done.stdout


def test_the_readmes_test_is_short() -> None:
    assert len(readme_test().splitlines()) <= LINES


def test_a_test_that_fails_tells_its_story(beside_pytest: Environment) -> None:
    failing = "def test_paid(payment_sandbox):\n    assert payment_sandbox.client.pay()['status'] == 'failed'\n"
    (beside_pytest.folder / "test_failing.py").write_text(failing)
    done = beside_pytest.run("python", "-m", "pytest", "test_failing.py")
    assert done.returncode == 1
    assert "payments.create" in done.stdout


def test_pytest_rewrites_no_assertion_of_the_server(beside_pytest: Environment) -> None:
    """Of an installed distribution pytest would rewrite everything, as it has a plugin."""
    (beside_pytest.folder / "test_rewritten.py").write_text(REWRITTEN, "utf-8")
    done = beside_pytest.run("python", "-m", "pytest", "test_rewritten.py")
    assert done.returncode == 0, done.stdout


# the action installs this very checkout


def test_the_actions_install_step_leads_to_its_start_step(tmp_path: Path) -> None:
    from tests.recipes.test_recipes import ACTION, run, started

    quickly = {"PYTHON": sys.executable, "PIP_NO_COMPILE": "0"}  # in pip's words: compile nothing
    (install,) = (step for step in ACTION["runs"]["steps"] if step.get("id") != "start")
    done = run(install["run"], RUNNER_TEMP=str(tmp_path), GITHUB_ACTION_PATH=str(ROOT), **quickly)
    assert done.returncode == 0, done.stderr
    with started(tmp_path, {"seed": "ci"}) as told:
        assert run("examples/ci/run-tests", PAYMENT_SANDBOX_URL=told["url"]).returncode == 1  # no scenario here
