"""Servers that are measured: started on one core, driven from another, ended by their process id."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import psutil

HERE: Final = Path(__file__).parent
BUILD: Final = HERE.parent / "build" / "bench"
CORES: Final = sorted(os.sched_getaffinity(0))
SERVER_CORE: Final = CORES[0]
CLIENT_CORE: Final = CORES[-1]
LONGEST_START_S: Final = 60.0
BEFORE_OTHERS: Final = "-10"
"""How far server and generator go before other processes, for whoever may say that."""

Headers = Mapping[str, str]
_NONE: Final[Headers] = MappingProxyType({})


class Ask(NamedTuple):
    """One request; `%N%` in path or body is a running number."""

    method: str
    path: str
    headers: Headers = _NONE
    body: bytes | None = None


class Said(NamedTuple):
    """What came back."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Running(NamedTuple):
    """A server that has answered, and how long that took from its start on."""

    process: subprocess.Popen[bytes]
    port: int
    start_s: float

    def ask(self, ask: Ask, timeout_s: float = 120.0) -> Said:
        """One call on a connection of its own."""
        return once(self.port, ask, timeout_s)

    @property
    def cpu_s(self) -> float:
        """The processor time that it and its children used so far."""
        return sum(sum(one.cpu_times()[:2]) for one in self._family())

    @property
    def memory_mb(self) -> float:
        """Resident memory, children included."""
        return sum(one.memory_info().rss for one in self._family()) / 1e6

    def _family(self) -> list[psutil.Process]:
        root = psutil.Process(self.process.pid)
        return [root, *root.children(recursive=True)]

    def stop(self) -> None:
        """Ends it, and what it started."""
        family = self._family() if self.process.poll() is None else []
        for one in family:
            one.terminate()
        for one in psutil.wait_procs(family, timeout=5)[1]:
            one.kill()
        self.process.wait(5)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def once(port: int, ask: Ask, timeout_s: float = 120.0) -> Said:
    """One call on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request(ask.method, ask.path, body=ask.body, headers=dict(ask.headers))
        answer = connection.getresponse()
        return Said(answer.status, answer.read())
    finally:
        connection.close()


def start(command: Sequence[str], port: int, health: Ask, environ: Headers = _NONE, cwd: Path | None = None) -> Running:
    """Starts a server on its core and waits for its first answer; RuntimeError where there is none."""
    env = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | dict(environ)
    began = time.perf_counter()
    process = subprocess.Popen(
        pinned(SERVER_CORE, command), env=env, cwd=cwd,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while time.perf_counter() - began < LONGEST_START_S:
        try:
            if once(port, health, 5.0).status < 500:
                return Running(process, port, time.perf_counter() - began)
        except (OSError, http.client.HTTPException):
            pass
        if process.poll() is not None:
            break
        time.sleep(0.001)
    running = Running(process, port, 0.0)
    running.stop()
    raise RuntimeError(f"{command[0]} did not answer (exit {process.returncode})")


def pinned(core: int, command: Sequence[str]) -> list[str]:
    """A command that stays on one core and goes before the machine's other work, where the machine can say so."""
    stays = ["taskset", "-c", str(core), *command] if shutil.which("taskset") else list(command)
    return ["nice", "-n", BEFORE_OTHERS, *stays] if os.geteuid() == 0 else stays


def load(
    server: Running,
    ask: Ask,
    connections: int,
    *,
    seconds: float = 4.0,
    warm_s: float = 1.0,
    first: int = 1,
    many: int | None = None,
    ids: Sequence[str] = (),
) -> dict[str, float]:
    """Drives a server and gives what the generator measured, with `cpu_us`: the server's own time per request."""
    command = [str(generator()), "-p", str(server.port), "-c", str(connections), "-m", ask.method, "-u", ask.path]
    command += ["-s", str(first), *(part for pair in ask.headers.items() for part in ("-H", f"{pair[0]}: {pair[1]}"))]
    command += ["-n", str(many), "-d", "60"] if many else ["-d", str(seconds), "-W", str(warm_s)]
    command += ["-b", str(_file("body", ask.body))] if ask.body else []
    command += ["-i", str(_file("ids", "\n".join(ids).encode()))] if ids else []
    before = server.cpu_s
    done = subprocess.run(pinned(CLIENT_CORE, command), capture_output=True, text=True, timeout=120, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    found["cpu_us"] = (server.cpu_s - before) / max(1, found["total"]) * 1e6
    return found


def generator() -> Path:
    """The load generator, compiled when its source is newer."""
    source, made = HERE / "load.c", BUILD / "load"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", "-O2", "-o", str(made), str(source)], check=True)
    return made


def _file(name: str, content: bytes) -> Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / name
    path.write_bytes(content)
    return path
