"""The files of the certificate authority."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mock_server.cli.authority import authority


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
