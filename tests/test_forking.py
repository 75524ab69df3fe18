"""A forked command is as one that was started: its streams, signals, folder, variables, open files and end."""

from __future__ import annotations

import fcntl
import os
import re
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from tests import forking
from tests.forking import MEASURES, NUMBER, Forked, fork, parent
from tests.running import RunningSandbox, call, environment

ALIKE: Final = r"^((?:Sig(?:Blk|Ign|Cgt)|NoNewPrivs|Umask):.*)$"
"""What the kernel tells of a process that a test could come to depend on."""


def facts(sandbox: RunningSandbox) -> dict[str, object]:
    place = Path(f"/proc/{sandbox.process.pid}")
    files = {}
    for one in (place / "fd").iterdir():
        with suppress(FileNotFoundError):  # its thread that warms up opens files, and closes them
            files[one.name] = re.sub(r"\d+", "", str(one.readlink()))
    return {
        "status": re.findall(ALIKE, place.joinpath("status").read_text(), re.MULTILINE),
        "files": sorted(name for name in files.values() if not name.startswith("/")),
        "streams": [files[number] for number in "012"],
        "folder": place.joinpath("cwd").readlink(),
        "group": os.getpgid(sandbox.process.pid),
    }


@pytest.fixture
def unlike_others() -> Iterator[None]:
    """This process has something to read, and keeps its files to itself."""
    assert call("--version").returncode == 0  # what forks is there, and was started otherwise
    (reading, writing), stdin, mask = os.pipe(), os.dup(0), os.umask(0o077)
    os.dup2(reading, 0)
    yield
    os.dup2(stdin, 0)
    os.umask(mask)
    for fd in reading, writing, stdin:
        os.close(fd)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel is asked in Linux's way")
def test_it_is_as_one_that_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unlike_others: None) -> None:
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


@pytest.fixture
def told() -> Iterator[tuple[Forked, socket.socket]]:
    """A command that has ended, and what has yet to tell how."""
    done = fork(["--version"], environment())
    assert done is not None
    done.communicate()
    here, there = socket.socketpair()
    with here, there:
        yield Forked(done.pid, here, StringIO(), StringIO()), there


def test_one_that_has_just_gone_can_be_signalled(told: tuple[Forked, socket.socket]) -> None:
    told[0].send_signal(0)


def test_who_was_interrupted_while_waiting_can_wait_again() -> None:
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(0)
        process = Forked(1, here, StringIO(), StringIO())
        with pytest.raises(BlockingIOError):
            process.wait()
        there.sendall(NUMBER.pack(3))
        assert (process.wait(), process.poll()) == (3, 3)


def test_one_thread_asks_while_another_waits(told: tuple[Forked, socket.socket]) -> None:
    process, there = told
    waiting = Thread(target=process.wait)
    waiting.start()
    assert process.poll() is None
    there.sendall(NUMBER.pack(3))
    waiting.join()
    assert process.poll() == 3


def test_one_can_be_asked_when_many_files_are_open() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    here, there = socket.socketpair()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    try:
        with here, there, socket.socket(fileno=fcntl.fcntl(here, fcntl.F_DUPFD, 1024)) as high:
            assert Forked(1, high, StringIO(), StringIO()).poll() is None
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_command_that_is_forgotten_ends_no_other() -> None:
    forgotten = fork(["serve", "--port", "0"], environment())
    assert forgotten is not None
    forgotten._ended.close()
    os.kill(forgotten.pid, signal.SIGKILL)
    with forgotten.stdout, forgotten.stderr:
        assert forgotten.stdout.read() == ""
    assert [call("--version").returncode for _ in range(3)] == [0, 0, 0]


def test_what_forks_is_replaced_when_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, told: tuple[Forked, socket.socket]
) -> None:
    monkeypatch.setattr(forking, "_PARENTS", [])
    first = parent()
    first.process.kill()
    with pytest.raises(OSError, match=r"ended|Broken pipe"):
        first.fork(["--version"], {})
    first.process.wait()
    second = parent()
    assert (second is first, second is parent()) == (False, True)
    second.process.kill()
    told[1].close()
    with pytest.raises(ChildProcessError, match="nobody tells"):
        told[0].wait()
