"""No option of a command is without effect beside another one: it changes what the command does, or is refused.

Each pair of options of each command is tried against a sandbox whose every call is recorded. A new option needs a value
here with which it changes something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from mock_server.cli import COMMANDS, main
from mock_server.cli.output import FAILED
from mock_server.openapi.examples import recorded
from tests.cli.leaves import LEAVES, Leaf
from tests.counts import SOAK
from tests.overheard import KEY, OTHER, Overheard

ELSEWHERE: Final = frozenset({"serve", "mcp", "listen"})
"""They do not end by themselves; the options of `serve` are settings, which may be for later."""
DRAWN: Final = r'_[A-Za-z0-9]{16,20}\b|time(?:stamp)?="[^"]*"|in \d+\.\d s\b|workspaces reset: \d+'
"""Ids, times, and how many workspaces earlier commands have left are other ones each time."""
LINES: Final = {
    "collection": "collection postman",
    "conformance": "conformance --only http.request_id",
    "coverage combine": "coverage combine coverage.json",
    "dispute": "dispute pay_x",
    "probe": f"probe {{receiver}} --only twice --key {KEY}",
    "scenarios check": "scenarios check own.yaml",
    "scenarios new": "scenarios new shop",
    "scenarios play": "scenarios play own.yaml lost_response",
    "scenarios put": "scenarios put own.yaml",
    "sign": "sign body.json",
    "states": "states payments",
    "tail": "tail --no-follow",
    "trigger": "trigger payment_failed last",
}
VALUES: Final = {
    "--admin-key": "admin", "--amount": "77", "--as": "failed", "--at": "2030-01-01T00:00:00Z",
    "--baseline": "baseline.toml",
    "--card": "visa_lost_card", "--colour": "always", "--currency": "EUR", "--decline": "lost_card",
    "--dialect": "hyperswitch", "--dir": "folder", "--event": "event.json", "--fail-under": "100", "--format": "json",
    "--html": "out.html", "--journal": "journal.json", "--junit": "out.xml", "--key": OTHER, "--limit": "1",
    "--lines": "1", "--listener": "none", "--markdown": "out.md", "--name": "slow", "--on": "refunds.create",
    "--only": "valid", "--operation": "payments.create", "--other-key": "snd_options_third", "--output": "out",
    "--payment-id": "pay_x", "--port-file": "port", "--profile": "pro_x", "--publishable-key": "pk_snd_options_x",
    "--reason": "other", "--save": "out.json", "--scenario": "lost_response", "--scenarios": "folder_of_scenarios",
    "--secret": "hush", "--seed": "another", "--set": "amount=5", "--since": "1s", "--stage": "pre_dispute",
    "--state-url": "{receiver}/state", "--status": "2xx", "--target": "{other}", "--timeout": "9s", "--times": "3",
    "--token": "token", "--type": "payment_authorized", "--url": "{other}",
}  # fmt: skip
OWN_VALUES: Final = {
    ("export", "--as"): "curl", ("conformance", "--only"): "http.unknown_route",
    ("payments", "--status"): "failed", ("refunds", "--status"): "failed", ("disputes", "--status"): "dispute_won",
    ("mandates", "--status"): "revoked", ("events", "--status"): "delivered",
}  # fmt: skip
LATER: Final = frozenset({
    "--timeout", "--other-key", "--publishable-key", "--admin-key", "--profile", "--listener", "conformance --dialect",
})  # fmt: skip
"""They change only some calls, which these commands do not make."""
ALIKE: Final = frozenset({
    "snapshot list --key", "snapshot delete --key",  # as every command that calls a sandbox has it
    "verdict --strict",  # beside the baseline, which accepts all that there is to find
})  # fmt: skip


class Ground(Overheard):
    """A place for commands."""

    def does(self, words: list[str]) -> tuple[object, ...]:
        """What is seen of a command: its calls, output, exit code and files."""
        self.begin()
        env = {"PAYMENT_SANDBOX_URL": self.one.address, "PAYMENT_SANDBOX_API_KEY": KEY}
        done = CliRunner().invoke(main, words, env=env, prog_name="payment-sandbox")
        assert done.exception is None or isinstance(done.exception, SystemExit), (words, done.exception)
        out = [*Path().glob("out*")]
        files = [(path.name, path.read_text()) for path in out]
        for path in out:
            path.unlink()
        return done.exit_code, *(
            re.sub(DRAWN, "…", str(one)) for one in (done.stdout, done.stderr, *files, *self.calls)
        )


STORY: Final = """\
version: 1
story:
- do: payments.list
expect:
- {payments: {}, unique_by: merchant_order_reference_id}
"""


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with (made := Ground()):
        yield made


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ground: Ground) -> None:
    monkeypatch.chdir(tmp_path)
    Path("port").write_text(f"{ground.other.port}\n")
    event = {**recorded()["webhooks"]["payment_succeeded"], "event_id": "evt_of_a_file"}
    Path("event.json").write_text(json.dumps(event))
    ground.begin()
    Path("journal.json").write_bytes(ground.ask("GET", "/_sandbox/journal"))
    Path("body.json").write_text("{}")
    Path("baseline.toml").write_text('[[accepted]]\nid = "authorization-open"\nreason = "x"\nuntil = 2099-01-01\n')
    Path("coverage.json").write_text('{"payment_sandbox_coverage": 1, "used": [], "met": {}}')
    for own in (Path("own.yaml"), Path("folder_of_scenarios/lost_response.yaml")):
        own.parent.mkdir(exist_ok=True)
        own.write_text(STORY)


def typed(leaf: Leaf, option: click.Option, ground: Ground) -> list[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        return [name]
    value = OWN_VALUES.get((leaf.name, name)) or VALUES[name]
    return [name, value.format(other=ground.other.address, receiver=f"{ground.other.address}/receiver")]


def options_of(leaf: Leaf) -> list[click.Option]:
    options = [one for one in leaf.command.params if isinstance(one, click.Option) and not one.secondary_opts]
    return [one for one in options if leaf.name == "pay" or not LATER & {*one.opts, f"{leaf.name} {one.opts[0]}"}]


PAIRS: Final = [
    pytest.param(leaf, one, other, id=f"{leaf.name} {one.opts[0]} {other.opts[0]}")
    for leaf in LEAVES
    if leaf.name not in ELSEWHERE
    for one, other in permutations(options_of(leaf), 2)
    if f"{leaf.name} {other.opts[0]}" not in ALIKE
]


@pytest.mark.parametrize(("leaf", "one", "other"), PAIRS if SOAK else PAIRS[::16])
def test_each_has_an_effect_beside_the_other(
    leaf: Leaf, one: click.Option, other: click.Option, ground: Ground
) -> None:
    base = LINES.get(leaf.name, " ".join(leaf.line)).format(receiver=f"{ground.other.address}/receiver").split()
    first, second = typed(leaf, one, ground), typed(leaf, other, ground)
    usual = ground.does([*base, *first])
    assert ground.does([*base, *first]) == usual, "what is compared says nothing"
    both = ground.does([*base, *first, *second])
    assert both != usual, f"{second} beside {first}"
    if both[0] == FAILED:  # what only both together make wrong is a wrong use, and no failure
        assert FAILED in (usual[0], ground.does([*base, *second])[0]), both


GROUPS: Final = [
    pytest.param(words, name, one, id=f"{name} {one.opts[0]}")
    for words, group in (((row.name,), main.get_command(click.Context(main), row.name)) for row in COMMANDS)
    if isinstance(group, click.Group)
    for name in group.commands
    for one in group.params
    if isinstance(one, click.Option)
]


@pytest.mark.parametrize(("words", "name", "option"), GROUPS)
def test_an_option_before_the_name_of_a_command_is_the_commands(
    words: tuple[str, ...], name: str, option: click.Option, ground: Ground
) -> None:
    """`clock --url … advance 1h` advances that clock, and not the one of a variable."""
    leaf = next(one for one in LEAVES if one.name == " ".join((*words, name)))
    given, rest = typed(leaf, option, ground), leaf.line[len(words) :]
    assert ground.does([*words, *given, *rest]) == ground.does([*words, *rest, *given]) != ground.does([*words, *rest])
    if option.name == "url":
        own = ["--url", ground.one.address]
        assert ground.does([*words, *given, *rest, *own]) == ground.does([*words, *rest, *own])


@pytest.mark.parametrize("count", ["-1", "1001", "99999999999", "1.5"])
def test_a_number_of_lines_that_cannot_be_read_is_refused(count: str, ground: Ground) -> None:
    code, _, said, *calls = ground.does(["tail", "--no-follow", "--lines", count])
    assert code == 2 and "--lines" in str(said) and not calls
