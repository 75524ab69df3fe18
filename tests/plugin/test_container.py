"""The Testcontainers class, against an engine that runs no containers; tests/container runs it against a real one."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

from mock_server.settings import ROWS
from tests.architecture.sources import ROOT
from tests.docs.snippets import blocks
from tests.plugin.fake_docker import ID, fake_docker
from tests.running import environment

GUIDE: Final = ROOT / "docs" / "how-to" / "run-in-a-container.md"


def program() -> str:
    """Return the program of the guide."""
    (block,) = (one for one in blocks(GUIDE.read_text("utf-8")) if one.language == "python")
    return block.text


def made_by_make() -> str:
    """Return the image's name in the Makefile."""
    (name,) = re.findall(r"^IMAGE \?= (\S+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    return str(name)


def run(source: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program without the reaper, which would have to be downloaded; where it runs makes no difference."""
    told = {"TESTCONTAINERS_RYUK_DISABLED": "true", "TESTCONTAINERS_CONNECTION_MODE": "docker_host"}
    return subprocess.run(
        [sys.executable, "-c", source],
        cwd=ROOT,
        env=environment(**told, **variables),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_guides_program_passes_and_leaves_nothing() -> None:
    with fake_docker() as engine:
        done = run(program(), DOCKER_HOST=engine.url)
    assert done.returncode == 0, done.stderr
    assert engine.made["Image"] == made_by_make()
    assert sorted(engine.made["Env"]) == ["PAYMENT_SANDBOX_SEED=shop", "PAYMENT_SANDBOX_UNKNOWN_CARDS=decline"]
    assert list(engine.made["ExposedPorts"]) == ["12190/tcp"]
    assert engine.calls[-1] == f"DELETE /containers/{ID}"


def test_image_scenarios_and_token_reach_the_engine() -> None:
    source = """
from mock_server.testing.container import SandboxContainer
made = SandboxContainer(config={"control_token": "let me in"}, scenarios="scenarios")
with made as container, container.sandbox() as workspace:
    assert workspace.client.pay()["status"] == "succeeded"
"""
    with fake_docker() as engine:
        done = run(source, DOCKER_HOST=engine.url, PAYMENT_SANDBOX_IMAGE="ours:1")
    assert done.returncode == 0, done.stderr
    assert engine.made["Image"] == "ours:1"
    assert engine.made["HostConfig"]["Binds"] == [f"{ROOT / 'scenarios'}:/scenarios:ro"]


def test_an_unknown_setting_is_refused_before_anything_starts() -> None:
    source = "from mock_server.testing.container import SandboxContainer\nSandboxContainer(config={'seeds': 'x'})"
    with fake_docker() as engine:
        done = run(source, DOCKER_HOST=engine.url)
    assert "there is no setting seeds (did you mean seed?)" in done.stderr
    assert not engine.made


def test_an_empty_text_is_refused_as_in_a_file() -> None:
    """Of every setting: the container's environment would count it as unset."""
    source = f"""
from mock_server.testing.container import SandboxContainer
for name in {[*ROWS]}:
    try:
        SandboxContainer(config={{name: ""}})
    except Exception as wrong:
        print(name, "nothing is given" in str(wrong))
"""
    done = run(source, PAYMENT_SANDBOX_IMAGE="ours:1")
    assert done.stdout.splitlines() == [f"{name} True" for name in ROWS], done.stderr


def test_without_testcontainers_it_says_what_to_install() -> None:
    source = "import sys; sys.modules['testcontainers'] = None; import mock_server.testing.container"
    done = run(source)
    assert "pip install testcontainers" in done.stderr


def test_nobody_else_pays_for_it() -> None:
    source = "import sys, mock_server.testing as t; t.Sandbox; assert 'testcontainers' not in sys.modules"
    assert run(source).returncode == 0
