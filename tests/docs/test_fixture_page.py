"""The reference of the fixture names everything that a test can reach, and says truly what is awaited."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.testing.awaiting import AwaitableMethod, Pending
from tests.architecture.sources import ROOT

PAGE: Final = (ROOT / "docs/reference/fixture.md").read_text("utf-8")
HEAD: Final = " ".join(PAGE.partition("<!--")[0].split())
NOT_AWAITED: Final = frozenset(
    re.findall(r"`([a-z_.]+)`", HEAD.partition("not awaited there: ")[2].partition(" `checkout`")[0])
)
ROOMS: Final = ("", "client", "cards", "clock", "trigger", "webhooks", "journal", "scenarios", "control")
ONLY_HERE: Final = frozenset({"aio", "checkout"})


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with SandboxServer() as server, Sandbox(server=server) as workspace:
        yield workspace


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


def section(room: str) -> str:
    title = f"## `payment_sandbox.{room}`" if room else "## `payment_sandbox`"
    return PAGE.partition(f"{title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("room", ROOMS)
def test_everything_public_is_on_the_page(room: str, sandbox: Sandbox) -> None:
    names = public(getattr(sandbox, room) if room else sandbox)
    listed = set(re.findall(r"^\| `(\w+)", section(room), re.MULTILINE))
    assert set(names) == listed


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "cards"])
def test_what_is_awaited_is_as_the_page_says(room: str, sandbox: Sandbox) -> None:
    aio: Any = getattr(sandbox.aio, room) if room else sandbox.aio
    for name in public(getattr(sandbox, room) if room else sandbox):
        where = f"{room}.{name}".removeprefix(".")
        if where in ONLY_HERE or where in ROOMS:
            continue
        kept = inspect.getattr_static(type(aio), name, None)
        is_awaited = isinstance(kept, AwaitableMethod)
        if not is_awaited:
            found = getattr(aio, name)
            is_awaited = isinstance(found, Pending)
            if isinstance(found, Pending):
                found._is_awaited = True  # it need not be
        assert is_awaited == (where not in NOT_AWAITED), where


def test_what_is_not_awaited_is_there(sandbox: Sandbox) -> None:
    assert "checkout" not in public(sandbox.aio)
    for name in NOT_AWAITED - {"aio"}:
        thing: Any = sandbox.aio
        for part in name.split("."):
            thing = getattr(thing, part)
