"""How much memory a server takes that keeps large payments and long lists: `python -m benchmarks.kept [SECONDS]`.

With default settings: 300 payments with 8 kB of metadata each, 700 lists of 100, and then lists for so many seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

KEY: Final = "snd_kept_0123456789abcdef"
PAYMENTS, LISTS, LIMIT = 300, 700, 100
METADATA: Final = {f"key_{number:02}": "x" * 480 for number in range(17)}


class Server:
    """A server of its own process."""

    def __init__(self, *flags: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        port_file = Path(self._folder.name) / "port"
        command = [sys.executable, "-m", "mock_server", "serve", "--port", "0", "--port-file", str(port_file), *flags]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not port_file.exists() or not port_file.read_text():
            if self._process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.05)
        self._connection = HTTPConnection("127.0.0.1", int(port_file.read_text()))

    def call(self, method: str, path: str, body: object = None) -> bytes:
        """One call; its answer's body."""
        headers = {"api-key": KEY, "Content-Type": "application/json"}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        return self._connection.getresponse().read()

    def resident_mib(self) -> float:
        """What the kernel says that it takes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def stop(self) -> None:
        """Ends it."""
        self._connection.close()
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()


def filled(server: Server, payments: int, lists: int) -> float:
    """The memory after so many payments and lists, in MiB."""
    for _ in range(payments):
        server.call("POST", "/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_a", "metadata": METADATA})
    for _ in range(lists):
        server.call("GET", f"/payments/list?limit={LIMIT}")
    return server.resident_mib()


def listing(server: Server, seconds: float) -> list[float]:
    """The memory after each sixth of a time of listing, in MiB."""
    found = []
    for _ in range(6):
        until = time.monotonic() + seconds / 6
        while time.monotonic() < until:
            server.call("GET", f"/payments/list?limit={LIMIT}")
        found.append(server.resident_mib())
    return found


def say(text: str) -> None:
    """Writes a line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Prints the figures."""
    server = Server()
    try:
        say(f"at start: {server.resident_mib():.0f} MiB")
        say(f"{PAYMENTS} payments, {LISTS} lists of {LIMIT}: {filled(server, PAYMENTS, LISTS):.0f} MiB")
        if len(sys.argv) > 1:
            say(f"then: {', '.join(f'{one:.0f}' for one in listing(server, float(sys.argv[1])))} MiB")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
