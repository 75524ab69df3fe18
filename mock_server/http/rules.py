"""Routes that are matched and never built: no view of ours asks Flask for a URL by its endpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule


class OneWayRule(Rule):
    """A rule without its way back.

    Werkzeug compiles two functions for each rule that turn arguments into a URL; for a hundred routes that takes
    longer than all the rest of the start. Should a later release compile them elsewhere, they are compiled again.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return _not_built


def _not_built(*_: Any, **__: Any) -> tuple[str, str]:
    raise LookupError("routes of this app are matched, never built")
