"""No message about a setting repeats the password in an address, whichever setting it was given to, and how."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.settings import ROWS, SettingsRefused, load
from tests.cli.leaves import typed

PASSWORD: Final = "Sup3rSecret"
ADDRESSES: Final = (
    f"http://user:{PASSWORD}@shop.example/hook", f"https://user:{PASSWORD}@[::", f"user:{PASSWORD}@shop.example",
    f"postgresql://user:{PASSWORD}@[::/db", f"mysql://user:{PASSWORD}@db/x", f"http://{PASSWORD}@shop.example",
)  # fmt: skip


def messages(name: str, address: str, way: str) -> str:
    flags = {name: address} if way == "flag" else {"config": "a.yaml"} if way == "file" else {}
    variables = {f"PAYMENT_SANDBOX_{name.upper()}": address} if way == "variable" else {}
    try:
        load(flags, variables, lambda _: f"{name}: '{address}'\n")
    except SettingsRefused as refused:
        return "\n".join(refused.mistakes)
    return ""


@pytest.mark.parametrize("way", ["flag", "variable", "file"])
@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("config", "keys")])
def test_no_message_repeats_it(name: str, way: str) -> None:
    for address in ADDRESSES:
        assert PASSWORD not in messages(name, address, way)


@pytest.mark.parametrize("command", ["payments", "why last", "ready"])
def test_no_command_repeats_that_of_the_environment(command: str) -> None:
    for address in ADDRESSES:
        done = typed(command.split(), PAYMENT_SANDBOX_URL=address)
        assert done.exit_code in (1, 2)
        assert PASSWORD not in done.output
