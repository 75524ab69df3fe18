"""A store that behaves like one shared by several processes: work may run twice, and every call may take a while.

It stands in for `Store` anywhere. The first run of each transaction is thrown away with all it wrote, so work
that keeps something outside its transaction, or takes chance from elsewhere, shows itself. What goes in or comes out
is copied, as it would be over a wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from mock_server.store import records
from mock_server.store.memory import Store
from mock_server.store.protocol import LogEntry
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction

T = TypeVar("T")
Pause = Callable[[], object]
"""Called before everything that would go over a wire; a test hands in what waits, yields or counts."""


class _ThrownAway(BaseException):
    """Ends a first run."""


class RetryingStore(Store):
    """The contract over an inner store, each transaction run twice."""

    def __init__(self, inner: Store | None = None, pause: Pause = lambda: None) -> None:
        self._inner = Store() if inner is None else inner
        self._pause = pause

    def space(self, name: str) -> Space | None:
        self._pause()
        space = self._inner.space(name)
        return None if space is None else self._wrapped(space)

    def open(self, name: str, first: Callable[[Transaction], object]) -> Space:
        self._pause()
        if self._inner.space(name) is None:
            Store().open(name, _copying(first))
        return self._wrapped(self._inner.open(name, _copying(first)))

    def replace(
        self, name: str, first: Callable[[Transaction], object], dump: Mapping[str, Any] | None = None
    ) -> Space:
        self._pause()
        Store().replace(name, _copying(first), dump)
        return self._wrapped(self._inner.replace(name, _copying(first), dump))

    def close(self, name: str) -> bool:
        self._pause()
        return self._inner.close(name)

    def names(self) -> Sequence[str]:
        self._pause()
        return self._inner.names()

    def here(self) -> list[Space]:
        self._pause()
        return [self._wrapped(one) for one in self._inner.here()]

    def clear(self, stays: str) -> int:
        self._pause()
        return self._inner.clear(stays)

    def _wrapped(self, space: Space) -> Space:
        return cast(Space, RetryingSpace(space, self._pause))


class RetryingSpace:
    """One generation; two wrappers of one space are equal."""

    def __init__(self, inner: Space, pause: Pause) -> None:
        self._inner = inner
        self._pause = pause

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def generation(self) -> int:
        return self._inner.generation

    @property
    def closed(self) -> bool:
        return self._inner.closed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RetryingSpace) and other._inner is self._inner

    def __hash__(self) -> int:
        return id(self._inner)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)

        def over_the_wire(*args: Any, **named: Any) -> Any:
            self._pause()
            return member(*args, **named)

        return over_the_wire

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False, apart: bool = False) -> T:
        work = _copying(work)
        self._pause()
        self._run_and_throw_away(work)
        self._pause()
        return self._inner.transact(work, ends=ends, apart=apart)

    def fact(self, name: str) -> Any:
        self._pause()
        return _copied(self._inner.fact(name))

    def _run_and_throw_away(self, work: Callable[[Transaction], object]) -> None:
        def first_run(tx: Transaction) -> None:
            try:
                work(tx)
            except Exception as wrong:
                raise _ThrownAway from wrong
            raise _ThrownAway

        try:
            self._inner.transact(first_run)
        except _ThrownAway:
            return


def _copying(work: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    return lambda tx: work(cast(Transaction, _CopyingTransaction(tx)))


class _CopyingTransaction:
    """Hands loose values over as copies; records are frozen and need none."""

    def __init__(self, inner: Transaction) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def fact(self, name: str) -> Any:
        return _copied(self._inner.fact(name))

    def set_fact(self, name: str, value: Any) -> None:
        self._inner.set_fact(name, _copied(value))

    def facts(self, prefix: str) -> Mapping[str, Any]:
        return {name: _copied(value) for name, value in self._inner.facts(prefix).items()}

    def entries(self, log: str, after: int = 0, limit: int | None = None) -> Sequence[LogEntry]:
        return self._inner.entries(log, after, limit)


def _copied(value: Any) -> Any:
    return None if value is None else records.unpack(records.pack(value))
