"""Every command without commands below it, typed as a person does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import click
from click.testing import CliRunner, Result

from mock_server.cli import COMMANDS, main

KEY: Final = "snd_every_command_1"
NOWHERE: Final = "http://127.0.0.1:1"
PROXIES: Final = {**dict.fromkeys(("http_proxy", "HTTP_PROXY", "all_proxy"), NOWHERE), "no_proxy": "", "NO_PROXY": ""}
"""As companies set them: no command goes through one."""

READY: Final = frozenset({"ready", "wait"})
"""They say `not ready`, and need no key."""

ELSEWHERE: Final = frozenset({"serve", "mcp", "conformance", "probe", "listen"})
"""They end in their own way without a sandbox, which their own tests show."""

WORDS: Final = {
    "clock advance": "1h",
    "export": "last",
    "get": "last",
    "refund": "pay_1",
    "scenarios next": "failed",
    "scenarios on": "lost_response",
    "scenarios off": "lost_response",
    "scenarios put": "lost_response",
    "search": "order-42",
    "sign": "README.md",
    "snapshot delete": "paid",
    "snapshot restore": "paid",
    "snapshot save": "paid",
    "trigger": "payment_failed",
    "trigger …": "payment_failed last",
}
"""Arguments with which a command gets as far as its first call; `last` for all others that need one."""

LOOKING: Final = {
    "clock": "",
    "payments": "--status succeeded --since 1h --limit 5",
    "refunds": "--since 2020-01-01T00:00:00Z",
    "disputes": "",
    "mandates": "",
    "events": "--status delivered",
    "get": "last",
    "export": "last --as har",
    "search": "65.40",
    "why": "last",
    "timeline": "last",
    "tail": "--no-follow",
    "verdict": "",
    "sign": "pyproject.toml",
}
"""Every command with a key that only looks; `test_each_command_looks_or_acts` knows the others."""


class Leaf(NamedTuple):
    """A command without commands below it."""

    name: str
    command: click.Command

    def has(self, option: str) -> bool:
        return any(option in one.opts for one in self.command.params)

    @property
    def line(self) -> list[str]:
        """The command with the arguments that it needs."""
        needs = [one for one in self.command.params if one.param_type_name == "argument" and one.required]
        return [*self.name.split(), *(WORDS.get(self.name, "last").split() if needs or self.name in WORDS else ())]


def leaves() -> Iterator[Leaf]:
    for row in COMMANDS:
        found = main.get_command(None, row.name)  # type: ignore[arg-type]  # the context is not looked at
        assert found is not None
        if not isinstance(found, click.Group) or found.invoke_without_command:
            yield Leaf(row.name, found)
        if isinstance(found, click.Group):
            yield from (Leaf(f"{row.name} {name}", one) for name, one in found.commands.items())


LEAVES: Final = tuple(leaves())
CALLING: Final = tuple(one for one in LEAVES if one.has("--key") and one.name not in ELSEWHERE and one.name != "sign")
"""The commands that call a sandbox with a key."""

ids: Final = "{0.name}".format


def typed(words: list[str], **env: str | None) -> Result:
    base: dict[str, str | None] = {"PAYMENT_SANDBOX_URL": None, "PAYMENT_SANDBOX_API_KEY": KEY}
    return CliRunner().invoke(main, words, env=base | env, prog_name="payment-sandbox")


def complaint(done: Result, code: int) -> str:
    """The one message of a command that fails, with its exit code; nothing is on stdout."""
    assert (done.exit_code, done.stdout) == (code, ""), done.output
    heads = [line for line in done.stderr.splitlines() if line.startswith(("payment-sandbox: ", "Error: "))]
    lines = done.stderr.splitlines()
    assert len(heads) == 1 and len(set(lines)) == len(lines), done.stderr
    head = heads[0].partition(": ")[2]
    return head + "\n" + "\n".join(lines[lines.index(heads[0]) + 1 :])
