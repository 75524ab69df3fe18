"""The examples of browser tests do what they say, and the stand-in's own JavaScript holds what its types say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import Final

import pytest

from mock_server import checkout
from tests.architecture.sources import ROOT
from tests.browser.chromium import MISSING, WHOLE, executable
from tests.counts import SOAK
from tests.running import RunningSandbox, environment

FOLDER = ROOT / "examples/checkout"
TSC = FOLDER / "node_modules/.bin/tsc"
PACKAGE = (ROOT / str(checkout.__file__)).parents[1]
ASSETS = sorted([*PACKAGE.glob("checkout/assets/*.js"), *PACKAGE.glob("pages/templates/pages/*.js")])


BROWSERS: Final[dict[str, tuple[str, ...]]] = {"shell": (), "whole": WHOLE} if SOAK else {"shell": ()}
"""Playwright starts the shell by itself; the whole browser takes twice the processor time."""


@pytest.fixture(scope="module", params=list(BROWSERS.values()), ids=list(BROWSERS))
def browser(request: pytest.FixtureRequest) -> str:
    program = executable(*request.param)
    if program is None:
        pytest.skip(MISSING)
    return program


@pytest.fixture(scope="module")
def packages() -> None:
    if shutil.which("node") is None or not TSC.exists():
        pytest.skip("node or packages are missing: run `make npm`")


def test_the_python_example(browser: str) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-p", "payment_sandbox", "-c", "/dev/null", "--rootdir"]
    env = environment(BROWSER_UNDER_TEST=browser, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, FOLDER, FOLDER], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


@pytest.mark.usefixtures("packages")
def test_the_node_example(browser: str) -> None:
    with RunningSandbox() as sandbox:
        env = environment(PAYMENT_SANDBOX_URL=sandbox.base, BROWSER_UNDER_TEST=browser)
        done = subprocess.run(
            ["node", "--test", "checkout.test.mjs"], cwd=FOLDER, env=env, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 3" in done.stdout or "pass 3" in done.stdout


@pytest.mark.usefixtures("packages")
def test_the_cypress_example_and_the_stand_in_are_typed() -> None:
    options = ["--ignoreConfig", "--noEmit", "--checkJs", "--allowJs", "--strict", "--target", "es2022"]
    options += ["--module", "es2022", "--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable"]
    for arguments in (["-p", "."], [*options, *map(str, ASSETS)]):
        done = subprocess.run([TSC, *arguments], cwd=FOLDER, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")
