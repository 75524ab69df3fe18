"""podman or docker as the tests of the container need it: containers that end with their block."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any, Final

import httpx

from tests.architecture.sources import ROOT

PORT: Final = 12190
PAUSE_S: Final = 0.05
LABEL: Final = "payment-sandbox-test"
"""By this, `.ci/run` finds containers whose run was killed: a port that they had still leads to them."""


def found_engine() -> str | None:
    """Return the program that `make image` would take, or None where none answers."""
    found = subprocess.run(["sh", ".ci/container-engine"], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


@dataclass(frozen=True)
class Engine:
    """The program, and the image under test."""

    program: str
    image: str

    def call(self, *words: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
        """Run it to its end; `fails`: the caller looks at the exit code."""
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        assert fails or done.returncode == 0, f"{words} ended with {done.returncode}: {done.stderr}"
        return done

    @property
    def is_podman(self) -> bool:
        return "podman" in os.path.basename(self.program)  # noqa: PTH119 — a name, not a path

    def about_image(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads(self.call("image", "inspect", self.image).stdout)[0]
        return about

    @contextmanager
    def socket(self) -> Iterator[str]:
        """Where programs that speak docker's API find the engine."""
        if not self.is_podman:
            yield os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
            return
        with tempfile.TemporaryDirectory() as folder:
            address = f"unix://{folder}/engine.sock"
            service = subprocess.Popen([self.program, "system", "service", "--time", "0", address])
            try:
                until(Path(folder, "engine.sock").is_socket, "the engine's service")
                yield address
            finally:
                service.terminate()
                service.wait()

    @contextmanager
    def running(
        self, *flags: str, options: Sequence[str] = (), variables: Mapping[str, str] | None = None, port: int = PORT
    ) -> Iterator[Container]:
        """A container that runs, its port published on a free one of this machine; not yet waited for."""
        given = [word for name, value in (variables or {}).items() for word in ("--env", f"{name}={value}")]
        container = Container(self, f"payment-sandbox-{uuid.uuid4().hex}", port)
        published = ("--name", container.name, "--label", LABEL, "--publish", f"127.0.0.1::{port}")
        try:
            self.call("run", "--detach", *published, *given, *options, self.image, *flags)
            yield container
        finally:
            at_once = ("--time", "0") if self.is_podman else ()
            self.call("rm", "--force", "--volumes", *at_once, container.name, fails=True)


@dataclass(frozen=True)
class Container:
    """One container of the image."""

    engine: Engine
    name: str
    port: int

    @cached_property
    def base(self) -> str:
        """Where it is reached from this machine."""
        shown = self.engine.call("port", self.name, f"{self.port}/tcp").stdout.splitlines()[0]
        return f"http://127.0.0.1:{shown.rpartition(':')[2]}"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it."""
        return self.engine.call("exec", self.name, *words, fails=True)

    def about(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads(self.engine.call("inspect", self.name).stdout)[0]
        return about

    def log(self) -> str:
        done = self.engine.call("logs", self.name)
        return done.stdout + done.stderr

    def machine(self) -> str:
        """Return the host under which it reaches this machine."""
        networks = self.about()["NetworkSettings"]
        (gateway,) = {one["Gateway"] for one in networks["Networks"].values()}
        return str(gateway)

    def health(self) -> str:
        """Return what the image's own health check says now: `healthy`, `starting`, `unhealthy`."""
        if self.engine.is_podman:  # its timers are systemd's, which is not everywhere
            self.engine.call("healthcheck", "run", self.name, fails=True)
        return str(self.about()["State"]["Health"]["Status"])

    def healthy(self) -> Container:
        """Wait until it is."""

        def holds() -> bool:
            if self.health() == "healthy":
                return True
            assert self.about()["State"]["Running"], f"it ended: {self.log()}"
            return False

        until(holds, "health")
        return self

    def pay(self, key: str, **fields: object) -> dict[str, Any]:
        """Charge an ordinary card and return the payment."""
        card = {
            "card_number": "4242424242424242",
            "card_exp_month": "12",
            "card_exp_year": "2035",
            "card_cvc": "123",
        }
        body = {
            "amount": 4200,
            "currency": "EUR",
            "profile_id": "pro_shop",
            "confirm": True,
            "payment_method": "card",
            "payment_method_data": {"card": card},
            **fields,
        }
        answer = httpx.post(f"{self.base}/payments", json=body, headers={"api-key": key}, timeout=None)
        assert answer.status_code == 200, f"{answer.text}\n{self.log()}"
        paid: dict[str, Any] = answer.json()
        return paid


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until it holds; the suite's own limit for a test is the only one, and its trace names `what`."""
    while not holds():
        Event().wait(PAUSE_S)
