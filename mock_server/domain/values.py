"""Frozen values with slots, as `dataclass(frozen=True, slots=True)` makes them, made twenty times as quickly.

A dataclass looks at each field at length and compiles half a dozen methods for each class, and the package has two
hundred of them: a third of the start. Here all classes share one `__eq__`, `__hash__`, `__repr__` and the two that
keep a value from being changed; a constructor is compiled when the first value of its class is made, and
`dataclasses.fields` are made when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

from mock_server.domain.making import maker, twin_of

BESIDE = "kept beside the record"
"""Marks a record's field of bytes that others keep too, as `Annotated[bytes, BESIDE]`: they are shared, not copied."""

C = TypeVar("C", bound=type)
_OUTSIDE = frozenset({"__dict__", "__weakref__"})
_Row = tuple[str, Any, Any, bool]


@overload
def frozen(cls: C, /) -> C: ...
@overload
def frozen(*, kw_only: bool = ..., slots: bool = ...) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: C | None = None, /, *, kw_only: bool = False, slots: bool = True) -> C | Callable[[C], C]:
    """Makes a class of frozen values from its annotations; fields as `dataclasses.field` spells them.

    A class has no values among its bases, and no class variables. Without slots, fields that hold their defaults
    stay with the class.
    """

    def decorate(kind: C) -> C:
        made = _class(kind, kw_only, slots)
        made.__eq__ = _eq
        made.__hash__ = _hash
        made.__reduce__ = _reduce
        made.__setattr__ = _refuse
        made.__delattr__ = _refuse
        result: C = made
        return result

    return decorate if cls is None else decorate(cls)


@dataclass_transform(field_specifiers=(field,))
def record(kind: C) -> C:
    """Makes a class with slots and a constructor from its annotations; what is made may change, and equals itself."""
    made: C = _class(kind, False, True)
    return made


def _class(kind: type, kw_only: bool, slots: bool) -> Any:
    """The class anew, with slots where they are wanted, and with the methods that all such classes share."""
    names = tuple(kind.__annotations__)
    space = {name: value for name, value in kind.__dict__.items() if name not in _OUTSIDE}
    given = {name: space.pop(name) for name in names if name in space}
    space["__described__"] = [(name, *_described(given.get(name, MISSING), kw_only)) for name in names]
    space["__dataclass_fields__"] = _Fields(given, kw_only)
    space["__match_args__"] = () if kw_only else names
    space["__init__"] = _first
    space.setdefault("__repr__", _repr)
    if slots:
        space["__slots__"] = names
    else:
        defaults = {row[0]: row[1] for row in space["__described__"]}
        space.update((name, value) for name, value in defaults.items() if value is not MISSING)
    space["__qualname__"] = kind.__qualname__
    return type(kind)(kind.__name__, kind.__bases__, space)


def _described(given: Any, kw_only: bool) -> tuple[Any, Any, bool]:
    """A field's default, its default's maker, and whether it is given by name alone."""
    if not isinstance(given, Field):
        return given, MISSING, kw_only
    return given.default, given.default_factory, kw_only if given.kw_only is MISSING else bool(given.kw_only)


class _Fields:
    """`dataclasses.fields` of a class, made by `dataclasses` itself the first time that somebody looks."""

    def __init__(self, given: dict[str, Any], kw_only: bool) -> None:
        self.given = given
        self.kw_only = kw_only

    def __get__(self, value: Any, kind: type) -> dict[str, Field[Any]]:
        space = {"__annotations__": kind.__annotations__, "__module__": kind.__module__, **self.given}
        like: Any = dataclass(init=False, repr=False, eq=False, kw_only=self.kw_only)(type(kind.__name__, (), space))
        found: dict[str, Field[Any]] = like.__dataclass_fields__
        type.__setattr__(kind, "__dataclass_fields__", found)
        return found


def _first(self: Any, *args: Any, **kwargs: Any) -> None:
    """The constructor of a class before its first value: compiles the real one and calls it."""
    kind = type(self)
    kind.__init__ = _constructor(kind)
    kind.__init__(self, *args, **kwargs)


def _constructor(kind: type) -> Callable[..., None]:
    described: list[_Row] = kind.__described__  # type: ignore[attr-defined]  # put there above
    scope: dict[str, Any] = {"MISSING": MISSING}
    plain: list[str] = []
    named: list[str] = []
    for name, default, make, kw_only in described:
        scope[f"make_{name}"], scope[f"default_{name}"] = make, default
        has_default = default is not MISSING or make is not MISSING
        (named if kw_only else plain).append(f"{name}=default_{name}" if has_default else name)
    parameters = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    lines = _assignments(kind, described, scope) or ["pass"]
    exec("\n    ".join([f"def __init__({parameters}):", *lines]), scope)
    made: Callable[..., None] = scope["__init__"]
    return made


def _assignments(kind: type, described: list[_Row], scope: dict[str, Any]) -> list[str]:
    """What a constructor does; a value of many fields takes them as a twin that does not refuse (see `making`)."""
    values = [(row[0], row[0] if row[2] is MISSING else _MADE.format(row[0])) for row in described]
    if not hasattr(kind, "__slots__"):
        return [f"self.__dict__[{name!r}] = {value}" for name, value in values]
    if kind.__setattr__ is not _refuse:
        return [f"self.{name} = {value}" for name, value in values]
    if len(values) < _MANY or kind.__bases__ != (object,):
        scope.update((f"set_{name}", kind.__dict__[name].__set__) for name, _ in values)
        return [f"set_{name}(self, {value})" for name, value in values]
    scope.update(_kind=kind, _twin=twin_of(kind), _become=object.__dict__["__class__"].__set__)
    return ["_become(self, _twin)", *(f"self.{name} = {value}" for name, value in values), "self.__class__ = _kind"]


_MADE = "make_{0}() if {0} is MISSING else {0}"
_MANY = 7
"""From so many fields on it is quicker to become another class and come back (measured)."""


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, row[0]) for row in type(self).__described__])


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
