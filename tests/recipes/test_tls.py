"""The compose file of a hard-wired name: what it sets is what the sandbox needs to answer under it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.cli.authority import CERTIFICATE_FILE, state_folder
from mock_server.settings import load
from tests.architecture.sources import ROOT
from tests.recipes.reading import SERVICE, document
from tests.running import RunningSandbox, environment

COMPOSE: Final[dict[str, Any]] = document("examples/tls/compose.yaml")
SANDBOX: Final = COMPOSE["services"][SERVICE]
CLIENT: Final = COMPOSE["services"]["client"]


def test_it_answers_under_its_alias_on_the_port_of_https() -> None:
    settings = load({}, SANDBOX["environment"], lambda path: "").settings
    assert settings.tls
    assert settings.tls_port == 443
    assert list(settings.tls_name) == SANDBOX["networks"]["default"]["aliases"]
    assert int(SANDBOX["sysctls"]["net.ipv4.ip_unprivileged_port_start"]) <= settings.tls_port
    assert f"https://{settings.tls_name[0]}/" in CLIENT["command"][-1]


def test_the_client_finds_the_authority_where_the_image_keeps_it() -> None:
    kept = re.search(r"XDG_STATE_HOME=(\S+)", (ROOT / "Dockerfile").read_text("utf-8"))
    assert kept
    (volume,), (shared,) = SANDBOX["volumes"], CLIENT["volumes"]
    name, _, folder = volume.partition(":")
    assert (folder, name) == (kept[1], *COMPOSE["volumes"])
    mounted = shared.removeprefix(f"{name}:").removesuffix(":ro")
    inside = state_folder({"XDG_STATE_HOME": kept[1]}).relative_to(kept[1]) / CERTIFICATE_FILE
    assert CLIENT["environment"]["NODE_EXTRA_CA_CERTS"] == f"{mounted}/{inside}"


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_what_the_client_runs_is_answered(tmp_path: Path) -> None:
    """Here the name leads nowhere, and Node's own look-up stands in for the network's."""
    variables = {**SANDBOX["environment"], "PAYMENT_SANDBOX_TLS_PORT": "0", "XDG_STATE_HOME": str(tmp_path)}
    look_up = (
        "const tls = require('node:tls'), connect = tls.connect;"
        "tls.connect = (options, ...rest) => connect({...options, port: PORT, lookup: (name, options, done) =>"
        " options.all ? done(null, [{address: '127.0.0.1', family: 4}]) : done(null, '127.0.0.1', 4)}, ...rest);"
    )
    with RunningSandbox(variables=variables) as sandbox:
        program = look_up.replace("PORT", str(sandbox.ready["tls_port"])) + CLIENT["command"][-1]
        trust = environment(NODE_EXTRA_CA_CERTS=str(tmp_path / "payment-sandbox" / CERTIFICATE_FILE))
        command = [*CLIENT["command"][:-1], program]
        done = subprocess.run(command, capture_output=True, text=True, env=trust, check=False)
    assert done.returncode == 0, done.stderr
    assert '"status":"ok"' in done.stdout
