"""Every form of a recorded call keeps what its headers caused: in a fresh workspace it makes the same records."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.cli.playing import perform
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.scenario.loading.load import load_text
from mock_server.scenario.story.over_http import OverHttp
from mock_server.testing.sandbox import Sandbox
from tests.dashboard.visitor import Visitor, text
from tests.wire import Wire, card_payment

RULE: Final = "version: 1\nrules:\n  - {{on: charge, {when}then: {{decline: expired_card}}}}\n"
UNSAID: Final = {
    "X-Sandbox-Label": "it is the workspace's, and is no part of a payment's life",
    "X-Profile-Id": "it narrows a list, which leaves no record",
    "X-Webhook-Signature-512": "the sandbox sends it",
}
"""Headers of the API's document that change no record."""
PAID: Final = {**card_payment(), "confirm": True, "payment_id": "pay_as_it_was_made"}
Calls = Callable[[Wire], object]


def keys(api: Wire) -> None:
    """A charge that is repeated, and two refunds of one amount."""
    for _ in range(2):
        api.post("/payments", PAID, X_Idempotency_Key="order-1")
    for key in ("refund-1", "refund-2", "refund-2"):
        api.post("/refunds", {"payment_id": PAID["payment_id"], "amount": 100}, X_Idempotency_Key=key)


def outcome(api: Wire) -> None:
    api.post("/payments", PAID, X_Sandbox_Outcome="failed:lost_card")


def scenario(api: Wire) -> None:
    api.post("/payments", PAID, X_Sandbox_Scenario="by_name")


def own(api: Wire) -> None:
    """A header that only a scenario's rule knows."""
    api.post("/payments", PAID, X_Tenant="acme")


def none(api: Wire) -> None:
    api.post("/payments", {**PAID, "payment_method_data": card_payment("insufficient_funds")["payment_method_data"]})


CAUSES: Final[dict[str, Calls]] = {
    "X-Idempotency-Key": keys,
    "X-Sandbox-Outcome": outcome,
    "X-Sandbox-Scenario": scenario,
    "X-Tenant": own,
    "a card": none,
}
RULES: Final = {"by_name": RULE.format(when=""), "by_header": RULE.format(when="when: {header.X-Tenant: acme}, ")}


def test_each_header_of_the_api_is_tried(visitor: Visitor) -> None:
    known = visitor.api.get("/_sandbox/openapi.json")["components"]["parameters"].values()
    assert {row["name"] for row in known if row["in"] == "header"} <= {*CAUSES, *UNSAID}


def by_command(commands: Iterable[str], sandbox: Sandbox) -> None:
    for command in commands:
        words = shlex.split(command)
        sent = [words[at + 1].partition(": ")[::2] for at, word in enumerate(words) if word == "-H"]
        headers = {name: value for name, value in sent if name not in ("api-key", "content-type")}
        method = words[2] if words[1] == "-X" else "GET"
        path = next(word for word in words if word.startswith("http")).removeprefix("http://localhost")
        body = json.loads(words[words.index("-d") + 1]) if "-d" in words else None
        sandbox.client.request(method, path, body, headers=headers)


def curl(visitor: Visitor, sandbox: Sandbox, folder: Path) -> None:
    by_command(exported(visitor, "curl").splitlines(), sandbox)


def command(visitor: Visitor, sandbox: Sandbox, folder: Path) -> None:
    by_command(of_each_call(visitor, "as=curl"), sandbox)


def one_test(visitor: Visitor, sandbox: Sandbox, folder: Path) -> None:
    run(of_each_call(visitor, "as=pytest&later=1")[-1], sandbox)


def as_pytest(visitor: Visitor, sandbox: Sandbox, folder: Path) -> None:
    run(exported(visitor, "pytest"), sandbox)


def as_scenario(visitor: Visitor, sandbox: Sandbox, folder: Path) -> None:
    play(exported(visitor, "scenario"), sandbox)


def har(visitor: Visitor, sandbox: Sandbox, folder: Path) -> None:
    (folder / "calls.har").write_text(exported(visitor, "har"), "utf-8")
    made = CliRunner().invoke(main, ["scenarios", "from-har", str(folder / "calls.har")])
    assert (made.exit_code, made.stderr) == (0, "")
    play(made.stdout, sandbox)


def exported(visitor: Visitor, form: str) -> str:
    return text(visitor.look(f"payments/{PAID['payment_id']}/export?as={form}"))


def of_each_call(visitor: Visitor, form: str) -> list[str]:
    calls = visitor.api.get("/_sandbox/journal")["data"]
    return [text(visitor.look(f"journal/{call['number']}?{form}")) for call in calls]


def run(source: str, sandbox: Sandbox) -> None:
    found: dict[str, Any] = {}
    exec(source, found)
    name = re.findall(r"^def (test_\w+)", source, re.MULTILINE)[0]
    found[name](sandbox)


def play(source: str, sandbox: Sandbox) -> None:
    key = parse(sandbox.api_key)
    assert isinstance(key, ApiKey)
    lines = perform(load_text(source, "story.yaml").scenario, (), OverHttp(sandbox.url, key))
    assert [str(line) for line in lines if not line.holds] == [], source


def records(page: Callable[[str], Any], kind: str, *names: str) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in names) for row in page(f"records/{kind}")["data"]]


def all_records(page: Callable[[str], Any]) -> list[list[tuple[object, ...]]]:
    payments = records(page, "payments", "status", "amount", "error_code", "attempt_count")
    return [payments, records(page, "refunds", "status", "amount")]


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("form", [curl, command, one_test, as_pytest, as_scenario, har], ids=lambda one: one.__name__)
def test_each_form_makes_the_same_records(
    visitor: Visitor, payment_sandbox: Sandbox, tmp_path: Path, form: Callable[..., None], cause: str
) -> None:
    for name, rule in RULES.items():
        kind = {"Content-Type": "application/yaml"}
        visitor.api.call("PUT", f"/_sandbox/scenarios/{name}", raw=rule.encode(), headers=kind)
        payment_sandbox.control.put(f"/scenarios/{name}", rule, kind="application/yaml")
    visitor.api.post("/_sandbox/scenarios/by_header/activate")
    payment_sandbox.control.post("/scenarios/by_header/activate")
    CAUSES[cause](visitor.api)
    before = all_records(lambda path: visitor.api.get(f"/_sandbox/{path}").json)
    form(visitor, payment_sandbox, tmp_path)
    assert all_records(lambda path: payment_sandbox.control.get(f"/{path}")) == before


@pytest.mark.parametrize("form", ["as=curl", "as=pytest&later=1"])
def test_a_call_about_no_payment_keeps_its_key(visitor: Visitor, payment_sandbox: Sandbox, form: str) -> None:
    for key in ("shop-1", "shop-1", "shop-2"):
        visitor.api.post("/customers", {"name": "Ada"}, X_Idempotency_Key=key)
    made = of_each_call(visitor, form)
    if "curl" in form:
        by_command(made, payment_sandbox)
    else:
        for source in made:
            run(source, payment_sandbox)
    assert payment_sandbox.client.get("/customers/list")["total_count"] == 2
