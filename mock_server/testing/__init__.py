"""The sandbox in tests and scripts: a workspace of one's own, and the typed client of the control API.

Nothing is imported before it is asked for: the pytest plugin lives here, and suites that do not use it load it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mock_server.testing.control import ControlRefused
    from mock_server.testing.factory import SandboxFactory
    from mock_server.testing.outcomes import PaymentOutcome
    from mock_server.testing.records import Card, Event, LoggedCall
    from mock_server.testing.sandbox import Sandbox
    from mock_server.testing.servers import RunningServer, SandboxServer
    from mock_server.testing.wire import Answer, SandboxUnreachable

__all__ = [
    "Answer",
    "Card",
    "ControlRefused",
    "Event",
    "LoggedCall",
    "PaymentOutcome",
    "RunningServer",
    "Sandbox",
    "SandboxFactory",
    "SandboxServer",
    "SandboxUnreachable",
]

_HOMES = {
    "Answer": "wire",
    "Card": "records",
    "ControlRefused": "control",
    "Event": "records",
    "LoggedCall": "records",
    "PaymentOutcome": "outcomes",
    "RunningServer": "servers",
    "Sandbox": "sandbox",
    "SandboxFactory": "factory",
    "SandboxServer": "servers",
    "SandboxUnreachable": "wire",
}
"""The module where each public name is made."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
