"""`payment-sandbox verdict`: the same from a sandbox and from a file, its forms, its baseline, its exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.request import ProxyHandler, build_opener
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.testing import Sandbox
from mock_server.verdict.rules import RULES
from tests.scenario.misspelling import misspelled
from tests.verdict.clients import broken, correct


@pytest.fixture(scope="module")
def double() -> Iterator[Sandbox]:
    """A workspace whose client charged twice, and left an authorization open."""
    with Sandbox() as sandbox:
        broken.double_charge(sandbox)
        broken.authorization_open(sandbox)
        yield sandbox


def asked(sandbox: Sandbox, *options: str) -> Result:
    return CliRunner().invoke(main, ["verdict", "--url", sandbox.url, "--key", sandbox.api_key, *options])


def test_it_says_what_was_seen_why_it_hurts_and_what_to_do(double: Sandbox) -> None:
    told = asked(double)
    assert told.exit_code == 1
    assert told.output.startswith("1 error, 1 advice; ")
    for words in ("error double-charge", "4200 EUR twice", "why: ", "do: ", "call #2: http://", "not checked"):
        assert words in told.output


def test_what_it_names_for_a_browser_opens_without_a_key(double: Sandbox) -> None:
    """The calls and events beside a finding need a key in a header, which no browser sends."""
    named = next(line.rpartition(" ")[2] for line in asked(double).output.splitlines() if "in a browser: " in line)
    with build_opener(ProxyHandler({})).open(named, timeout=60) as page:
        assert page.status == 200 and page.headers["Content-Type"].startswith("text/html")


def test_a_file_of_the_journal_alone_is_judged_where_it_says_enough(double: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "journal.json"
    file.write_text(json.dumps(double.control.get("/journal", {"limit": 1000})))
    told = CliRunner().invoke(main, ["verdict", "--journal", str(file), "--json"])
    rules = {one["id"]: one for one in json.loads(told.output)["rules"]}
    assert told.exit_code == 1
    assert rules["double-charge"]["state"] == "failed"
    assert rules["webhook-refused"]["reason"] == "it has no data about webhooks"
    assert {one["state"] for one in rules.values()} == {"failed", "passed", "not checked", "no occasion"}


def test_saved_evidence_gives_the_same_verdict(double: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    first = asked(double, "--save", str(file))
    again = CliRunner().invoke(main, ["verdict", "--journal", str(file)])
    assert again.output == first.output.replace(double.url, "")


def test_strict_lets_advice_fail_too() -> None:
    with Sandbox() as sandbox:
        broken.authorization_open(sandbox)
        assert asked(sandbox).exit_code == 0
        assert asked(sandbox, "--strict").exit_code == 1


@pytest.mark.parametrize(("until", "code"), [("2999-01-01", 0), ("2020-01-01", 1)])
def test_a_baseline_accepts_a_rule_until_a_day(double: Sandbox, tmp_path: Path, until: str, code: int) -> None:
    file = tmp_path / "baseline.toml"
    file.write_text(f'[[accepted]]\nid = "double-charge"\nreason = "the till is replaced in May"\nuntil = {until}\n')
    told = asked(double, "--baseline", str(file))
    assert told.exit_code == code
    assert f"accepted until {until}" in told.output


ACCEPTED: Final = '[[accepted]]\nid = "double-charge"\nreason = "r"\nuntil = 2099-01-01\n'


@pytest.mark.parametrize(
    "text",
    [
        '[[accepted]]\nid = "nonsense"',
        '[[accepted]]\nid = "double-charge"',
        "[other]",
        "not toml",
        "accepted = 1",
        *(f"{more}{ACCEPTED}{key} = 1" for key in ("untl", "rason") for more in ("", ACCEPTED)),
    ],
)
def test_a_baseline_that_is_wrong_is_refused(double: Sandbox, tmp_path: Path, text: str) -> None:
    file = tmp_path / "baseline.toml"
    file.write_text(text)
    assert asked(double, "--baseline", str(file)).exit_code == 2


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_a_misspelled_rule_of_a_baseline_is_guessed(tmp_path: Path, rule: str) -> None:
    file = tmp_path / "baseline.toml"
    wrong = misspelled(rule, "dropped")
    file.write_text(f'[[accepted]]\nid = "{wrong}"\nreason = "why"\nuntil = 2099-01-01\n')
    told = CliRunner().invoke(main, ["verdict", "--baseline", str(file)])
    assert told.exit_code == 2
    assert f"there is no rule '{wrong}' (did you mean {rule}?)" in told.stderr


def test_nothing_to_judge_is_neither_right_nor_wrong() -> None:
    with Sandbox() as sandbox:
        told = asked(sandbox)
    assert told.exit_code == 2
    assert "nothing to check" in told.output


def test_nobody_answers() -> None:
    told = CliRunner().invoke(main, ["verdict", "--url", "http://127.0.0.1:9", "--key", "snd_nobody_12345"])
    assert told.exit_code == 2


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"data": [1]}', '{"data": [{"operation": "x"}]}', '{"journal": {}}'])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "journal.json"
    file.write_text(text)
    told = CliRunner().invoke(main, ["verdict", "--journal", str(file)])
    assert told.exit_code == 2, told.output
    assert told.exception is None or isinstance(told.exception, SystemExit)


def test_junit_counts_what_it_holds(double: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "verdict.xml"
    asked(double, "--junit", str(file))
    suite = next(ET.parse(file).iter("testsuite"))
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["double-charge"]
    assert suite.get("failures") == "1"
    assert suite.get("tests") == str(len(suite))
    assert suite.get("skipped") == str(sum(case.find("skipped") is not None for case in suite))


def test_markdown_is_one_table_whatever_the_client_sent(tmp_path: Path) -> None:
    file = tmp_path / "verdict.md"
    with Sandbox() as sandbox:
        sandbox.client.post("/payments", {**sandbox.client.payment(), "<script>|`x`\n": "a"})
        asked(sandbox, "--markdown", str(file))
    rows = [line for line in file.read_text().splitlines() if line.startswith("| error")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 5
    assert "<script>" not in rows[0]


def test_a_correct_client_ends_with_zero() -> None:
    with Sandbox() as sandbox:
        correct.cancels_what_it_does_not_want(sandbox)
        assert asked(sandbox).exit_code == 0
