"""Dialects: the words on the wire, which the engine does not use (ours)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from msgspec import structs

from mock_server.contract.dialect import AS_WRITTEN, Dialect
from mock_server.dialects.interface import INTERFACE


def _hyperswitch() -> Dialect:
    from mock_server.dialects.hyperswitch import HYPERSWITCH

    return HYPERSWITCH


DIALECTS: Final[dict[str, Callable[[], Dialect]]] = {INTERFACE.name: lambda: INTERFACE, "hyperswitch": _hyperswitch}
"""A function for each dialect: the tables of an unused one are not loaded."""
_PROFILE: Final = frozenset(("profile_id",))


def get(name: str) -> Dialect:
    """The dialect of this name. Raises KeyError with the names of all dialects."""
    if name not in DIALECTS:
        raise KeyError(f"there is no dialect {name!r}; the dialects are: {', '.join(sorted(DIALECTS))}")
    return DIALECTS[name]()


@cache
def with_default_profile(dialect: Dialect, setting: str) -> Dialect:
    """The dialect, changed by the setting `default_profile`: whether payments must have a profile id."""
    if setting == "auto":
        return dialect
    bodies = dict(dialect.bodies)
    for operation in ("payments.create", "payments.replace"):
        rules = bodies.get(operation, AS_WRITTEN)
        required = rules.required - _PROFILE if setting == "on" else rules.required | _PROFILE
        bodies[operation] = structs.replace(rules, required=required)
    return structs.replace(dialect, bodies=bodies)
