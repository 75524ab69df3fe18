"""The wheel under test, installed once into an environment for each Python.

`make wheel-test` builds it and names it in PAYMENT_SANDBOX_WHEEL; `make test` leaves this folder out.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.wheel.environments import Environment, made, pythons

PYTHONS = pythons()
for between in list(PYTHONS)[1:-1]:  # the oldest and the newest say what there is to say
    del PYTHONS[between]


@pytest.fixture(scope="session")
def wheel() -> Path:
    named = os.environ.get("PAYMENT_SANDBOX_WHEEL")
    if not named:
        pytest.skip("PAYMENT_SANDBOX_WHEEL names no wheel: make wheel-test builds one")
    return Path(named).resolve()


@pytest.fixture(scope="session", params=PYTHONS)
def alone(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel and nothing else, as pipx installs it."""
    place = tmp_path_factory.mktemp("alone")
    environment = made(PYTHONS[request.param], place / "env", place / "work")
    environment.add(str(wheel))
    return environment


@pytest.fixture(scope="session")
def beside_pytest(alone: Environment) -> Environment:
    """The same environment with pytest and xdist."""
    alone.add("pytest", "pytest-xdist")
    return alone
