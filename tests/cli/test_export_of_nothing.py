"""An export is never an empty file: without calls in the journal, each form that needs them says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.cli.looking import EXPORTS
from mock_server.testing import Sandbox

GIVEN: Final = {"given": {"payments": [{"payment_id": "pay_given", "amount": 100, "status": "succeeded"}]}}


def given(sandbox: Sandbox) -> None:
    sandbox.scenario({"name": "with_records", **GIVEN})


def restored(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    sandbox.restore(sandbox.snapshot())


def cleared(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    sandbox.control.delete("/journal")


@pytest.fixture
def typed(payment_sandbox: Sandbox) -> Callable[..., Result]:
    where = {"PAYMENT_SANDBOX_URL": payment_sandbox.url, "PAYMENT_SANDBOX_API_KEY": payment_sandbox.api_key}
    return lambda *words: CliRunner(env=where).invoke(main, words)


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize("lost", [given, restored, cleared], ids=lambda lost: lost.__name__)
def test_no_form_is_empty(
    payment_sandbox: Sandbox,
    typed: Callable[..., Result],
    lost: Callable[[Sandbox], None],
    form: str,
    tmp_path: Path,
) -> None:
    lost(payment_sandbox)
    for more in ([], ["-o", str(tmp_path / "kept")]):
        done = typed("export", "last", "--as", form, *more)
        if form in ("curl", "har"):
            assert (done.exit_code, done.stdout) == (1, "")
            assert (
                "the journal has no call of last: it was given or restored, or they were cleared or lost" in done.stderr
            )
            assert not (tmp_path / "kept").exists()
        else:
            assert done.exit_code == 0
            assert "null" not in done.stdout


def nothing(sandbox: Sandbox) -> None:
    sandbox.client.pay()


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize("lost", [nothing, restored, cleared], ids=lambda lost: lost.__name__)
def test_a_part_says_what_is_left_out(
    payment_sandbox: Sandbox, typed: Callable[..., Result], lost: Callable[[Sandbox], None], form: str
) -> None:
    lost(payment_sandbox)
    (paid,) = payment_sandbox.control.get("/records/payments")["data"]
    payment_sandbox.client.post("/refunds", {"payment_id": paid["payment_id"]})
    done = typed("export", "last", "--as", form)
    is_part = form in ("curl", "har") and lost is not nothing
    assert done.exit_code == 0
    assert "refunds" in done.stdout
    assert bool(done.stderr) is is_part
    assert not is_part or done.stderr.startswith("left out: calls before 20")
