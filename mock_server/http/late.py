"""What answers calls, imported with the first of them: a server listens a good deal sooner without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mock_server.http.pipeline import Endpoint


class Endpoints(dict[str, Endpoint]):
    """Endpoints by their operation's name; `load` brings the rest in when the first one is missed."""

    def __init__(self, load: Callable[[], Mapping[str, Endpoint]], known: Mapping[str, Endpoint] | None = None) -> None:
        super().__init__(known or {})
        self._load = load

    def __missing__(self, name: str) -> Endpoint:
        self.fill()
        return self.get(name) or _unknown(name)

    def fill(self) -> None:
        """Brings everything in; threads that come at the same time all bring in the same."""
        self.update(self._load())


def _unknown(name: str) -> Endpoint:
    raise KeyError(name)
