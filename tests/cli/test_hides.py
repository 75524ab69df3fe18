"""What commands print for people, and the files that they save, show no card data of a workspace's texts."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.api.canaries import Canary, new, shown
from tests.cli.leaves import LOOKING, typed
from tests.cli.over_http import ask
from tests.running import RunningSandbox
from tests.wire import KEY, card_payment

ACTING: Final = (
    "cancel last --reason 'of {text}'", "dispute last --reason 'of {text}'", "resend last", "snapshot list",
    "refund last --amount 1 --reason 'of {text}'", "trigger payment_failed last --set 'description=of {text}'",
    "snapshot save '{text}'", "snapshot restore '{text}'", "get '{text}'", "search '{text}'", "capture '{text}'",
    "scenarios next '{text}'", "scenarios on '{text}'", "why '{text}'", "export '{text}'",
    "tail --no-follow --payment-id '{text}'",
)  # fmt: skip
"""Commands that repeat what is typed, or what an answer says of it."""
ANSWERS: Final = frozenset({"sign"})
"""What it prints is made from a file of the caller's."""


@pytest.fixture(scope="module")
def planted(sandbox: RunningSandbox) -> list[Canary]:
    """What stands in the texts of a workspace: of payments, refunds, disputes, a customer, snapshots, scenarios."""
    made: list[Canary] = []

    def text(place: str, at: int) -> str:
        made.append(new(place)[at])
        return f"of {made[-1].text}"

    for at in range(3):
        body = {**card_payment(), "confirm": True, "description": text("description", at)}
        body |= {"metadata": {"note": text("note", at)}, "merchant_order_reference_id": text("order", at)}
        body |= {"customer": {"id": f"cus_{at}", "name": text("name", at), "email": "a@b.example"}}
        paid = ask(sandbox, "POST", "/payments", body)["payment_id"]
        refund = {"payment_id": paid, "amount": 10, "reason": text("refund", at), "metadata": {"a": text("deep", at)}}
        ask(sandbox, "POST", "/refunds", refund)
        ask(sandbox, "POST", f"/_sandbox/payments/{paid}/dispute", {"reason": text("dispute", at)})
        ask(sandbox, "PUT", f"/_sandbox/snapshots/{text('snapshot', at).partition(' ')[2].replace(': ', '')}")
        scenario = {"name": f"s{at}", "summary": text("summary", at), "rules": []}
        ask(sandbox, "PUT", f"/_sandbox/scenarios/s{at}", scenario)
    return made


@pytest.mark.parametrize("name", [name for name in LOOKING if name not in ANSWERS])
def test_a_command_that_looks_prints_none(sandbox: RunningSandbox, planted: list[Canary], name: str) -> None:
    words = [*name.split(), *LOOKING[name].split()]
    if name in ("payments", "refunds", "disputes", "mandates", "events"):
        words = [name, "--limit", "100"]
    done = typed(words, PAYMENT_SANDBOX_URL=sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY)
    assert done.exit_code in (0, 1), done.output
    assert not shown(planted, done.output)


@pytest.mark.parametrize("line", ACTING)
def test_a_command_repeats_none(sandbox: RunningSandbox, planted: list[Canary], line: str) -> None:
    for canary in new("typed"):
        words = shlex.split(line.format(text=canary.text))
        done = typed(words, PAYMENT_SANDBOX_URL=sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY)
        assert not shown([*planted, canary], done.output), done.output


def test_no_file_of_a_verdict_has_one(sandbox: RunningSandbox, planted: list[Canary], tmp_path: Path) -> None:
    files = [f"--{form}={tmp_path / form}" for form in ("save", "junit", "markdown")]
    typed(["verdict", *files], PAYMENT_SANDBOX_URL=sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY)
    for file in tmp_path.iterdir():
        assert not shown(planted, file.read_text()), file.name
    again = typed(["verdict", "--journal", str(tmp_path / "save")])
    assert again.exit_code in (0, 1), again.output
