"""The library: directory, inline text, shipped files; reload; extends; a workspace's own scenarios."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Final

import pytest

from mock_server.cli.shelf import read_all
from mock_server.scenario.loading import uploaded
from mock_server.scenario.loading.library import Change, Library, bundled_files
from mock_server.scenario.loading.sources import SUFFIXES
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.counts import times
from tests.scenario.memory import Memory

DECLINES = "rules: [{on: charge, then: {decline: %s}}]"


def write(path: Path, text: str) -> None:
    """Writes a file whose time is another than before, however fast the test runs."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


def put(memory: Memory, library: Library, name: str, text: str, form: str = "yaml") -> None:
    uploaded.read(memory, library, name, text, form)
    uploaded.keep(memory, name, text, form)


def decline(library: Library, name: str) -> str | None:
    scenario = library.find(name)
    issuer = scenario.rules[0].then[0].issuer if scenario else None
    return issuer.decline if issuer else None


@pytest.mark.parametrize("end", [change(suffix) for suffix in SUFFIXES for change in (str, str.upper, str.title)])
def test_a_file_is_read_whatever_the_case_of_its_suffix(tmp_path: Path, end: str) -> None:
    """By the server, by `check`, in what it extends, and JSON as JSON: a tab is no white space in YAML."""
    rules = '{\n\t"rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}' if "j" in end.lower() else DECLINES
    write(tmp_path / f"base{end}", rules.replace("%s", "lost_card"))
    write(tmp_path / "upon.yaml", "extends: base")
    assert decline(Library(tmp_path), "upon") == "lost_card"
    for path in (tmp_path, tmp_path / f"base{end}", tmp_path / "upon.yaml"):
        loaded, mistakes = read_all([str(path)])
        assert (len(loaded), mistakes) == (2 if path == tmp_path else 1, [])


def test_a_directory_comes_before_inline_and_inline_before_the_shipped(tmp_path: Path) -> None:
    inline = f"name: lost_response\n{DECLINES % 'stolen_card'}\n---\nname: mine\n{DECLINES % 'stolen_card'}\n"
    write(tmp_path / "mine.yaml", DECLINES % "lost_card")
    library = Library(tmp_path, inline)
    assert decline(library, "mine") == "lost_card"
    assert decline(library, "lost_response") == "stolen_card"
    assert {entry.name: entry.origin for entry in library.entries()}.items() >= {
        ("mine", "directory"),
        ("lost_response", "inline"),
        ("async_failure", "bundled"),
    }
    assert library.find("nobody") is None
    assert set(library.names()) == {*bundled_files(), "mine"}


def test_files_are_found_below_and_hidden_ones_are_not(tmp_path: Path) -> None:
    for name in ("a.yaml", "sub/b.yml", "c.json", ".hidden.yaml", "_draft.yaml", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        write(path, "{}" if name.endswith("json") else "version: 1")
    assert Library(tmp_path, bundled=False).names() == ("a", "b", "c")


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "rulez: []")
    write(tmp_path / "b.yaml", "extends: nobody")
    with pytest.raises(ScenarioErrors) as found:
        Library(tmp_path, "nme: x\n---\nname: y\nversion: 2\n")
    assert [mistake.message.split("(")[0].strip() for mistake in found.value.mistakes] == [
        "unknown key rulez in a scenario",
        "extends names an unknown scenario: nobody",
        "unknown key nme in a scenario",
        "version must be 1, not 2",
    ]
    assert found.value.mistakes[-1].line == 4


def test_a_directory_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(ScenarioErrors, match="is not a directory of scenarios"):
        Library(tmp_path / "nowhere")


def test_two_files_of_one_name_are_a_mistake(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "name: same")
    write(tmp_path / "b.yaml", "name: same")
    with pytest.raises(ScenarioErrors, match=r"b\.yaml:1:1: the name same is already used by .*a\.yaml"):
        Library(tmp_path)


def test_a_change_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write(path, DECLINES % "lost_card")
    library = Library(tmp_path)
    before = library.find("a")
    assert library.refresh() == []
    write(path, DECLINES % "stolen_card")
    write(tmp_path / "b.yaml", "version: 1")
    assert [(change.what, change.name) for change in library.refresh()] == [("changed", "a"), ("added", "b")]
    after = library.find("a")
    assert decline(library, "a") == "stolen_card"
    assert before
    assert after
    assert before.stamp != after.stamp, "counters start anew"


def test_a_touch_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", DECLINES % "lost_card")
    library = Library(tmp_path)
    before = library.find("a")
    write(tmp_path / "a.yaml", DECLINES % "lost_card")
    assert library.refresh() == []
    assert library.find("a") == before


def test_coming_back_to_an_earlier_text_starts_anew_too(tmp_path: Path) -> None:
    stamps = set()
    path = tmp_path / "a.yaml"
    write(path, DECLINES % "lost_card")
    library = Library(tmp_path)
    for name in ("stolen_card", "lost_card", "stolen_card"):
        write(path, DECLINES % name)
        library.refresh()
        scenario = library.find("a")
        stamps.add(scenario.stamp if scenario else "")
    assert len(stamps) == 3


def test_a_broken_file_keeps_its_last_good_version(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write(path, DECLINES % "lost_card")
    library = Library(tmp_path)
    write(path, "rulez: []")
    (change,) = library.refresh()
    assert (change.what, change.name) == ("broken", "a")
    assert str(library.stale[0]).endswith("a.yaml:1:1: unknown key rulez in a scenario (did you mean rules?)")
    assert decline(library, "a") == "lost_card"
    assert [entry.stale for entry in library.entries() if entry.name == "a"] == [True]
    assert library.refresh() == [], "it is said once"
    write(path, DECLINES % "stolen_card")
    assert [change.what for change in library.refresh()] == ["changed"]
    assert library.stale == ()
    assert decline(library, "a") == "stolen_card"


def test_a_new_file_that_is_broken_is_stale_and_nothing_else(tmp_path: Path) -> None:
    library = Library(tmp_path)
    write(tmp_path / "a.yaml", "rulez: []")
    assert [change.what for change in library.refresh()] == ["unusable"]
    assert library.refresh() == []
    assert library.find("a") is None
    assert library.stale
    (tmp_path / "a.yaml").unlink()
    library.refresh()
    assert library.stale == ()


def test_a_file_that_goes_is_gone(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", DECLINES % "lost_card")
    library = Library(tmp_path)
    (tmp_path / "a.yaml").unlink()
    assert library.refresh() == [Change("removed", "a", str(tmp_path / "a.yaml"))]
    assert library.find("a") is None


def test_what_a_refresh_breaks_between_files_is_stale(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "extends: b\n" + DECLINES % "lost_card")
    write(tmp_path / "b.yaml", DECLINES % "stolen_card")
    library = Library(tmp_path)
    (tmp_path / "b.yaml").unlink()
    library.refresh()
    assert "extends names an unknown scenario: b" in library.stale[0].message
    assert decline(library, "a") == "lost_card"


TEXTS: Final = (
    "rulez: []",
    DECLINES % "lost_card",
    DECLINES % "stolen_card",
    "extends: b\n" + DECLINES % "lost_card",
    "name: b\n",
    None,
)


@pytest.mark.parametrize("seed", range(times(20, soak=1_000)))
def test_each_mistake_is_told_when_it_comes_and_what_is_told_is_so(tmp_path: Path, seed: int) -> None:
    chance, library = Random(seed), Library(tmp_path)
    for _ in range(12):
        stale, before = set(library.stale), {name: library.find(name) for name in "abc"}
        for name in chance.sample("abc", chance.randint(1, 2)):
            (tmp_path / f"{name}.yaml").unlink(missing_ok=True)
            if (text := chance.choice(TEXTS)) is not None:
                write(tmp_path / f"{name}.yaml", text)
        changes = library.refresh()
        told = {mistake for change in changes for mistake in change.mistakes}
        assert set(library.stale) - stale <= told <= set(library.stale)
        for change in changes:
            assert bool(change.problem) is bool(change.mistakes)
            if change.what == "broken":
                assert before[change.name] is not None
                assert library.raw(change.name) is not None


def test_extends_puts_the_others_after_its_own(tmp_path: Path) -> None:
    cards = "cards: {'4242424242424242': {name: %s, decline: lost_card}}\n"
    write(tmp_path / "a.yaml", f"extends: b\nsettings: {{rate_limit: 1}}\n{cards % 'own'}{DECLINES % 'lost_card'}")
    write(
        tmp_path / "b.yaml",
        f"extends: c\nsettings: {{rate_limit: 2, unknown_cards: decline}}\n{DECLINES % 'stolen_card'}",
    )
    write(tmp_path / "c.yaml", (cards % "others").replace("}}", "}, '4111111111111111': {name: more}}"))
    found = Library(tmp_path).find("a")
    assert found
    assert [(rule.number, rule.place.file) for rule in found.rules] == [
        (1, str(tmp_path / "a.yaml")),
        (2, str(tmp_path / "b.yaml")),
    ]
    assert found.settings == {"rate_limit": 1, "unknown_cards": "decline"}
    assert {row.card.name for row in found.cards.values()} == {"own", "more"}


def test_extends_cannot_go_round(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "extends: b")
    write(tmp_path / "b.yaml", "extends: a")
    with pytest.raises(ScenarioErrors) as found:
        Library(tmp_path)
    assert [str(mistake).split(": ", 1)[1] for mistake in found.value.mistakes] == [
        "extends is circular: a → b → a",
        "extends is circular: b → a → b",
    ]


def test_a_workspace_has_scenarios_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", DECLINES % "lost_card")
    library, memory, other = Library(tmp_path), Memory(), Memory()
    put(memory, library, "a", DECLINES % "stolen_card")
    put(memory, library, "mine", '{"extends": "a"}', "json")
    mine, theirs = uploaded.finder(memory, library), uploaded.finder(other, library)
    found = mine("mine")
    assert found
    assert found.rules[0].then[0].issuer
    assert found.rules[0].then[0].issuer.decline == "stolen_card"
    assert theirs("mine") is None
    assert theirs("a") == library.find("a")
    assert uploaded.names(memory) == ("a", "mine")
    assert uploaded.remove(memory, "mine")
    assert not uploaded.remove(memory, "mine")
    assert mine("mine") is None


def test_putting_a_scenario_again_starts_its_counters_anew() -> None:
    library, memory = Library(), Memory()
    stamps = set()
    for _ in range(2):
        put(memory, library, "a", DECLINES % "lost_card")
        found = uploaded.finder(memory, library)("a")
        stamps.add(found.stamp if found else "")
    assert len(stamps) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: other", "the text has the name other, but it is uploaded as mine; use one for both"),
        ("extends: nobody", "extends names an unknown scenario: nobody"),
        ("extends: mine", "is circular"),
        ("rulez: []", "1:1: unknown key rulez"),
    ],
)
def test_a_workspace_takes_sound_scenarios_only(text: str, message: str) -> None:
    memory = Memory()
    with pytest.raises(ScenarioErrors) as found:
        put(memory, Library(), "mine", text)
    assert message in str(found.value)
    assert uploaded.names(memory) == ()


def test_the_shipped_are_not_read_before_they_are_asked_for() -> None:
    assert len(Library().entries()) >= 24
