"""The pipelines' recipes with containers, as the services that read them start them: variables, options, networks."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests import npm
from tests.architecture.sources import ROOT
from tests.container.engine import PORT, Container, Engine
from tests.plugin.test_container import program
from tests.recipes.reading import PORT_OF_THE_JOB, SERVICE, compose, document, filled, github_services, gitlab_services
from tests.recipes.test_recipes import run

BESIDE = ("--rm", "--user", "0", "--volume", f"{ROOT}:/checkout:ro", "--workdir", "/checkout")


@pytest.fixture
def network(engine: Engine) -> Iterator[str]:
    """A network in which containers find each other by name, as compose and GitLab make one for each job."""
    name = f"payment-sandbox-{os.getpid()}"
    engine.call("network", "create", name)
    try:
        yield name
    finally:
        engine.call("network", "rm", "--force", name, fails=True)


def beside(engine: Engine, network: str, script: str, told: dict[str, str]) -> str:
    """Run a script in a container of its own in the same network; return what it said."""
    words = ["run", "--network", network, *BESIDE, "--entrypoint", f"/checkout/{script}"]
    variables = [word for name, value in told.items() for word in ("--env", f"{name}={value}")]
    done = engine.call(*words, *variables, engine.image)
    return done.stdout + done.stderr


def test_github_services(engine: Engine) -> None:
    recipe = github_services()
    with engine.running(options=recipe.options, variables=recipe.variables) as container:
        port = container.healthy().base.rpartition(":")[2]
        told = {name: filled(value, {PORT_OF_THE_JOB: port}) for name, value in recipe.told.items()}
        done = run(recipe.script, **told)
    assert done.returncode == 0, done.stderr


def test_gitlab_services(engine: Engine, network: str) -> None:
    recipe = gitlab_services()
    joined = ("--network", network, "--network-alias", SERVICE, *recipe.options)
    with engine.running(options=joined, variables=recipe.variables):
        said = beside(engine, network, recipe.script, dict(recipe.told))
    assert "Ran 3 tests" in said


def challenged(container: Container) -> str:
    """Return where the customer of a payment is sent that was made by its name in the network."""
    source = f"""
import json, urllib.request
card = {{"card_number": "4000000000003220", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}}
body = {{"amount": 1, "currency": "EUR", "profile_id": "pro_shop", "confirm": True, "payment_method": "card",
        "return_url": "https://shop.example", "payment_method_data": {{"card": card}}}}
asked = urllib.request.Request("http://{SERVICE}:{PORT}/payments", json.dumps(body).encode(),
                               {{"api-key": "snd_container", "Content-Type": "application/json"}})
print(json.load(urllib.request.urlopen(asked))["next_action"]["redirect_to_url"])
"""
    done = container.run("python", "-c", source)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_compose(engine: Engine, network: str) -> None:
    recipe = compose()
    joined = ("--network", network, "--network-alias", SERVICE, *recipe.options)
    with engine.running(options=joined, variables=recipe.variables) as container:
        container.healthy()
        assert "Ran 3 tests" in beside(engine, network, recipe.script, dict(recipe.told))
        link = challenged(container)
        published = "http://localhost:12190"  # what compose publishes, and the variable public_url says
        assert link.startswith(f"{published}/")
        page = httpx.get(link.replace(published, container.base), timeout=None)
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]


def test_testcontainers(engine: Engine) -> None:
    with engine.socket() as address:
        done = run(
            f"python - <<'END OF PROGRAM'\n{program()}END OF PROGRAM",
            DOCKER_HOST=address,
            PAYMENT_SANDBOX_IMAGE=engine.image,
            TESTCONTAINERS_RYUK_DISABLED="true",
            TESTCONTAINERS_CONNECTION_MODE="docker_host",  # the port is published on this machine
        )
    assert done.returncode == 0, done.stderr


def test_testcontainers_in_node(engine: Engine, tmp_path: Path) -> None:
    npm.package("testcontainers")
    (tmp_path / "node_modules").symlink_to(npm.MODULES)
    program = Path(shutil.copy(ROOT / "examples" / "node" / "container.mjs", tmp_path))
    with engine.socket() as address:
        done = run(
            f"node {program}",
            DOCKER_HOST=address,
            PAYMENT_SANDBOX_IMAGE=engine.image,
            TESTCONTAINERS_RYUK_DISABLED="true",
        )
    assert done.returncode == 0, done.stderr
    assert " succeeded" in done.stdout


ASKS: Final = """
import json, urllib.request as http
body = json.dumps({"amount": 4200, "currency": "EUR", "profile_id": "pro_shop"}).encode()
said = {"api-key": "snd_alias_0123456789", "Content-Type": "application/json"}
print(http.urlopen(http.Request("https://sandbox.hyperswitch.io/payments", body, said)).read().decode())
"""


def test_a_hard_wired_name_leads_to_the_sandbox(engine: Engine, network: str) -> None:
    """As `examples/tls/compose.yaml` has it; the client is another container, which trusts the sandbox's authority."""
    service, volume = document("examples/tls/compose.yaml")["services"][SERVICE], f"{network}-authority"
    (alias,) = service["networks"]["default"]["aliases"]
    sysctls = [word for pair in service["sysctls"].items() for word in ("--sysctl", "=".join(pair))]
    joined = ("--network", network, "--network-alias", alias, "--volume", f"{volume}:/state", *sysctls)
    trusts = ("--volume", f"{volume}:/authority:ro", "--env", "SSL_CERT_FILE=/authority/payment-sandbox/authority.pem")
    client = ("run", "--rm", "--network", network, *trusts, "--entrypoint", "python")
    try:
        with engine.running(options=joined, variables=service["environment"]) as container:
            container.healthy()
            made = json.loads(engine.call(*client, engine.image, "-c", ASKS).stdout)
    finally:
        engine.call("volume", "rm", "--force", volume, fails=True)
    assert made["status"] == "requires_payment_method"
