"""The collections for Postman and Bruno: every request is sent, in order, with the variables that answers set."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.cards import CARDS
from mock_server.domain.events import EventType
from tests import npm
from tests.counts import times
from tests.running import RunningSandbox

JSON: Final = {"Content-Type": "application/json"}
VARIABLE: Final = re.compile(r"\{\{(\w+)\}\}")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with RunningSandbox() as running:
        yield running


@pytest.fixture(scope="module")
def postman() -> Any:
    done = CliRunner().invoke(main, ["collection", "postman"])
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


@pytest.fixture
def bruno(tmp_path: Path) -> Path:
    done = CliRunner().invoke(main, ["collection", "bruno", "-o", str(tmp_path / "bruno")])
    assert done.exit_code == 0, done.output
    return tmp_path / "bruno"


def requests(items: Any, *folders: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every request with the folders that it stands in."""
    for item in items:
        if "item" in item:
            yield from requests(item["item"], *folders, item["name"])
        else:
            yield folders, item


def filled(text: str, known: dict[str, str]) -> str:
    return VARIABLE.sub(lambda one: known[one[1]], text)


def test_it_has_every_call_every_event_and_every_card(postman: Any) -> None:
    found = [(folders, item["request"]) for folders, item in requests(postman["item"])]
    calls = {(asked["method"], VARIABLE.sub("", asked["url"])) for _, asked in found}
    rows = [row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if not row.multipart]
    assert {(row.method, re.sub("<[^>]*>", "", row.path)) for row in rows} <= calls
    assert {folders[1] for folders, _ in found if folders[0] == "Events"} == {str(event) for event in EventType}
    cards = [folders for folders, _ in found if folders == ("Test cards",)]
    assert len(cards) == sum(card.listed for card in CARDS)


def test_each_step_and_each_card_is_answered_as_it_should_be(postman: Any, sandbox: RunningSandbox) -> None:
    known = {row["key"]: row["value"] for row in postman["variable"]} | {"base_url": sandbox.base}
    with httpx.Client(timeout=None) as client:
        for folders, item in requests(postman["item"]):
            if folders[0] not in {"Events", "Test cards"}:
                continue
            asked = item["request"]
            url, body = filled(asked["url"], known), filled(asked["body"]["raw"], known)
            key = filled(asked["header"][0]["value"], known)
            answer = client.request(asked["method"], url, content=body, headers={**JSON, "api-key": key})
            assert answer.status_code == 200, (folders, item["name"], answer.text)
            known |= {name: str(value) for name, value in answer.json().items() if name.endswith("_id") and value}


def test_postmans_runner_takes_all_of_it(postman: Any, sandbox: RunningSandbox, tmp_path: Path) -> None:
    """Of the cards, whose requests are alike, some."""
    cards = next(folder for folder in postman["item"] if folder["name"] == "Test cards")
    some = {**cards, "item": cards["item"][:: times(12, soak=1)]}
    postman = {**postman, "item": [some if folder is cards else folder for folder in postman["item"]]}
    program = npm.package("newman") / "bin" / "newman.js"
    file, report = tmp_path / "collection.json", tmp_path / "report.json"
    file.write_text(json.dumps(postman), "utf-8")
    said = ["--reporters", "json", "--reporter-json-export", str(report), "--env-var", f"base_url={sandbox.base}"]
    done = subprocess.run(["node", program, "run", file, *said], capture_output=True, text=True, check=False)
    run = json.loads(report.read_text("utf-8"))["run"]
    assert not run["failures"], [(one["source"]["name"], one["error"]["message"]) for one in run["failures"]]
    assert done.returncode == 0, done.stdout + done.stderr
    assert run["stats"]["requests"]["total"] == len(list(requests(postman["item"])))


def test_brunos_files_say_the_same(postman: Any, bruno: Path) -> None:
    files = sorted(bruno.rglob("*.bru"))
    texts = [file.read_text("utf-8") for file in files if file.name[:3].isdecimal()]
    asked = {re.sub(r"\s+", " ", text[text.index("url: ") + 5 :].split("\n", 1)[0]) for text in texts}
    assert asked == {item["request"]["url"] for _, item in requests(postman["item"])}
    assert len(texts) == len(list(requests(postman["item"])))
    assert (
        (bruno / "environments" / "sandbox.bru").read_text("utf-8").startswith("vars {\n  base_url: http://127.0.0.1:")
    )


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = CliRunner().invoke(main, ["collection", "postman", "-o", str(tmp_path / "file" / "x.json")])
    assert (done.exit_code, "cannot write" in done.stderr) == (2, True)


@pytest.mark.parametrize("is_file", [False, True])
def test_a_folder_that_is_there_is_not_written_into(tmp_path: Path, is_file: bool) -> None:
    kept = tmp_path / "mine" if is_file else tmp_path / "mine" / "environments" / "sandbox.bru"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("of mine")
    done = CliRunner().invoke(main, ["collection", "bruno", "-o", str(tmp_path / "mine")])
    assert (done.exit_code, "mine exists already" in done.stderr) == (2, True), done.output
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [kept]
    assert kept.read_text() == "of mine"
