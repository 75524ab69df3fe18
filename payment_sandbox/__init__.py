"""What tests and scripts import: `from payment_sandbox import Sandbox`. The server itself is `mock_server`.

Nothing is imported before it is asked for. The pytest fixture of the same name needs no import: `plugin` has it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    from mock_server import testing
except ImportError as missing:
    found = find_spec("mock_server")
    if found is None or found.origin is None or Path(__file__).parent.parent == Path(found.origin).parent.parent:
        raise
    said = f"payment-sandbox needs its own module mock_server, and Python finds {found.origin} first"
    raise ImportError(f"{said}: rename that, or start `pytest` instead of `python -m pytest`") from missing

if TYPE_CHECKING:
    from mock_server.testing import *  # noqa: F403 — the names have one home

__all__: list[str] = []
__all__ += testing.__all__


def __getattr__(name: str) -> Any:
    if name == "plugin":  # the entry point, so that pytest says too what is said above
        from mock_server.testing import plugin

        return plugin
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(testing, name)
