"""The scenario editor saves to a file, over nobody's work; the front page finds a workspace by its label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.axe import issues
from tests.browser.customer import Customer
from tests.browser.desk import HOME, place
from tests.browser.merchant import Merchant
from tests.running import RunningSandbox

TEXT: Final = "summary: It rains.\nrules:\n  - on: charge\n    then: {decline: lost_card}\n"
MINE: Final = TEXT.replace("It rains", "It pours")
OTHER: Final = TEXT.replace("It rains", "It snows")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scenarios")


@pytest.fixture(scope="module")
def own_base(folder: Path) -> Iterator[str]:
    with RunningSandbox("--scenarios", str(folder), "--scenarios-writable") as sandbox:
        yield sandbox.base


@pytest.fixture
def author(own_base: str) -> Iterator[Merchant]:
    with Merchant(own_base) as made:
        yield made


def test_a_scenario_is_saved_to_a_file_and_nobodys_work_is_lost(
    author: Merchant, reader: Customer, own_base: str, folder: Path
) -> None:
    reader.open(f"{own_base}{HOME}/{place(author)}/new-scenario")
    reader.find("name").fill("rainy")
    reader.find("text").fill(TEXT)
    reader.find("save-file").click()
    expect(reader.find("notice")).to_contain_text("Saved to rainy.yaml")
    assert (folder / "rainy.yaml").read_text() == TEXT
    assert reader.page.url.endswith("/scenarios/rainy")
    reader.find("text").fill(MINE)
    (folder / "rainy.yaml").write_text(OTHER)  # a colleague's editor
    author.post("/_sandbox/clock/advance", {"by": "1s"})  # the page is renewed, but not under what is written
    reader.find("save-file").click()
    expect(reader.find("file-now")).to_contain_text("It snows.")
    assert reader.find("text").input_value() == MINE
    assert (folder / "rainy.yaml").read_text() == OTHER
    assert issues(reader) == []
    reader.find("save-file").click()
    expect(reader.find("notice")).to_contain_text("Saved to rainy.yaml")
    assert (folder / "rainy.yaml").read_text() == MINE
    refused = [alarm for alarm in reader.alarms if "status of 400" in alarm]
    assert reader.alarms == refused != []  # as the console says of the save that was refused
    reader.alarms.clear()


def test_a_workspace_is_found_by_its_label(author: Merchant, reader: Customer, own_base: str) -> None:
    label = {"X-Sandbox-Label": "checkout, branch sepa"}
    author.call("GET", "/customers/list", headers=label)
    for _ in range(2):
        with Merchant(own_base):
            pass
    reader.open(f"{own_base}{HOME}")
    reader.find("find").fill("BRANCH")
    reader.find("order").select_option("failed")
    reader.find("find").press("Enter")
    expect(reader.find("workspace")).to_have_count(1)
    assert "order=failed" in reader.page.url
    assert issues(reader) == []
    reader.find("workspace").click()
    expect(reader.find("label")).to_have_text("checkout, branch sepa")
