"""The files of the certificate authority."""

from __future__ import annotations

import os
import shlex
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from cryptography import x509

from mock_server.cli import main
from mock_server.cli.authority import SLACK, authority


@pytest.mark.parametrize("umask", [0o000, 0o027, 0o077], ids=oct)
def test_others_can_read_the_certificate_and_nobody_the_key_whatever_the_umask_is(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "payment-sandbox"
    before = os.umask(umask)
    try:
        made = authority(folder, 1_767_225_600_000)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (folder, made.public, made.secret)]
    assert modes == [0o755, 0o644, 0o600]


CLOCKS: Final = ("1971-01-02", "2000-02-29", "2026-11-29", "2036-11-28", "2040-02-29", "2100-03-01")
"""What a machine's clock can say, also before it is set."""


def at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


@pytest.mark.parametrize("used", CLOCKS)
@pytest.mark.parametrize("made", CLOCKS)
def test_what_another_clock_has_made_is_valid_by_this_one(made: str, used: str, tmp_path: Path) -> None:
    authority(tmp_path, int(at(made).timestamp() * 1_000))
    now = at(used)
    found = authority(tmp_path, int(now.timestamp() * 1_000))
    with found.leaf([], int(now.timestamp() * 1_000)) as file:
        shown = x509.load_pem_x509_certificate(Path(file).read_bytes())
    trusted = x509.load_pem_x509_certificate(found.public.read_bytes())
    assert trusted.not_valid_before_utc <= now < trusted.not_valid_after_utc - SLACK
    assert shown.not_valid_before_utc <= now <= shown.not_valid_after_utc <= trusted.not_valid_after_utc
    shown.verify_directly_issued_by(trusted)


@pytest.mark.parametrize("variables", [{"HOME": "here"}, {"XDG_STATE_HOME": "here"}, {"HOME": "a here"}], ids=str)
def test_the_path_that_is_printed_is_right_in_every_folder(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["ca"], env={"XDG_STATE_HOME": None, **variables}).output
    exported = [shlex.split(line, comments=True)[1] for line in said.splitlines() if line.startswith("  export ")]
    assert exported
    for path in (Path(one.partition("=")[2]) for one in exported):
        assert path.is_absolute() and path.is_file()
