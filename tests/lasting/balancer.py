"""HAProxy in front of replicas, with the configuration that the examples ship."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tests.architecture.sources import ROOT

CONFIGURATION: Final = ROOT / "examples" / "replicas" / "haproxy.cfg"
PROGRAM: Final = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
MISSING: Final = "HAProxy is not installed: nothing is tested behind it"


def addresses(count: int) -> list[str]:
    """Addresses of this machine as host:port that nobody else asks for, so that they are free again after a kill."""
    chance = random.SystemRandom()
    net = f"127.{chance.randrange(1, 255)}.{chance.randrange(256)}"
    return [f"{net}.{number}:12190" for number in range(1, count + 1)]


class Balancer(NamedTuple):
    """Where it takes calls, and its process."""

    port: int
    pid: int


@contextmanager
def balanced(*places: str, configuration: Path = CONFIGURATION) -> Iterator[Balancer]:
    """HAProxy as it spreads calls over three replicas, each as host:port."""
    assert PROGRAM is not None
    with socket.create_server(("127.0.0.1", 0)) as listener:
        names = {f"REPLICA_{number}": place for number, place in enumerate(places, 1)}
        process = subprocess.Popen(
            [PROGRAM, "-db", "-f", str(configuration)],
            env={**os.environ, **names, "BIND": f"fd@{listener.fileno()}"},
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield Balancer(listener.getsockname()[1], process.pid)
        finally:
            process.terminate()
            process.wait()
