"""What tests and scripts import: `from payment_sandbox import Sandbox`. The server itself is `mock_server`.

Nothing is imported before it is asked for. The pytest fixture of the same name needs no import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_server import testing

if TYPE_CHECKING:
    from mock_server.testing import *  # noqa: F403 — the names have one home

__all__: list[str] = []
__all__ += testing.__all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(testing, name)
