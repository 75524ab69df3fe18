"""What a served sandbox takes of the machine's memory while clients send more than it wants."""

from __future__ import annotations

import json
import re
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Barrier
from typing import Final

import httpx
import pytest

from mock_server.settings import Settings
from tests.counts import SOAK, times
from tests.jsontext.test_piecewise_cuts import FILLS
from tests.running import COMMAND, RunningSandbox, environment

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel is asked in Linux's way")

MB: Final = 1_000_000
ROOM: Final = Settings().max_snapshot
"""The largest body that there can be is also the room of all together."""
PIECE: Final = b"x" * MB
PATIENCE_S: Final = 60.0
"""For a machine with much else to do; nothing here is waited for."""


@pytest.fixture
def sandbox() -> Iterator[RunningSandbox]:
    with RunningSandbox(anew=True) as running:
        with connect(running) as warm:  # what comes in with the first stray call
            warm.sendall(head("POST", "/nowhere", 70_000) + b"x" * 70_000)
            status_of(warm)
        yield running


def head(method: str, path: str, length: int) -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode()


def connect(sandbox: RunningSandbox) -> socket.socket:
    return socket.create_connection(("127.0.0.1", sandbox.ready["port"]), PATIENCE_S)


def send(sock: socket.socket, size: int) -> None:
    for _ in range(size // MB):
        sock.sendall(PIECE)


def status_of(sock: socket.socket) -> int:
    return int(sock.recv(65_536).split()[1])


def peak(sandbox: RunningSandbox) -> int:
    """Return the most that was resident so far, in bytes."""
    said = Path(f"/proc/{sandbox.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", said)
    assert found
    return int(found[1]) * 1024


@pytest.mark.parametrize("path", ["/nowhere", "/_sandbox/nowhere", "/payments/pay_1/nowhere"])
def test_half_sent_bodies_to_a_route_that_is_not_there_take_nothing(sandbox: RunningSandbox, path: str) -> None:
    before = peak(sandbox)
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(sandbox)) for _ in range(20)]
        for client in clients:
            client.sendall(head("POST", path, 15 * MB))
            send(client, 7 * MB)
        assert [status_of(client) for client in clients] == [413] * 20
        assert peak(sandbox) - before < 20 * MB


def test_bodies_in_chunks_to_a_route_that_is_not_there_take_nothing(sandbox: RunningSandbox) -> None:
    begin = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    before = peak(sandbox)
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(sandbox)) for _ in range(40)]
        for client in clients:
            client.sendall(begin + b"f4240\r\n" + PIECE + b"\r\n")  # 1 000 000 bytes, and the end is still to come
        for client in clients:
            client.sendall(b"0\r\n\r\n")
        assert [status_of(client) for client in clients] == [404] * 40
        assert peak(sandbox) - before < 20 * MB


@pytest.mark.parametrize("fill", FILLS if SOAK else ["a string"])
def test_all_bodies_together_have_their_room(sandbox: RunningSandbox, fill: str) -> None:
    """Whatever they are filled with: each is read as a snapshot, and refused."""
    begin, more, most = FILLS[fill]
    body = begin + more * (63 * MB // len(more))
    body = body[: 63 * MB].ljust(63 * MB, b"x")
    before = peak(sandbox)
    count = times(8, soak=40)
    sent = Barrier(count + 1)

    def upload() -> int:
        with suppress(ConnectionError), connect(sandbox) as client:  # turned away, and left after a while
            client.sendall(head("PUT", "/_sandbox/snapshots/a", 63 * MB))
            with suppress(ConnectionError):
                client.sendall(memoryview(body)[: 60 * MB])
            sent.wait(PATIENCE_S)
            client.sendall(memoryview(body)[60 * MB :])
            return status_of(client)
        return 503

    with ThreadPoolExecutor(count) as pool:
        uploads = [pool.submit(upload) for _ in range(count)]
        sent.wait(PATIENCE_S)
        with connect(sandbox) as small:  # goes on while large ones fill the room
            small.sendall(head("POST", "/payments", 70_000) + b"x" * 70_000)
            assert status_of(small) == 401
        statuses = [one.result() for one in uploads]
    assert set(statuses) == {400, 503}  # four fit in
    # The room, and each body twice while it is handed over, or what one of them is read into. A buffer that grows has
    # an eighth more than it holds, and a connection that is turned away has one of its own.
    assert peak(sandbox) - before < ROOM + max(ROOM, most * 63 * MB) + ROOM // 8 + 60 * MB + count * MB // 2


def test_what_a_client_left_behind_is_gone(sandbox: RunningSandbox) -> None:
    before = peak(sandbox)
    for _ in range(times(5, soak=50)):
        with connect(sandbox) as client:
            client.sendall(head("PUT", "/_sandbox/snapshots/a", 63 * MB))
            send(client, 50 * MB)
    assert peak(sandbox) - before < 134 * MB  # two of them, however many came


def test_a_server_without_memory_says_so_and_ends() -> None:
    with RunningSandbox("--rate-limit", "0", before=little_memory) as sandbox:
        body = {
            "amount": 100,
            "currency": "EUR",
            "profile_id": "pro_1",
            "metadata": {f"key_{n}": "x" * 450 for n in range(50)},
        }
        key = {"api-key": "snd_without_memory"}
        with suppress(httpx.TransportError), httpx.Client(base_url=sandbox.base, headers=key, timeout=60) as client:
            while client.post("/payments", json=body).status_code in (200, 500):
                pass
        assert sandbox.process.wait() == 1
        _, _, err = sandbox.stop()
    last = json.loads(err.splitlines()[-1])
    assert last["level"] == "critical"
    assert "out of memory" in last["message"]


def little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (150 * MB, 150 * MB))


def test_a_start_without_memory_is_exit_code_1() -> None:
    done = subprocess.run(
        [*COMMAND, "serve", "--port", "0"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (64 * MB, 64 * MB)),
    )
    assert done.returncode == 1
    assert "emory" in done.stderr
