"""The port file: what may be at its place, and that everything else stays as it is."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from mock_server.cli.port_file import PortFile

HELD = [b"", b"1\n", b"12190\n", b"65535"]
OTHERS = [
    *(b"\n", b"12190\n\n", b"123456\n", b"12190 \n", b"-1\n", b"12190\n# a note", b"port: 12190\n"),
    *(b"\x00", b"import os\n", b"1" * 100, "\u0663\u0664".encode()),
]


@pytest.mark.parametrize("held", HELD)
def test_a_file_that_is_empty_or_holds_a_port_is_replaced(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "port"
    path.write_bytes(held)
    file = PortFile(str(path))
    assert file.mistake() is None
    file.write(12190)
    assert path.read_bytes() == b"12190"
    file.remove()
    assert not path.exists()


@pytest.mark.parametrize("held", OTHERS)
def test_a_file_with_anything_else_is_a_mistake_and_stays(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "port"
    path.write_bytes(held)
    file = PortFile(str(path))
    assert "something else than a port" in (file.mistake() or "")
    file.forget()
    with pytest.raises(OSError, match="something else"):
        file.write(12190)
    file.remove()
    assert path.read_bytes() == held


@pytest.mark.parametrize("place", ["none/port", "none/there/port", "file/port"])
def test_a_folder_that_is_not_there_is_a_mistake(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    file = PortFile(str(tmp_path / place))
    assert "there is no directory" in (file.mistake() or "")
    file.forget()
    file.remove()


def test_what_is_not_there_is_made(tmp_path: Path) -> None:
    file = PortFile(str(tmp_path / "port"))
    assert file.mistake() is None
    file.write(1)
    assert (tmp_path / "port").read_bytes() == b"1"


def test_a_pipe_gets_the_port_when_it_is_read_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "port"
    os.mkfifo(path)
    file = PortFile(str(path))
    assert file.mistake() is None
    file.forget()
    file.write(12190)
    with path.open("rb") as pipe:
        assert pipe.read() == b"12190"
    file.remove()
    assert stat.S_ISFIFO(path.lstat().st_mode)


def linked(path: Path) -> None:
    (path.parent / "elsewhere").write_text("12190\n")
    path.symlink_to("elsewhere")


def linked_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


@pytest.mark.parametrize(
    ("make", "kind"),
    [(Path.mkdir, "a directory"), (linked, "a symbolic link"), (linked_to_a_pipe, "a symbolic link")],
)
def test_anything_else_is_a_mistake(tmp_path: Path, make: Callable[[Path], object], kind: str) -> None:
    path = tmp_path / "port"
    make(path)
    file = PortFile(str(path))
    assert (file.mistake() or "").endswith(f": it is {kind}; only a regular file or a pipe can be written")
    with pytest.raises(OSError, match="only a regular file"):
        file.write(1)
