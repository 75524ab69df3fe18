"""A scenario is saved to a file of the server's directory: there alone, whole or not at all, over nobody's work."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Final

import pytest

from tests.dashboard.visitor import Visitor, count, said, text
from tests.wire import Reply, Wire, wire

BODY: Final = "rules:\n  - on: charge\n    then: {decline: lost_card}\n"
OTHER: Final = "rules:\n  - on: charge\n    then: {decline: expired_card}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "scenarios"
    made.mkdir()
    return made


@pytest.fixture
def server(folder: Path) -> Wire:
    made = wire(scenarios=str(folder), scenarios_writable=True)
    assert not made.sandbox.library.stale  # read, as it is when a server starts
    return made


@pytest.fixture
def visitor(server: Wire) -> Visitor:
    return Visitor(server)


def save(visitor: Visitor, name: str, body: str = BODY, seen: str = "") -> Reply:
    fields = {"do": "control.put_scenario", "try": "file", "new": "true", "arg.name": name, "text": body, "seen": seen}
    return visitor.send("new-scenario", fields)


def seen_on(page: str) -> str:
    found = re.search(r'name="seen" value="(\w*)"', page)
    assert found
    return found[1]


def within(folder: Path) -> list[str]:
    """Everything there is in a folder and below it, links not followed."""
    return sorted(
        str(Path(at, name).relative_to(folder)) for at, inner, files in os.walk(folder) for name in inner + files
    )


# what it is for


def test_a_new_scenario_becomes_a_file_that_every_workspace_has(visitor: Visitor, folder: Path) -> None:
    reply = save(visitor, "rainy", BODY.replace("\n", "\r\n"))
    assert reply.status == 200
    assert "rainy.yaml" in said(text(reply), "notice")
    assert said(text(reply), "scenario-state") == "off"
    assert (folder / "rainy.yaml").read_text() == BODY
    assert within(folder) == ["rainy.yaml"]
    other = visitor.api.as_key("snd_somebody_else")
    assert other.get("/_sandbox/scenarios/rainy")["text"] == BODY
    assert other.post("/_sandbox/scenarios/rainy/activate").status == 200
    assert other.pay()["status"] == "failed"


def test_the_page_of_a_file_saves_over_it_and_goes_on_from_there(visitor: Visitor, folder: Path) -> None:
    (folder / "rainy.yaml").write_text(BODY)
    visitor.api.sandbox.scenarios.run_once()
    seen = seen_on(visitor.read("scenarios/rainy"))
    reply = save(visitor, "rainy", OTHER, seen)
    assert reply.status == 200
    again = save(visitor, "rainy", BODY, seen_on(text(reply)))
    assert again.status == 200
    assert (folder / "rainy.yaml").read_text() == BODY


def test_the_workspaces_own_goes_when_its_file_is_there(visitor: Visitor, folder: Path) -> None:
    yaml = {"Content-Type": "application/yaml"}
    visitor.api.call("PUT", "/_sandbox/scenarios/rainy", raw=BODY.encode(), headers=yaml)
    seen = seen_on(visitor.read("scenarios/rainy"))
    assert save(visitor, "rainy", OTHER, seen).status == 200
    rows = {row["name"]: row["origin"] for row in visitor.api.get("/_sandbox/scenarios")["scenarios"]}
    assert rows["rainy"] == "directory"


def test_a_text_with_mistakes_is_written_nowhere(visitor: Visitor, folder: Path) -> None:
    for body in ("rules: [{on: nonsense, then: {decline: lost_card}}]\n", "name: other\n" + BODY, "extends: nobody\n"):
        reply = save(visitor, "rainy", body)
        assert (reply.status, count(text(reply), "mistake")) == (400, 1)
        assert " ".join(body.split()) in said(text(reply), "text")
    assert within(folder) == []


def test_a_file_extends_no_scenario_that_one_workspace_alone_has(visitor: Visitor, folder: Path) -> None:
    yaml = {"Content-Type": "application/yaml"}
    visitor.api.call("PUT", "/_sandbox/scenarios/mine", raw=BODY.encode(), headers=yaml)
    assert "names an unknown scenario" in text(save(visitor, "rainy", "extends: mine\n"))
    assert within(folder) == []


# who may not


def test_without_the_setting_nothing_is_offered_and_nothing_written(folder: Path) -> None:
    for settings in ({"scenarios": str(folder)}, {"scenarios_writable": True}):
        visitor = Visitor(wire(**settings))
        assert count(visitor.read("new-scenario"), "save-file") == 0
        reply = save(visitor, "rainy")
        assert reply.status == 400
        assert "--scenarios-writable" in said(text(reply), "notice")
    assert within(folder) == []


def test_a_page_of_another_site_saves_nothing(visitor: Visitor, folder: Path) -> None:
    fields = {"do": "control.put_scenario", "try": "file", "arg.name": "rainy", "text": BODY}
    assert visitor.send("new-scenario", fields, {"Origin": "https://evil.example"}).status == 403
    assert visitor.send("new-scenario", fields, {}).status == 403
    assert within(folder) == []


NAMES: Final = (
    "../rainy", "..", ".", ".hidden", "a/b", "a\\b", "/etc/rainy", "rainy.yaml", "a.b", "a\0b", "a\nb", "rainy ü",
    "ｒainy", "con", "LPT1", "a" * 65, "a" * 5_000, "-", "%2e%2e%2frainy", "~root", "$HOME", "C:rainy",
)  # fmt: skip


def test_a_name_that_is_not_plain_is_refused(visitor: Visitor, folder: Path) -> None:
    assert [name for name in NAMES if save(visitor, name).status != 400] == []
    assert within(folder.parent) == ["scenarios"]


def test_a_name_in_another_case_is_none_of_its_own(visitor: Visitor, folder: Path) -> None:
    (folder / "Rainy.yaml").write_text(BODY)
    assert "Rainy.yaml" in said(text(save(visitor, "rainy")), "notice")
    assert within(folder) == ["Rainy.yaml"]


def test_nothing_is_written_through_a_link(visitor: Visitor, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(OTHER)
    (folder / "rainy.yaml").symlink_to(outside)
    (folder / "dangling.yaml").symlink_to(tmp_path / "not_there.yaml")
    os.mkfifo(folder / "pipe.yaml")
    (folder / "below.yaml").mkdir()
    for name in ("rainy", "dangling", "pipe", "below"):
        for seen in ("", seen_on(visitor.read("new-scenario"))):
            assert "not a regular file" in said(text(save(visitor, name, BODY, seen)), "notice")
    assert outside.read_text() == OTHER
    assert not (tmp_path / "not_there.yaml").exists()


def test_another_name_of_the_same_file_keeps_its_text(visitor: Visitor, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(OTHER)
    os.link(outside, folder / "rainy.yaml")
    visitor.api.sandbox.scenarios.run_once()
    assert save(visitor, "rainy", BODY, seen_on(visitor.read("scenarios/rainy"))).status == 200
    assert (outside.read_text(), (folder / "rainy.yaml").read_text()) == (OTHER, BODY)


def _gone(folder: Path) -> None:
    folder.rmdir()


def _became_a_link(folder: Path) -> None:
    folder.rmdir()
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")


def _became_a_file(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("")


@pytest.mark.parametrize("happens", [_gone, _became_a_link, _became_a_file])
def test_a_directory_that_is_not_there_is_not_made(
    visitor: Visitor, folder: Path, happens: Callable[[Path], None]
) -> None:
    happens(folder)
    before = within(folder.parent)
    reply = save(visitor, "rainy")
    assert reply.status == 400
    assert "no longer exists" in said(text(reply), "notice")
    assert BODY.strip() in text(reply)
    assert within(folder.parent) == before


# over nobody's work


def test_what_somebody_else_wrote_meanwhile_is_shown_and_kept(visitor: Visitor, folder: Path) -> None:
    file = folder / "rainy.yaml"
    file.write_text(BODY)
    visitor.api.sandbox.scenarios.run_once()
    seen = seen_on(visitor.read("scenarios/rainy"))
    file.write_text(OTHER)
    for what in ("check", "run"):  # what is done in between does not make the file seen
        fields = {"do": "control.put_scenario", "try": what, "arg.name": "rainy", "text": BODY, "seen": seen}
        assert seen_on(text(visitor.send("scenarios/rainy", fields))) == seen
    reply = save(visitor, "rainy", "summary: mine\n" + BODY, seen)
    assert reply.status == 400
    assert "expired_card" in said(text(reply), "file-now")
    assert "summary: mine" in said(text(reply), "text")
    assert file.read_text() == OTHER
    assert save(visitor, "rainy", BODY, seen_on(text(reply))).status == 200
    assert file.read_text() == BODY


def test_a_new_scenario_takes_no_name_that_a_file_has(visitor: Visitor, folder: Path) -> None:
    (folder / "rainy.yaml").write_text(OTHER)
    reply = save(visitor, "rainy")
    assert (reply.status, (folder / "rainy.yaml").read_text()) == (400, OTHER)


def test_a_scenario_in_another_file_is_changed_there(visitor: Visitor, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "any.yml").write_text("name: rainy\n" + BODY)
    visitor.api.sandbox.scenarios.run_once()
    assert "sub/any.yml" in said(text(save(visitor, "rainy")), "notice")
    assert within(folder) == ["sub", "sub/any.yml"]


def test_of_many_who_save_a_new_name_at_once_one_does(server: Wire, folder: Path) -> None:
    many, replies, begin = 8, dict[int, Reply](), Barrier(8)
    visitors = [Visitor(server.as_key(f"snd_visitor_{number:08}")) for number in range(many)]

    def one(number: int) -> None:
        begin.wait()
        replies[number] = save(visitors[number], "rainy", f"summary: of {number}\n{BODY}")

    threads = [Thread(target=one, args=(number,)) for number in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = (number for number, reply in replies.items() if reply.status == 200)
    assert (folder / "rainy.yaml").read_text().startswith(f"summary: of {winner}\n")
    assert within(folder) == ["rainy.yaml"]


def test_there_is_an_end_to_what_a_directory_takes(folder: Path) -> None:
    visitor = Visitor(wire(scenarios=str(folder), scenarios_writable=True, scenarios_bytes_total=3 * 4_096))
    assert [save(visitor, name).status for name in ("one", "two", "three")] == [200, 200, 200]
    reply = save(visitor, "four")
    assert "scenarios_bytes_total" in said(text(reply), "notice")
    seen = seen_on(visitor.read("scenarios/one"))
    assert save(visitor, "one", OTHER, seen).status == 200


def test_a_write_that_fails_half_way_leaves_the_file_as_it_was(visitor: Visitor, folder: Path) -> None:
    assert save(visitor, "rainy").status == 200
    seen, most = seen_on(visitor.read("scenarios/rainy")), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(OTHER) // 2, most[1]))
    try:
        reply = save(visitor, "rainy", OTHER, seen)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert "File too large" in said(text(reply), "notice")
    assert within(folder) == ["rainy.yaml"]
    assert (folder / "rainy.yaml").read_text() == BODY
