"""Frozen values with slots, as `dataclass(frozen=True, slots=True)` makes them, made eight times as quickly.

A dataclass compiles half a dozen methods for each class, and the package has two hundred of them: a third of the
start. Here all classes share one `__eq__`, `__hash__`, `__repr__` and the two that keep a value from being changed,
and a constructor is compiled when the first value of its class is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

from mock_server.domain.making import maker

C = TypeVar("C", bound=type)


@overload
def frozen(cls: C, /) -> C: ...
@overload
def frozen(*, kw_only: bool = ...) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: C | None = None, /, *, kw_only: bool = False) -> C | Callable[[C], C]:
    """Makes a class of frozen values from its annotations; fields as `dataclasses.field` spells them."""

    def decorate(kind: C) -> C:
        made: Any = dataclass(init=False, eq=False, repr=False, slots=True, kw_only=kw_only)(kind)
        made.__init__ = _first
        made.__eq__ = _eq
        made.__hash__ = _hash
        if "__repr__" not in kind.__dict__:
            made.__repr__ = _repr
        made.__reduce__ = _reduce
        made.__setattr__ = _refuse
        made.__delattr__ = _refuse
        result: C = made
        return result

    return decorate if cls is None else decorate(cls)


def _first(self: Any, *args: Any, **kwargs: Any) -> None:
    """The constructor of a class before its first value: compiles the real one and calls it."""
    kind = type(self)
    kind.__init__ = _constructor(kind)
    kind.__init__(self, *args, **kwargs)


def _constructor(kind: type) -> Callable[..., None]:
    scope: dict[str, Any] = {"MISSING": MISSING}
    plain: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for one in fields(kind):
        scope[f"set_{one.name}"] = kind.__dict__[one.name].__set__
        given = one.name
        if one.default_factory is not MISSING:
            scope[f"make_{one.name}"] = one.default_factory
            scope[f"default_{one.name}"] = MISSING
            lines.append(f"    set_{one.name}(self, make_{one.name}() if {given} is MISSING else {given})")
        else:
            scope[f"default_{one.name}"] = one.default
            lines.append(f"    set_{one.name}(self, {given})")
        has_default = one.default is not MISSING or one.default_factory is not MISSING
        (named if one.kw_only else plain).append(f"{given}=default_{one.name}" if has_default else given)
    parameters = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    post = ["    self.__post_init__()"] if hasattr(kind, "__post_init__") else []
    exec("\n".join([f"def __init__({parameters}):", *(lines or ["    pass"]), *post]), scope)
    made: Callable[..., None] = scope["__init__"]
    return made


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in type(self).__dataclass_fields__])


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> tuple[Any, ...]:
    """How a copy or a pickle of a value is made: from all its fields, past the constructor."""
    return _remade, (type(self), _values(self))


def _remade(kind: type, values: tuple[Any, ...]) -> Any:
    return maker(kind)(values)


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise FrozenInstanceError(f"cannot change field {name!r} of a {type(self).__name__}")
