"""The CI recipes as they stand, read so that they can be carried out here: what the runner would start, and run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from tests.architecture.sources import ROOT

SERVICE: Final = "payment-sandbox"
PORT_OF_THE_JOB: Final = f"job.services.{SERVICE}.ports['12190']"
RECIPES: Final = ROOT / "examples" / "ci"
_EXPRESSION: Final = re.compile(r"\$\{\{ (.+?) \}\}")


@dataclass(frozen=True)
class Recipe:
    """The sandbox beside a job: its container's variables and options, what the job runs, and what that is told."""

    name: str
    image: str
    variables: Mapping[str, str]
    options: tuple[str, ...]
    script: str
    told: Mapping[str, str]


def document(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values in the place of `${{ … }}`; KeyError for one that is not told."""
    return _EXPRESSION.sub(lambda found: values[found[1]], text)


def github_services() -> Recipe:
    job = document("examples/ci/github-services.yml")["jobs"]["test"]
    service, run = job["services"][SERVICE], _the_run(job["steps"])
    assert service["ports"] == [12190]
    options = tuple(service["options"].split())
    return Recipe("GitHub services", service["image"], service["env"], options, run["run"], run["env"])


def gitlab_services() -> Recipe:
    job = document("examples/ci/gitlab-ci.yml")["checkout"]
    (service,), (script,) = job["services"], job["script"]
    assert service["alias"] == SERVICE
    # GitLab hands the job's own variables to its services as well.
    variables = {**job["variables"], **service["variables"]}
    return Recipe("GitLab services", service["name"], variables, (), script, job["variables"])


def compose() -> Recipe:
    services = document("compose.yaml")["services"]
    service, tests = services[SERVICE], services["tests"]
    assert tests["depends_on"] == {SERVICE: {"condition": "service_healthy"}}
    assert tests["volumes"] == ["./examples/ci:/tests:ro"]
    (command,) = tests["command"]
    options = (
        *(("--read-only",) if service["read_only"] else ()),
        *(f"--cap-drop={name}" for name in service["cap_drop"]),
        *(f"--security-opt={name}" for name in service["security_opt"]),
        *map(_volume, service["volumes"]),
    )
    script = command.replace("/tests/", "examples/ci/")
    return Recipe("compose", service["image"], service["environment"], options, script, tests["environment"])


def _volume(said: str) -> str:
    """A volume as an engine takes it; one with a name of its own is gone with the container."""
    place = said.removeprefix("./")
    return f"--volume={ROOT / place}" if place != said else f"--volume={said.partition(':')[2]}"


def _the_run(steps: list[dict[str, Any]]) -> dict[str, Any]:
    (run,) = (step for step in steps if "run" in step)
    return run


CONTAINERS: Final = (github_services(), gitlab_services(), compose())
"""The recipes that start a container."""
