"""A server with a public API's name says which dialect the clients of that name expect."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.running import RunningSandbox

NAME: Final = "sandbox.hyperswitch.io"


@pytest.mark.parametrize(
    ("name", "dialect", "hints"),
    [(NAME, "interface", True), (NAME, "hyperswitch", False), ("shop.example", "interface", False)],
)
def test_a_public_name_in_the_default_dialect_is_a_hint(tmp_path: Path, name: str, dialect: str, hints: bool) -> None:
    variables = {"PAYMENT_SANDBOX_TLS": "true", "PAYMENT_SANDBOX_TLS_PORT": "0", "PAYMENT_SANDBOX_TLS_NAME": name}
    variables |= {"PAYMENT_SANDBOX_DIALECT": dialect, "XDG_STATE_HOME": str(tmp_path)}
    with RunningSandbox(variables=variables) as sandbox:
        _, _, log = sandbox.stop()
    assert (f"clients of {name} expect the public API" in log) == hints
