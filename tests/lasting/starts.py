"""A server that is started again and again over the same data."""

from __future__ import annotations

from typing import Any, Final

from mock_server.app import create_app
from mock_server.sandbox import Sandbox, build
from mock_server.settings import Settings
from tests.clocks import ManualClock
from tests.wire import Wire

KEY: Final = "snd_time_0123456789"


class Starts:
    """A server over one file or database, started again and again under one clock."""

    def __init__(self, data: str, **settings: Any) -> None:
        self.settings = Settings(**{"seed": "tests", "rate_limit": 0, "data": data, **settings})
        self.clock = ManualClock()
        self.sandbox: Sandbox | None = None

    def again(self) -> Sandbox:
        """The next start."""
        self.end()
        self.sandbox = build(self.settings, clock=self.clock)
        return self.sandbox

    def end(self) -> None:
        """Saves what happened so far, and lets nothing else be saved."""
        if self.sandbox is not None and self.sandbox.lasting is not None:
            self.sandbox.lasting.end()

    def wire(self) -> Wire:
        """A client of the next start."""
        sandbox = self.again()
        return Wire(create_app(sandbox), sandbox, KEY)
