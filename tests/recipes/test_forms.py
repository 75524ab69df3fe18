"""Workflows, actions, pipelines and compose files are what their readers take: by the published schema of each."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jsonschema
import kubernetes_validate  # type: ignore[import-untyped]  # it has no types
import pytest
import yaml

from tests.architecture.sources import ROOT

SCHEMAS: Final = {
    ".github/workflows/*.yml": "github-workflows",
    "examples/ci/github-*.yml": "github-workflows",
    "action.yml": "github-actions",
    "examples/ci/gitlab-*.yml": "gitlab-ci",
    "compose.yaml": "compose-spec",
    "examples/*/compose.yaml": "compose-spec",
    ".github/dependabot.yml": "dependabot",
}
KUBERNETES: Final = "1.32"
FILES: Final = [(path, name) for pattern, name in SCHEMAS.items() for path in sorted(ROOT.glob(pattern))]


@cache
def validator(name: str) -> Any:
    """Return what checks by a schema that check-jsonschema brings along, so that nothing is fetched."""
    text = files("check_jsonschema").joinpath(f"builtin_schemas/vendor/{name}.json").read_text("utf-8")
    schema = json.loads(text)
    return jsonschema.validators.validator_for(schema)(schema)


def mistakes(document: object, name: str) -> list[str]:
    return [f"{one.json_path}: {one.message}" for one in validator(name).iter_errors(document)]


def read(text: str) -> Any:
    # YAML 1.1 takes the key `on` for true; what reads these files does not.
    return {("on" if key is True else key): value for key, value in yaml.safe_load(text).items()}


@pytest.mark.parametrize(("path", "name"), FILES, ids=lambda one: one.name if isinstance(one, Path) else one)
def test_the_file_is_what_its_schema_says(path: Path, name: str) -> None:
    assert mistakes(read(path.read_text("utf-8")), name) == []


def in_a_cluster(text: str) -> None:
    """Raises where a cluster of the version would not take a document."""
    for document in yaml.safe_load_all(text):
        kubernetes_validate.validate(document, KUBERNETES, strict=True)


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/kubernetes/*.yaml")), ids=lambda path: path.name)
def test_a_cluster_takes_the_manifest(path: Path) -> None:
    text = path.read_text("utf-8")
    in_a_cluster(text)
    with pytest.raises(kubernetes_validate.ValidationError):
        in_a_cluster(text.replace("replicas: 1", "replicas: one"))


def test_every_pattern_finds_files() -> None:
    assert {name for _, name in FILES} == set(SCHEMAS.values())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("github-workflows", "on: push\njobs: {a: {steps: [{run: x}]}}"),
        ("github-actions", "name: x\nruns: {using: composite}"),
        ("gitlab-ci", "job: {script: x, services: [{alias: y}]}"),
        ("compose-spec", "services: {a: {ports: 3}}"),
    ],
)
def test_the_schemas_see_what_breaks_them(name: str, text: str) -> None:
    assert mistakes(read(text), name)
