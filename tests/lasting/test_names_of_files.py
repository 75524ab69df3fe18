"""Whatever a data file is called, and whatever links lead to it, it is the file of that name that keeps everything."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from mock_server.cli.serve import data_group
from mock_server.lasting.datafile import DataFile
from mock_server.store.protocol import StateRefused
from tests.wire import wire

LINKS = {
    "link.sqlite": "elsewhere/real.sqlite",
    "leads/nowhere.sqlite": "../elsewhere/new.sqlite",
    "linked": "elsewhere",
}
"""Links in the folder, and where they lead."""
NAMES = (
    # with a meaning to SQLite
    ":memory:", "file:state.sqlite", "file:state.sqlite?mode=memory", "file:state.sqlite?mode=ro", "file::memory:",
    # with a meaning to shells and in addresses
    "state.sqlite?mode=memory", "state%2e.sqlite", "state#1.sqlite", "-state.sqlite", "~", "a b.sqlite", " ",
    # by other ways
    "./state.sqlite", "elsewhere/../state.sqlite", "linked/state.sqlite", "link.sqlite", "leads/nowhere.sqlite",
)  # fmt: skip


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name as a user writes it, in a folder of its own."""
    monkeypatch.chdir(tmp_path)  # only a name without a folder can have another meaning
    for folder in ("elsewhere", "leads"):
        Path(folder).mkdir()
    Path("elsewhere/real.sqlite").touch(0o600)
    for link, target in LINKS.items():
        Path(link).symlink_to(target)
    return str(request.param)


def files() -> dict[str, int]:
    """Every file with something in it, by its real path: its permissions."""
    found = [Path(folder, one) for folder, _, names in os.walk(Path.cwd()) for one in names]
    return {str(one): stat.S_IMODE(one.stat().st_mode) for one in found if one.exists() and not one.is_symlink()}


def test_the_file_of_that_name_keeps_everything(name: str) -> None:
    real, others = os.path.realpath(name), files()
    api = wire(data=name)
    payment_id = api.pay()["payment_id"]
    assert api.sandbox.lasting is not None
    assert api.sandbox.lasting.saver.save()
    log = Path(f"{real}-wal")
    made = {path: mode for path, mode in files().items() if path not in others or path == real}
    assert {real, str(log)} <= made.keys() <= {real, str(log), f"{real}-shm"}
    assert set(made.values()) == {0o600}
    assert Path(real).read_bytes().startswith(b"SQLite format 3")
    log.rename(f"{log}.away")
    api.pay()
    assert not api.sandbox.lasting.saver.save(), "its log is watched where it is"
    Path(f"{log}.away").rename(log)
    api.sandbox.lasting.end()
    again = wire(data=name)
    assert again.get(f"/payments/{payment_id}").status == 200
    assert again.sandbox.lasting is not None
    again.sandbox.lasting.end()


@pytest.mark.parametrize("name", ["none.sqlite", "none/state.sqlite", "x" * 300, f"{'x' * 300}/state.sqlite"])
def test_a_check_of_none_ends_like_any_mistake(name: str) -> None:
    done = CliRunner().invoke(data_group, ["check", name])
    assert (done.exit_code, f"{name} does not exist" in done.output) == (2, True)


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_of_two_names_is_refused_by_each(tmp_path: Path, which: int) -> None:
    """Its log lies beside one of them: by the other, what a killed server saved last would be missing."""
    names = [tmp_path / "state.sqlite", tmp_path / "other.sqlite"]
    DataFile(str(names[0])).close()
    names[1].hardlink_to(names[0])
    before = names[0].read_bytes()
    with pytest.raises(StateRefused, match="has a second name"):
        DataFile(str(names[which]))
    done = CliRunner().invoke(data_group, ["check", str(names[which])])
    assert (done.exit_code, f"{names[which]} has a second name" in done.output) == (2, True)
    assert names[0].read_bytes() == before
    names[1].unlink()
    DataFile(str(names[0])).close()
