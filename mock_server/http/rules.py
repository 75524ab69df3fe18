"""Flask's routes: matched and never built, and made when Flask gets its first call, which may never come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import RLock
from typing import TYPE_CHECKING, Any

from werkzeug.routing import Map, MapAdapter, Rule

if TYPE_CHECKING:
    from mock_server.contract.operation import Operation


class OneWayRule(Rule):
    """A rule without its way back: no view of ours asks Flask for a URL by its endpoint.

    Werkzeug compiles two functions for each rule that turn arguments into a URL; for a hundred routes that takes
    longer than all the rest of the start. Should a later release compile them elsewhere, they are compiled again.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return _not_built


def _not_built(*_: Any, **__: Any) -> tuple[str, str]:
    raise LookupError("routes of this app are matched, never built")


class LateMap(Map):
    """A map of rules that are added when somebody looks at it first; whoever comes meanwhile waits for all of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lock = RLock()
        self._fill: Callable[[], object] | None = None

    def fill_with(self, fill: Callable[[], object]) -> None:
        """Have this called before the first look, and again before the next one where it failed."""
        self._fill = fill

    def bind_to_environ(self, *args: Any, **kwargs: Any) -> MapAdapter:
        self._filled()
        return super().bind_to_environ(*args, **kwargs)

    def iter_rules(self, endpoint: str | None = None) -> Iterator[Rule]:
        self._filled()
        return super().iter_rules(endpoint)

    def _filled(self) -> None:
        if self._fill is not None:
            with self._lock:
                if self._fill is not None:
                    self._fill()
                    self._fill = None


def shadowed(rows: Iterable[Operation]) -> Iterator[tuple[str, set[str]]]:
    """Each path of words where others have an id (`/payments/list`), with the methods that it lacks and they have.

    Werkzeug would take the word for an id there; a path that says more decides alone.
    """
    methods: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        segments = tuple("<>" if part.startswith("<") else part for part in row.path.split("/"))
        methods.setdefault(segments, set()).add(row.method)
    for path, own in methods.items():
        others = set().union(*(methods[wider] for wider in methods if _covers(wider, path))) - own
        if others:
            yield "/".join(f"<part_{number}>" if part == "<>" else part for number, part in enumerate(path)), others


def _covers(wider: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether each call of a path could be taken for one of another."""
    if len(wider) != len(path) or wider == path:
        return False
    return all(one in ("<>", other) for one, other in zip(wider, path, strict=True))
