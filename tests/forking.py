"""A process that has imported the program once, and from which commands are forked that others would start anew.

Four fifths of the processor time that a served sandbox takes in a test are imports. What a fork has of the process it
came from, and a start does not:

- The modules of the server, so that nothing is missed that a command forgets to import.
- The hash seed: sets have the same order in all forks.
- `sys.path[0]`, which is the repository and not the folder, `sys.argv[0]`, and the name among processes.
- Limits and niceness, which are those that the tests' process had when it first forked.

All else is as a start has it: its folder, variables, mask of permissions, streams, signals and end. A test that is
about one of these things starts its command `anew`.

Run as a program, with a socket as its only argument, this file is that process.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final

LATE: Final = ("PAYMENT_SANDBOX_", "XDG_STATE_HOME", "PYTEST_ADDOPTS")
"""How variables begin that the program, or pytest, reads when it needs them. Others may be read at the start alone."""
TEST: Final = "PYTEST_CURRENT_TEST"
"""What pytest sets anew for each test, and no program of ours reads."""
MEASURES: Final = "COVERAGE_PROCESS_CONFIG"
"""With it, a process measures itself from its start."""
VARIABLES: Final = {name: value for name, value in os.environ.items() if name != MEASURES}
"""What the process that forks has: as it was while tests were collected, before one of them sets something."""
MOST: Final = 1 << 16
"""Bytes that are read at once."""
NUMBER: Final = struct.Struct("!i")
"""How a process's id is told, and its exit code."""


class Forked:
    """A forked command, with those of a `subprocess.Popen`'s methods that tests call."""

    def __init__(self, pid: int, ended: socket.socket, stdout: IO[str], stderr: IO[str]) -> None:
        """`ended` gives the exit code once there is one."""
        self.pid = pid
        self.stdout = stdout
        self.stderr = stderr
        self.returncode: int | None = None
        self._ended = ended
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs or another thread waits for its end."""
        if self._lock.acquire(blocking=False):
            try:
                if self.returncode is None and readable(self._ended, patience_ms=0):
                    self._hear()
            finally:
                self._lock.release()
        return self.returncode

    def wait(self) -> int:
        """Wait for its end; return the exit code, which is the signal's number below zero where one ended it."""
        with self._lock:
            return self._hear() if self.returncode is None else self.returncode

    def _hear(self) -> int:
        self.returncode = number_of(self._ended)
        self._ended.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it is looked after at once, and may be gone since
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self) -> tuple[str, str]:
        """Read both streams to their ends and wait for its own; ValueError if they were read so before."""
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.append(self.stderr.read()))
        if self.stderr.closed:
            raise ValueError("its streams were read and closed")
        reader.start()
        out = self.stdout.read()
        reader.join()
        self.stdout.close()
        self.stderr.close()
        self.wait()
        return out, said[0]


class Parent:
    """This process's side of the one that forks: it is started with the first command, and ends with this process."""

    def __init__(self) -> None:
        self._door, other = socket.socketpair()
        self._lock = threading.Lock()
        with other:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                env=VARIABLES,
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self._end)

    def _end(self) -> None:
        self._door.close()
        self.process.wait()

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def fork(self, arguments: Sequence[str], changed: Mapping[str, str | None]) -> Forked:
        """Run the command with these arguments, in this folder and with these variables changed.

        What is sent stays open here until it has come: macOS may lose what is closed on its way.
        """
        (out, out_there), (err, err_there), (ended, ended_there) = os.pipe(), os.pipe(), socket.socketpair()
        with ended_there, self._lock:
            os.umask(mask := os.umask(0o077))  # it can be read only by setting it
            asked = {"arguments": arguments, "folder": str(Path.cwd()), "changed": changed, "mask": mask}
            text = json.dumps(asked).encode() + b"\n"
            try:
                socket.send_fds(self._door, [text], [out_there, err_there, ended_there.fileno()])
                if ended not in readable(ended, self._door):
                    self.process.wait()
                    raise ChildProcessError("the process that forks commands has ended; stderr says why")
                pid = number_of(ended)
            except BaseException:
                os.close(out)
                os.close(err)
                ended.close()
                raise
            finally:
                os.close(out_there)
                os.close(err_there)
        return Forked(pid, ended, os.fdopen(out), os.fdopen(err))


def readable(*sockets: socket.socket, patience_ms: int | None = None) -> list[socket.socket]:
    """Wait until one of them can be read or is at its end; return those that can, none once patience is over."""
    asked = select.poll()  # `select.select` refuses descriptors from 1024 up
    for one in sockets:
        asked.register(one, select.POLLIN)
    ready = {fd for fd, _ in asked.poll(patience_ms)}
    return [one for one in sockets if one.fileno() in ready]


def number_of(told: socket.socket) -> int:
    text = told.recv(NUMBER.size)
    if not text:
        raise ChildProcessError("the process that forks commands has ended, and nobody tells how this command ends")
    number: int = NUMBER.unpack(text)[0]
    return number


_PARENTS: Final[list[Parent]] = []
_LOCK: Final = threading.Lock()


def parent() -> Parent:
    """Return the process that forks: a new one where the last has ended."""
    with _LOCK:
        if not _PARENTS or _PARENTS[-1].has_ended():
            _PARENTS.append(Parent())
        return _PARENTS[-1]


def fork(arguments: Sequence[str], variables: Mapping[str, str]) -> Forked | None:
    """Run a command with these variables; None where a fork would not be as a start is."""
    changed = {name: variables.get(name) for name, _ in VARIABLES.items() ^ variables.items()}
    changed.pop(TEST, None)
    return parent().fork(arguments, changed) if all(name.startswith(LATE) for name in changed) else None


class Children:
    """The other side: forks what it is asked for, and tells how each ended."""

    def __init__(self, door: socket.socket) -> None:
        self._door = door
        self._ends: dict[int, socket.socket] = {}

    def asked(self) -> Any:
        """Return in a new process what that is to do; None in this one, once nobody asks any more."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the tests end first
        signal.signal(signal.SIGCHLD, self._tell)
        while True:
            text, fds = b"", list[int]()
            while not text.endswith(b"\n"):
                part, more, _, _ = socket.recv_fds(self._door, MOST, 3)
                if not part:
                    return None
                text += part
                fds += more
            out, err, end = fds
            ended = socket.socket(fileno=end)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # it may end before its end is noted
            pid = os.fork()
            if pid == 0:
                ended.close()
                self._become_one(out, err)
                return json.loads(text)
            os.close(out)
            os.close(err)
            self._ends[pid] = ended
            self._say(ended, pid)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])

    def _tell(self, number: int, frame: FrameType | None) -> None:
        while self._ends:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._ends.pop(pid) as ended:
                self._say(ended, os.waitstatus_to_exitcode(status))

    @staticmethod
    def _say(ended: socket.socket, number: int) -> None:
        with suppress(OSError):  # who asked has forgotten it
            ended.sendall(NUMBER.pack(number))

    def _become_one(self, out: int, err: int) -> None:
        """Be as a process is at its start: nothing open but its streams, and signals as they were."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        self._door.close()
        for ended in self._ends.values():
            ended.close()
        for fd, stream in (out, 1), (err, 2):
            os.dup2(fd, stream)
            os.close(fd)


def run() -> None:
    """Import the program, and run in each fork what it is for, up to the ordinary end of an interpreter."""
    sys.path[0] = str(Path(__file__).parents[1])
    from mock_server.cli import main, serving  # noqa: F401  # the whole server

    gc.freeze()  # what a fork's collector does not touch, it need not copy
    asked = Children(socket.socket(fileno=int(sys.argv[1]))).asked()
    if asked is None:
        return
    os.chdir(asked["folder"])
    os.umask(asked["mask"])
    for name, value in asked["changed"].items():
        os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
    sys.argv[1:] = asked["arguments"]
    main(prog_name="payment-sandbox")


if __name__ == "__main__":
    run()
