"""The sandbox in tests and scripts: its own workspace, and the typed client of the control API.

Each name is imported when it is first used: the pytest plugin is here too, which suites load without using it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mock_server.testing.control import Answer, ControlRefused, SandboxUnreachable
    from mock_server.testing.factory import SandboxFactory
    from mock_server.testing.outcomes import PaymentOutcome
    from mock_server.testing.records import Card, Event, LoggedCall
    from mock_server.testing.sandbox import Sandbox
    from mock_server.testing.servers import RunningServer, SandboxServer

__all__ = [
    "Answer", "Card", "ControlRefused", "Event", "LoggedCall", "PaymentOutcome", "RunningServer", "Sandbox",
    "SandboxFactory", "SandboxServer", "SandboxUnreachable",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "SandboxFactory":  # it alone needs pytest
        from mock_server.testing import factory

        return factory.SandboxFactory
    from mock_server.testing import control, outcomes, records, sandbox, servers

    homes = map(vars, (control, outcomes, records, sandbox, servers))
    return next(home[name] for home in homes if name in home)
