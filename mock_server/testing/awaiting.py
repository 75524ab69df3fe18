"""The awaitable twins: every method of a sandbox and its parts, run in a thread so that the event loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Final

PARTS: Final = frozenset({"clock", "journal", "webhooks", "trigger", "client", "scenarios"})
"""What of a sandbox has methods of its own; a part's attributes that ask the server are methods in the twin."""
PLAIN: Final = frozenset({"url", "env", "publishable_key"})
"""Properties that ask nobody."""


class Awaitable:
    """`await sandbox.aio.webhooks.wait_for(…)`: the same names, each giving an awaitable."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return Awaitable(getattr(self._of, name))
        if name not in PLAIN and isinstance(getattr(type(self._of), name, None), property):
            return Pending(lambda: getattr(self._of, name))
        found = getattr(self._of, name)
        if not callable(found):
            return found
        return lambda *args, **more: Pending(lambda: found(*args, **more))


class Pending:
    """A call that begins when it is awaited, or when its `async with` block is entered."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._made: Any = None

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.to_thread(self._work).__await__()

    async def __aenter__(self) -> Any:
        self._made = await self
        return await asyncio.to_thread(self._made.__enter__)

    async def __aexit__(self, *error: Any) -> Any:
        return await asyncio.to_thread(self._made.__exit__, *error)
