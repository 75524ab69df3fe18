"""`scenarios` and `why`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.cli.scenarios import SCHEMA_FILE
from mock_server.scenario.loading.library import bundled_files
from mock_server.scenario.schema.top import json_schema
from mock_server.testing import Sandbox
from tests.running import RunningSandbox, call
from tests.scenarios_e2e.wire import KEY, pay, put

BROKEN = "version: 1\nrules:\n  - {on: chrge, then: {decline: lost_card}}\n"
ODD = """\
cards: {4000000000000000: {name: odd, outcome: succeeded}}  # warned
rules:
  - {on: charge, probability: 0%, then: {decline: stolen_card}}  # warned
  - {on: charge, times: 1, then: [{decline: lost_card}, {outcome: succeeded}]}  # warned
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="payment-sandbox")


def test_list_names_every_shipped_scenario() -> None:
    rows = json.loads(run("scenarios", "list", "--json").output)
    assert [row["name"] for row in rows] == sorted(bundled_files())
    assert all(row["summary"] and row["origin"] == "bundled" for row in rows)


def test_list_shows_a_directorys_own_first(tmp_path: Path) -> None:
    (tmp_path / "lost_response.yaml").write_text("version: 1\nsummary: Mine.\n")
    rows = json.loads(run("scenarios", "list", "--json", "--scenarios", str(tmp_path)).output)
    assert [row["summary"] for row in rows if row["origin"] == "directory"] == ["Mine."]


def test_check_says_every_mistake_with_its_place_and_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BROKEN)
    (tmp_path / "b.yaml").write_text("version: 2\nnme: b\n")
    for paths in ([str(tmp_path)], [str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")]):
        result = run("scenarios", "check", *paths)
        assert result.exit_code == 2
        assert [line.removeprefix(f"{tmp_path}/").split(": ")[0] for line in result.output.splitlines()] == [
            "a.yaml:3:10",
            "b.yaml:1:10",
            "b.yaml:2:1",
        ]


def test_check_of_sound_files_ends_with_0() -> None:
    directory = next(iter(bundled_files().values())).parent
    result = run("scenarios", "check", str(directory))
    assert (result.exit_code, result.output) == (0, f"{len(bundled_files())} scenarios are valid\n")


@pytest.mark.parametrize("command", ["check", "play"])
def test_a_file_that_is_not_there_is_a_mistake(command: str) -> None:
    result = run("scenarios", command, "nowhere.yaml")
    assert result.exit_code == 2
    assert "nowhere.yaml: cannot be read" in result.output


def test_what_a_file_extends_is_looked_for_beside_it(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("version: 1\nrules:\n  - {on: charge, then: {decline: lost_card}}\n")
    file = tmp_path / "mine.yaml"
    story = "story:\n  - do: payments.create\n    with: {amount: 1, currency: EUR, confirm: true, card: success}\n"
    file.write_text(f"version: 1\nextends: base\n{story}    see: {{status: failed}}\n")
    assert run("scenarios", "check", str(file)).exit_code == 0
    assert run("scenarios", "play", str(file)).exit_code == 0
    (tmp_path / "base.yaml").unlink()
    assert run("scenarios", "check", str(file)).exit_code == 2


def test_play_prints_every_step_with_its_reason(tmp_path: Path) -> None:
    new = run("scenarios", "new", "mine", "--dir", str(tmp_path))
    assert new.exit_code == 0
    done = call("scenarios", "play", str(tmp_path / "mine.yaml"))
    assert done.returncode == 0, done.stdout
    assert "ok   1. payments.create (POST /payments) → 200 failed" in done.stdout
    assert f"because scenario mine (active), rule 1 at {tmp_path / 'mine.yaml'}:6" in done.stdout
    assert "ok   expect payments" in done.stdout
    assert "1 of 1 passed" in done.stdout
    assert "\x1b[" not in done.stdout
    assert "\x1b[32m\x1b[1mok  " in call("scenarios", "play", "--colour", "always", str(tmp_path / "mine.yaml")).stdout


def test_play_ends_with_1_where_a_step_differs(tmp_path: Path) -> None:
    run("scenarios", "new", "mine", "--dir", str(tmp_path))
    file = tmp_path / "mine.yaml"
    file.write_text(file.read_text().replace("status: failed", "status: pending"))
    done = call("scenarios", "play", str(file))
    assert done.returncode == 1
    assert 'status is "failed", not "pending"' in done.stdout
    assert "failed: mine" in done.stderr


def test_new_leaves_a_file_that_is_there_and_takes_no_bad_name(tmp_path: Path) -> None:
    assert run("scenarios", "new", "mine", "--dir", str(tmp_path)).exit_code == 0
    assert run("scenarios", "new", "mine", "--dir", str(tmp_path)).exit_code == 2
    assert run("scenarios", "new", "none", "--dir", str(tmp_path)).exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [SCHEMA_FILE, "mine.yaml"]


def test_new_names_the_schema_that_stands_beside_it(tmp_path: Path) -> None:
    run("scenarios", "new", "mine", "--dir", str(tmp_path))
    first = (tmp_path / "mine.yaml").read_text("utf-8").splitlines()[0]
    schema = tmp_path / first.removeprefix("# yaml-language-server: $schema=")
    assert json.loads(schema.read_text("utf-8")) == json_schema()
    assert run("scenarios", "check", str(tmp_path)).output == "1 scenario is valid\n"


def test_every_key_has_a_sentence_for_editors() -> None:
    silent = [where for where, key in _keys(json_schema(), "") if not key.get("description")]
    assert silent == []


def _keys(schema: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Every key that a mapping of the language can have."""
    if isinstance(schema, dict):
        found = schema.get("properties")
        yield from ((f"{where}/{name}", key) for name, key in (found if isinstance(found, dict) else {}).items())
        for name, below in schema.items():
            yield from _keys(below, f"{where}/{name}")
    elif isinstance(schema, list):
        for below in schema:
            yield from _keys(below, where)


def test_schema_is_that_of_the_language() -> None:
    assert json.loads(run("scenarios", "schema").output) == json_schema()


def test_why_tells_what_decided_and_what_nearly_did() -> None:
    rules = "  - {on: charge, when: {payment.amount: 1}, then: {outcome: succeeded}}\n"
    rules += "  - {on: charge, then: {decline: lost_card}}\n"
    with RunningSandbox() as sandbox:
        put(sandbox.base, "mine", f"version: 1\nrules:\n{rules}")
        payment = pay(sandbox.base).json["payment_id"]
        done = call("why", payment, "--url", sandbox.base, "--key", KEY)
        assert done.returncode == 0, done.stderr
        assert f"{payment} is failed\n  Payment declined: " in done.stdout
        assert "  reason: lost_card\n" in done.stdout
        assert "scenario mine (active), rule 2 at mine:4" in done.stdout
        assert "not mine:3: payment.amount is 6540" in done.stdout
        assert json.loads(call("why", payment, "--url", sandbox.base, "--key", KEY, "--json").stdout)["decisions"]
        assert call("why", "pay_nobody", "--url", sandbox.base, "--key", KEY).returncode == 1
        assert call("why", payment, "--url", sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY).returncode == 0
    assert call("why", payment, "--url", sandbox.base, "--key", KEY).returncode == 1
    assert call("why", payment, "--url", sandbox.base).returncode == 2


SEES = """\
version: 1
story:
  - do: payments.create
    with: {amount: 4200, currency: EUR, confirm: true, card: success}
    see: {%s}
"""


@pytest.mark.parametrize("command", ["check", "play"])
@pytest.mark.parametrize(
    ("see", "message"),
    [
        ("staus: succeeded", "5:11: answer has no field staus (did you mean status?)"),
        ('amount: "4200"', 'amount can never be "4200"'),
        ("status: [succeded, failed]", 'status can never be "succeded" (did you mean succeeded?)'),
        ("status: {eq: succeded}", 'status can never be "succeded" (did you mean succeeded?)'),
        ('http: "200"', 'http is a status from 100 to 599 and can never be "200"'),
        ("amount: $pay.amount", "$pay.amount is not the name of an earlier step"),
    ],
)
def test_check_and_play_refuse_the_same(tmp_path: Path, command: str, see: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(SEES % see)
    for target in (str(file), str(tmp_path)):
        result = run("scenarios", command, target)
        assert (result.exit_code, message in result.output) == (2, True), result.output


@pytest.mark.parametrize(
    "see", ["metadata.order.id: 3", "error.message: x", "customer_id: null", "refunds.0.status: succeeded", "http: 200"]
)
def test_what_an_answer_could_have_is_sound(tmp_path: Path, see: str) -> None:
    (tmp_path / "mine.yaml").write_text(SEES % see)
    assert run("scenarios", "check", str(tmp_path)).exit_code == 0


@pytest.mark.parametrize("command", ["check", "play", "put"])
def test_an_empty_directory_is_nothing_to_do(tmp_path: Path, command: str) -> None:
    result = run("scenarios", command, str(tmp_path))
    assert (result.exit_code, "there is no" in result.output) == (3, True)


def test_a_file_without_a_story_is_not_counted_as_played(tmp_path: Path) -> None:
    (tmp_path / "bare.yaml").write_text("version: 1\nrules: [{on: charge, then: {decline: lost_card}}]\n")
    result = run("scenarios", "play", str(tmp_path))
    assert result.exit_code == 3
    assert "skipped, because they have no story: bare" in result.output
    run("scenarios", "new", "mine", "--dir", str(tmp_path))
    result = run("scenarios", "play", str(tmp_path))
    assert result.exit_code == 0
    assert "1 of 1 passed" in result.output


@pytest.mark.parametrize("command", ["check", "play"])
def test_the_names_that_list_prints_are_taken(tmp_path: Path, command: str) -> None:
    assert run("scenarios", command, "decline_then_success").exit_code == 0
    run("scenarios", "new", "mine", "--dir", str(tmp_path))
    assert run("scenarios", command, "mine", "--scenarios", str(tmp_path)).exit_code == 0
    wrong = run("scenarios", command, "decline_then_sucess")
    assert wrong.exit_code == 2
    assert "decline_then_sucess is neither a scenario nor a file (did you mean decline_then_success?)" in wrong.output


def test_a_story_can_use_the_cards_of_what_it_extends(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text('version: 1\ncards: {"4000000000001232": {name: house, decline: lost_card}}\n')
    file = tmp_path / "mine.yaml"
    file.write_text("extends: base\n" + (SEES % "status: failed").replace("success", "house"))
    assert run("scenarios", "play", str(file)).exit_code == 0
    file.write_text("extends: base\n" + (SEES % "status: failed").replace("success", "huose"))
    for command in ("check", "play"):
        result = run("scenarios", command, str(file))
        assert (result.exit_code, "huose is not a card (did you mean house?)" in result.output) == (2, True)


def test_warnings_are_shown_beside_the_mistakes_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("cards: {4000000000000000: {name: odd, outcome: succeeded}}\n")
    (tmp_path / "b.yaml").write_text("rulez: []\n")
    found = run("scenarios", "check", str(tmp_path))
    assert found.exit_code == 2
    assert "warning: payments refuse the card number 4000000000000000" in found.output
    assert "unknown key rulez" in found.output


@pytest.mark.parametrize("summary", ["", "summary: Of a house."])
def test_put_says_what_check_says(payment_sandbox: Sandbox, tmp_path: Path, summary: str) -> None:
    """Each warning, with its line; and a scenario without a summary ends in no colon."""
    (file := tmp_path / "odd.yaml").write_text(f"{ODD}{summary}\n")
    own = ("--url", payment_sandbox.url, "--key", payment_sandbox.api_key)
    checked, done = run("scenarios", "check", str(file)), run("scenarios", "put", str(file), *own)
    *warnings, _ = checked.output.splitlines()
    first, *told = done.output.splitlines()
    assert first == f"scenario odd uploaded{': Of a house.' * bool(summary)}"
    assert [one.replace("warning: odd:", f"{file}:") for one in told] == [
        one.replace("warning: ", "") for one in warnings
    ]
    assert len(told) == ODD.count("# warned")


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("text", [BROKEN, "version: 1\nextends: nothing_there\n", "}"])
def test_put_says_which_file_is_wrong_and_what_was_done(
    payment_sandbox: Sandbox, tmp_path: Path, text: str, at: int
) -> None:
    names = ["a", "b", "c"]
    for number, name in enumerate(names):
        (tmp_path / f"{name}.yaml").write_text(text if number == at else "version: 1\nsummary: sound\n", "utf-8")
    own = ("--url", payment_sandbox.url, "--key", payment_sandbox.api_key)
    done = run("scenarios", "put", str(tmp_path), *own)
    listed = [row["name"] for row in payment_sandbox.control.get("/scenarios")["scenarios"]]
    assert (done.exit_code, [name for name in names if name in listed]) == (1, names[:at])
    assert f"{tmp_path / names[at]}.yaml: " in done.stderr
    assert f"uploaded before it: {at} of 3" in done.stderr
    assert "uploaded before" not in run("scenarios", "put", f"{tmp_path / names[at]}.yaml", *own).stderr
