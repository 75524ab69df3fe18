"""Containers in the ways that people and clusters start them."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.container.engine import PORT, Container, Engine, until

SIGNALS_TAKEN: Final = """
taken = next(line for line in open("/proc/1/status") if line.startswith("SigCgt"))
print("SIGTERM" if int(taken.split()[1], 16) >> 14 & 1 else "not yet")
"""
TAKES_SIGTERM: Final = "SIGTERM"
DECLINED: Final = """
name: declined_once
rules:
  - on: charge
    then: {decline: insufficient_funds}
"""
LINKS: Final = {
    "PAYMENT_SANDBOX_SERVICE_HOST": "10.0.0.1",
    "PAYMENT_SANDBOX_SERVICE_PORT": str(PORT),
    "PAYMENT_SANDBOX_SERVICE_PORT_HTTP": str(PORT),
    "PAYMENT_SANDBOX_PORT": f"tcp://10.0.0.1:{PORT}",
    f"PAYMENT_SANDBOX_PORT_{PORT}_TCP": f"tcp://10.0.0.1:{PORT}",
    f"PAYMENT_SANDBOX_PORT_{PORT}_TCP_PROTO": "tcp",
    f"PAYMENT_SANDBOX_PORT_{PORT}_TCP_PORT": str(PORT),
    f"PAYMENT_SANDBOX_PORT_{PORT}_TCP_ADDR": "10.0.0.1",
    "KUBERNETES_SERVICE_HOST": "10.0.0.2",
    "KUBERNETES_PORT": "tcp://10.0.0.2:443",
}
"""What Kubernetes sets in every container of a namespace with a service called payment-sandbox."""


def test_it_is_healthy_and_takes_payments(plain: Container) -> None:
    assert plain.health() == "healthy"
    ready = plain.run("payment-sandbox", "ready")
    assert (ready.returncode, "answered 200" in ready.stdout) == (0, True)
    assert plain.pay("snd_container")["status"] == "succeeded"


def test_its_first_process_is_the_server(plain: Container) -> None:
    seen = plain.run("python", "-c", "print(open('/proc/1/cmdline').read().split(chr(0))[1:3])")
    assert "payment-sandbox', 'serve'" in seen.stdout


def ends(container: Container) -> int:
    """Tell it to stop as `docker stop` does; return its exit code, which says whether it had to be killed."""
    container.engine.call("stop", "--time", "100", container.name)
    return int(container.about()["State"]["ExitCode"])


def test_it_ends_when_it_is_told_to(engine: Engine) -> None:
    with engine.running() as container:
        container.healthy()
        # a connection that stays open holds nothing up
        with httpx.Client(base_url=container.base, timeout=None) as waiting:
            assert waiting.get("/_sandbox/livez").status_code == 200
            code = ends(container)
    assert code == 0


def test_it_ends_while_it_starts(engine: Engine) -> None:
    slow = {"PAYMENT_SANDBOX_KEYS": "snd_history_1", "PAYMENT_SANDBOX_SCENARIO": "month_of_history"}
    with engine.running(variables=slow) as container:
        # Until then a first process has no handler for it, and the kernel drops the signal.
        until(lambda: TAKES_SIGTERM in container.run("python", "-c", SIGNALS_TAKEN).stdout, "handler for SIGTERM")
        code = ends(container)
    assert code == 0


LOCKED: Final = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges")
WAYS: Final = {
    "read-only, without any right": LOCKED,
    "as any user": (*LOCKED, "--user", "4711:0"),
    "as root": ("--user", "0"),
    "without a shell": ("--volume", "/dev/null:/usr/bin/dash:ro", "--volume", "/dev/null:/usr/bin/bash:ro"),
}


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_ways_to_start_it(engine: Engine, options: tuple[str, ...]) -> None:
    with engine.running(options=options) as container:
        assert container.healthy().pay("snd_container")["status"] == "succeeded"


def test_without_a_shell_there_is_none(engine: Engine) -> None:
    with engine.running(options=WAYS["without a shell"]) as container:
        assert container.run("sh", "-c", "true").returncode != 0


def test_services_of_the_same_name_do_not_disturb_it(engine: Engine) -> None:
    with engine.running(variables=LINKS) as container:
        container.healthy()
        assert "PAYMENT_SANDBOX" not in container.log()
        assert container.pay("snd_container")["status"] == "succeeded"


def test_flags_go_after_the_images_name(engine: Engine) -> None:
    with engine.running("--port", "8080", "--seed", "same", port=8080) as container:
        first = container.healthy().pay("snd_container")["payment_id"]
    with engine.running(variables={"PAYMENT_SANDBOX_SEED": "same"}) as container:
        assert container.healthy().pay("snd_container")["payment_id"] == first


def test_scenarios_are_mounted(engine: Engine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        # pytest's own folders are for this user alone; the container's is another.
        Path(folder).chmod(0o755)
        Path(folder, "declined_once.yaml").write_text(DECLINED)
        mounted = ("--volume", f"{folder}:/scenarios:ro", *LOCKED)
        with engine.running("--scenario", "declined_once", options=mounted) as container:
            assert container.healthy().pay("snd_container")["error_code"] is not None


def test_scenarios_are_in_a_variable(engine: Engine) -> None:
    with engine.running(
        variables={"PAYMENT_SANDBOX_SCENARIOS_INLINE": DECLINED, "PAYMENT_SANDBOX_SCENARIO": "declined_once"}
    ) as container:
        assert container.healthy().pay("snd_container")["status"] == "failed"


def test_what_it_cannot_start_with_is_said(engine: Engine) -> None:
    with engine.running("--scenario", "nobody_wrote_it") as container:
        engine.call("wait", container.name)
        assert container.about()["State"]["ExitCode"] == 2
        assert "there is no scenario nobody_wrote_it" in container.log()


def test_other_commands_are_there(plain: Container) -> None:
    for words in (["cards"], ["scenarios", "list"], ["--version"]):
        done: subprocess.CompletedProcess[str] = plain.run("payment-sandbox", *words)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["cards"], ["--version"], ["scenarios", "list"]])
def test_a_command_after_the_images_name_runs_instead(engine: Engine, words: list[str]) -> None:
    done = engine.call("run", "--rm", engine.image, *words)
    assert done.stdout == engine.call("run", "--rm", "--entrypoint", "payment-sandbox", engine.image, *words).stdout
    assert done.stdout
