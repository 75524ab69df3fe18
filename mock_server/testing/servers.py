"""The server of a test run: a thread of this process, or one that is already running."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from os import getpid
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar
from urllib.parse import urlsplit

from mock_server.clock import SystemClock
from mock_server.connections import Http
from mock_server.guesses import hint
from mock_server.settings import ROWS, SettingsRefused, load
from mock_server.settings.load import at_odds, read_file, text_of
from mock_server.testing.control import ControlClient
from mock_server.testing.records import Card

if TYPE_CHECKING:
    from mock_server.domain.api_keys import ApiKey
    from mock_server.verdict.evidence import Evidence
    from mock_server.webhooks.transport import Transport

__tracebackhide__ = True
_T = TypeVar("_T")
GRACE_S: Final = 0.01
"""How long calls can still run when the server stops (ours): the test has ended."""
Connected = tuple[str, Callable[[], None]]
"""The address of a connected app, and a function that disconnects it."""


class AnyServer:
    """A server by its address and control token; it reaches apps of this process over an open port."""

    def __init__(self, url: str, token: str | None = None, *, config: Mapping[str, Any] | None = None) -> None:
        self.http = Http(url, keeps=True)
        self.url = self.http.base
        self.token = token
        self.cards: dict[str, Card] = {}
        ignored = ", ".join(sorted(config or ()))
        self.note = f"the server was already running, so these settings were not applied: {ignored}" if ignored else ""
        """A note for the report of a failing test."""

    def connect(self, url: str, transport: Transport, host: str) -> Connected:
        """Connects an app in this process that receives events for an address."""
        from mock_server.server import Server as Listener
        from mock_server.testing.receivers import as_wsgi

        listens = "127.0.0.1" if host in ("127.0.0.1", "localhost") else "0.0.0.0"
        parts = urlsplit(url)
        listener = Listener(as_wsgi(transport, f"{parts.scheme}://{parts.netloc}"), listens, slow=lambda path: True)
        listener.start()
        return f"http://{host}:{listener.port}{parts.path}", lambda: listener.shutdown(GRACE_S)

    def renew(self, api_key: str, seed: str | None = None, name: str | None = None, label: str | None = None) -> None:
        """Replaces the key's workspace by a new one. Raises ControlRefused."""
        ControlClient(self.http, api_key, self.token, label).post("/reset", {"seed": seed, "name": name})

    def end(self, api_key: str) -> None:
        """Ends the key's workspace. Raises ControlRefused."""
        ControlClient(self.http, api_key, self.token).delete("/workspace")

    def evidence(self, api_key: str) -> Evidence:
        """What the key's workspace recorded of its client. Raises ControlRefused and SandboxUnreachable."""
        from mock_server.verdict.evidence import gathered, read

        control = ControlClient(self.http, api_key, self.token)
        return read(gathered(lambda path: control.get(f"/{path}")))

    def stop(self) -> None:
        """Stops it, if it was started here."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class RunningServer(AnyServer):
    """A server that was started elsewhere: a container, another process."""


class SandboxServer(AnyServer):
    """A server in a thread, on a free port; `config` has settings, the environment has none. Raises SettingsRefused."""

    def __init__(self, config: Mapping[str, Any] | None = None, clock: SystemClock | None = None) -> None:
        from mock_server.front import serve
        from mock_server.sandbox import build

        given = as_texts(config or {})
        of_serve = [name for name in given if name.startswith(("log_", "port_file", "shutdown_grace", "tls"))]
        idle = [f"{name} has no effect on a server in this process" for name in of_serve]
        settings = load({"port": "0", **given}, {}, lambda path: read_file(path).decode("utf-8-sig")).settings
        if mistakes := idle or at_odds(settings):
            raise SettingsRefused(mistakes)
        self._clock = clock or SystemClock()
        self._sandbox = build(settings, clock=self._clock)
        if mistakes := self._sandbox.scenarios.mistakes():
            self._sandbox.stop()
            raise SettingsRefused(mistakes)
        try:
            self._server = serve(self._sandbox, settings.host, settings.port)
        except OSError as wrong:
            self._sandbox.stop()
            where = f"{settings.host} port {settings.port}"
            raise SettingsRefused([f"cannot listen on {where}: {wrong.strerror}"]) from wrong
        self._sandbox.start()
        self._server.start()
        self._process = getpid()  # a forked one has a copy of the sandbox, which no call reaches
        super().__init__(self._server.address, settings.control_token)

    def connect(self, url: str, transport: Transport, host: str) -> Connected:
        if self._process != getpid():
            return super().connect(url, transport, host)
        return url, self._sandbox.post.routing.connect(url, transport)

    def renew(self, api_key: str, seed: str | None = None, name: str | None = None, label: str | None = None) -> None:
        from mock_server.control.requests import RESET

        def begin(key: ApiKey) -> None:
            if not self._sandbox.store.names():  # a test that travelled in time is not felt by the next
                self._clock.follow()
            made = self._sandbox.reset(key, **RESET.load({"seed": seed, "name": name}, 0))
            if label is not None:
                self._sandbox.label(made.space.name, label)

        self._here(api_key, begin, partial(super().renew, seed=seed, name=name, label=label))

    def end(self, api_key: str) -> None:
        self._here(api_key, lambda key: self._sandbox.end_in(self._sandbox.keyring.space_of(key)), super().end)

    def evidence(self, api_key: str) -> Evidence:
        from mock_server.verdict.evidence import of_workspace

        return self._here(api_key, lambda key: of_workspace(self._sandbox.workspace(key)), super().evidence)

    def _here(self, api_key: str, work: Callable[[ApiKey], _T], otherwise: Callable[[str], _T]) -> _T:
        """Does the work in this process, because each test starts and ends with it; otherwise, or if refused, calls."""
        from mock_server.domain.errors import Refusal
        from mock_server.http.authenticate import key_of

        with suppress(Refusal):
            if self._process == getpid():
                return work(key_of(api_key))
        return otherwise(api_key)

    def stop(self) -> None:
        super().stop()
        if self._process == getpid():
            self._server.shutdown(GRACE_S)
            self._sandbox.stop()


def as_texts(config: Mapping[str, Any]) -> dict[str, str]:
    """Settings by name, each as in a file, without those that are None. Raises SettingsRefused."""
    given = {name: value for name, value in config.items() if value is not None}
    mistakes = [f"there is no setting {name}{hint(name, ROWS)}" for name in given if name not in ROWS]
    for row in (ROWS[name] for name in given if name in ROWS):
        value, is_listed = given[row.name], row.kind.listed or row.kind.from_file
        items = value if is_listed and isinstance(value, list | tuple) else [value]
        if not all(isinstance(item, str | int | float | PurePath) for item in items):
            more = ", or a list of strings" if is_listed else ""
            mistakes.append(f"{row.name} must be a string, a number, true or false{more}, not {type(value).__name__}")
    if mistakes:
        raise SettingsRefused(mistakes)
    return {name: text_of(value) for name, value in given.items()}
