"""Our value classes: which can be changed, and which fields mean something when they are left out."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from msgspec import NODEFAULT, Struct


def classes_of(package: str) -> Iterator[type]:
    """Every class with fields that a module of `mock_server.<package>` defines."""
    root = importlib.import_module(f"mock_server.{package}")
    for module in [root, *(importlib.import_module(one.name) for one in _modules(root))]:
        for one in vars(module).values():
            if isinstance(one, type) and one.__module__ == module.__name__ and _has_fields(one):
                yield one


def changeable(package: str) -> set[str]:
    """The classes whose values can be changed."""
    return {one.__name__ for one in classes_of(package) if not _is_frozen(one)}


def told_defaults(package: str) -> dict[str, Any]:
    """The defaults that are more than nothing (None, zero, false, empty), by class and field."""
    return {
        f"{one.__name__}.{name}": default
        for one in classes_of(package)
        for name, default in _defaults(one)
        if default and default not in (MISSING, NODEFAULT)
    }


def _modules(root: Any) -> Iterator[pkgutil.ModuleInfo]:
    return pkgutil.walk_packages(root.__path__, f"{root.__name__}.") if hasattr(root, "__path__") else iter(())


def _has_fields(one: type) -> bool:
    return issubclass(one, Struct) or is_dataclass(one) or hasattr(one, "_field_defaults")


def _is_frozen(one: Any) -> bool:
    if issubclass(one, Struct):
        return bool(one.__struct_config__.frozen)
    parameters = getattr(one, "__dataclass_params__", None)  # a named tuple has none
    return parameters is None or bool(parameters.frozen)


def _defaults(one: Any) -> Iterator[tuple[str, Any]]:
    if issubclass(one, Struct):
        given = one.__struct_defaults__
        for name, default in zip(one.__struct_fields__[len(one.__struct_fields__) - len(given) :], given, strict=True):
            yield name, default.factory() if hasattr(default, "factory") else default
    elif is_dataclass(one):
        for field in fields(one):
            yield field.name, field.default if field.default_factory is MISSING else field.default_factory()
    else:
        yield from one._field_defaults.items()
