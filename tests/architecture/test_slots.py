"""A class hides no slot of the classes that it extends: what they assign there could not be assigned any more."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from types import MemberDescriptorType

import pytest

import mock_server.lasting
import mock_server.server
import mock_server.store

PACKAGES = (mock_server.lasting, mock_server.server, mock_server.store)
MODULES = [one.name for package in PACKAGES for one in walk_packages(package.__path__, f"{package.__name__}.")]


@pytest.mark.parametrize("name", MODULES)
def test_no_slot_is_hidden(name: str) -> None:
    own = [one for one in vars(import_module(name)).values() if isinstance(one, type) and one.__module__ == name]
    hidden = [
        f"{one.__name__}.{slot}"
        for one in own
        for base in one.__mro__[1:]
        for slot, member in vars(base).items()
        if isinstance(member, MemberDescriptorType) and slot in vars(one)
    ]
    assert hidden == []
