"""`last` in a workspace without the object that it would mean: every command says so, and none to check an ID."""

from __future__ import annotations

import uuid
from typing import Final

import click
import pytest

from tests.cli.leaves import LEAVES, Leaf, complaint, ids, typed
from tests.running import RunningSandbox

ONE: Final = frozenset({"payment", "payment_id", "id", "event_id", "object_id"})


def takes_one(leaf: Leaf) -> bool:
    """Whether an object is the command's first argument."""
    arguments = [one.name for one in leaf.command.params if isinstance(one, click.Argument)]
    return bool(arguments) and arguments[0] in ONE


OF_LAST: Final = tuple(filter(takes_one, LEAVES))


@pytest.mark.parametrize("leaf", OF_LAST, ids=ids)
def test_last_of_nothing_is_said(sandbox: RunningSandbox, leaf: Leaf) -> None:
    key = f"snd_{uuid.uuid4().hex}"
    said = complaint(typed([*leaf.name.split(), "last", "--key", key, "--url", sandbox.base]), 1)
    assert " yet" in said
    assert "check the" not in said


def test_each_command_with_last_is_asked() -> None:
    assert {"why", "timeline", "export", "capture", "get", "resend"} <= {leaf.name for leaf in OF_LAST}
