"""The image itself: whose it is, what it starts, what it says of itself, and how large it is."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server import __version__
from tests.container.engine import Container, Engine

ADDED_AT_MOST: Final = 82_000_000
"""What the image may add to its base, in bytes; docs/how-to/run-in-a-container.md says what it is."""


def test_it_is_nobodys_in_particular(engine: Engine) -> None:
    user = engine.about_image()["Config"]["User"]
    assert user.replace(":", "").isdigit(), "Kubernetes can only see of a number that it is not root's"
    assert not user.startswith("0")


def test_it_starts_the_server_without_a_shell(engine: Engine) -> None:
    about = engine.about_image()
    config = about["Config"]
    health = config.get("Healthcheck") or about.get("Healthcheck") or about["HealthCheck"]
    assert config["Entrypoint"] == ["payment-sandbox"]
    assert config["Cmd"] == ["serve"]
    assert health["Test"] == ["CMD", "payment-sandbox", "ready"]
    assert list(config["ExposedPorts"]) == ["12190/tcp"]


def test_it_says_what_it_is(engine: Engine) -> None:
    labels = engine.about_image()["Config"]["Labels"]
    said = {name.rpartition(".")[2]: value for name, value in labels.items() if name.startswith("org.opencontainers.")}
    assert set(said) >= {"title", "description", "licenses", "version", "revision", "created", "source"}
    assert (said["title"], said["licenses"], said["version"]) == ("payment-sandbox", "MIT", __version__)


def test_it_is_small(engine: Engine, plain: Container) -> None:
    measured = plain.run("python", "-c", "import os; print(sum(os.lstat(os.path.join(d, f)).st_size"
                         " for d, _, names in os.walk('/opt/payment-sandbox') for f in names))")  # fmt: skip
    assert int(measured.stdout) < ADDED_AT_MOST


@pytest.mark.parametrize("module", ["pip", "pytest", "build"])
def test_it_holds_nothing_that_only_building_needs(plain: Container, module: str) -> None:
    looked = plain.run(
        "python", "-c", f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is not None)"
    )
    assert looked.returncode == 0, f"{module} is in the image: {looked.stderr}"
