"""A forked command is as one that was started: its streams, signals, folder, variables, open files and end."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.forking import MEASURES, Forked, fork
from tests.running import RunningSandbox, call, environment

ALIKE: Final = r"^((?:Sig(?:Blk|Ign|Cgt)|NoNewPrivs|Umask):.*)$"
"""What the kernel tells of a process that a test could come to depend on."""


def facts(sandbox: RunningSandbox) -> dict[str, object]:
    place = Path(f"/proc/{sandbox.process.pid}")
    files = {one.name: re.sub(r"\d+", "", str(one.readlink())) for one in (place / "fd").iterdir()}
    return {
        "status": re.findall(ALIKE, place.joinpath("status").read_text(), re.MULTILINE),
        "files": sorted(files.values()),
        "streams": [files[number] for number in "012"],
        "folder": place.joinpath("cwd").readlink(),
        "group": os.getpgid(sandbox.process.pid),
    }


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel is asked in Linux's way")
def test_it_is_as_one_that_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ways = [RunningSandbox(variables={"PAYMENT_SANDBOX_SEED": "one"}, anew=anew) for anew in (False, True)]
    with ways[0] as forked, ways[1] as started:
        assert (isinstance(forked.process, Forked), isinstance(started.process, Forked)) == (True, False)
        assert facts(forked) == facts(started)
        assert forked.ready == {**started.ready, **{name: forked.ready[name] for name in ("url", "port", "pid")}}
        assert forked.ready["pid"] == forked.process.pid
        assert forked.process.poll() is None


@pytest.mark.parametrize("anew", [False, True])
def test_how_it_ends_is_known(anew: bool) -> None:
    with RunningSandbox(anew=anew) as sandbox:
        sandbox.process.kill()
        assert sandbox.process.wait() == sandbox.process.poll() == -signal.SIGKILL
        sandbox.process.terminate()  # nobody is there, and that is no error
    assert sandbox.stop() == (-signal.SIGKILL, "", "")
    with RunningSandbox(anew=anew) as sandbox:
        assert sandbox.stop(signal.SIGINT) == (0, "", "")


def test_each_has_its_own_variables() -> None:
    refused = call("serve", "--port", "0", PAYMENT_SANDBOX_RATE_LIMIT="x")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "PAYMENT_SANDBOX_RATE_LIMIT" in refused.stderr
    assert call("--version").returncode == 0
    assert "rate" not in call("serve", "--port", "x").stderr


def test_a_variable_that_is_read_at_the_start_needs_a_start() -> None:
    with RunningSandbox(variables={"PYTHONUTF8": "1"}) as sandbox:
        assert not isinstance(sandbox.process, Forked)
    assert fork(["--version"], environment(**{MEASURES: "{}"})) is None
