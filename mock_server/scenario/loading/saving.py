"""Saves a scenario's text to a file of the server's directory: completely or not at all, and not over others' changes.

The directory is opened once for each save, and all steps use its descriptor (except on Windows, which has none); its
lock keeps other servers out meanwhile.
Nothing is written through a link: the text goes to a new file, which is then renamed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Final, NamedTuple

from mock_server.randomness import Randomness

PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
"""A scenario's name without dots, after which some systems expect a suffix."""
_RESERVED: Final = re.compile(r"con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)
"""Names of devices on Windows, with any suffix."""
_ALONE: Final = Lock()  # of two saves, the second sees the text of the first
BLOCK: Final = 4_096
"""The smallest size with which a file is counted, in bytes."""
NEW: Final = ""
"""The digest of a file that does not exist."""
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)


def digest_of(raw: bytes) -> str:
    """The digest of a scenario's text."""
    return sha256(raw).hexdigest()


class NotSaved(Exception):
    """Why a text was not saved; if someone else changed the file, `now` is its text, and `digest` the text's."""

    def __init__(self, why: str, now: str | None = None, digest: str = NEW) -> None:
        super().__init__(why)
        self.now = now
        self.digest = digest


class _Opened(NamedTuple):
    """A directory, and its descriptor if the system can use one."""

    folder: Path
    at: int | None

    def path(self, name: str) -> str:
        return name if self.at is not None else str(self.folder / name)


def save(folder: Path, name: str, text: str, seen: str, most: int) -> str:
    """Writes a text to the file of its name, and returns the file's name.

    `seen` is the digest of the text that the author began with (`NEW`: none), `most` the maximum of bytes of all files
    in the directory. Raises NotSaved.
    """
    if PLAIN.fullmatch(name) is None:
        raise NotSaved("a file name must have 1 to 64 letters, digits, _ or -, and start with a letter or digit")
    if _RESERVED.fullmatch(name):
        raise NotSaved(f"{name} is a device name on some systems: choose another")
    file, raw = f"{name}.yaml", text.encode()
    try:
        with _ALONE, _opened(folder) as opened:
            _check_others(opened, file, len(raw), most)
            _write(opened, file, raw, seen, most)
    except (FileNotFoundError, NotADirectoryError):
        raise NotSaved(f"the directory {folder} no longer exists or is now a link") from None
    except OSError as wrong:
        raise NotSaved(f"cannot write {file}: {wrong.strerror}") from None
    return file


@contextmanager
def _opened(folder: Path) -> Iterator[_Opened]:
    if os.open not in os.supports_dir_fd:
        yield _Opened(folder, None)
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except OSError as wrong:  # also of a file system without locks
            if isinstance(wrong, BlockingIOError):
                raise NotSaved("another server is saving to this directory: try again") from None
        yield _Opened(folder, descriptor)
    finally:
        os.close(descriptor)


def _check_others(opened: _Opened, file: str, size: int, most: int) -> None:
    """Checks that there is room, and no name that differs only in case."""
    total = max(size, BLOCK)
    with os.scandir(opened.folder if opened.at is None else opened.at) as others:
        for other in others:
            if other.name != file and other.name.casefold() == file.casefold():
                problem = f"{other.name} exists already, which is the same file on some systems"
                raise NotSaved(f"{problem}: choose another name")
            with suppress(OSError):
                total += max(other.stat(follow_symlinks=False).st_size, BLOCK) if other.name != file else 0
    if total > most:
        raise NotSaved(f"the directory is full: it can have {most} bytes (setting scenarios_bytes_total)")


def _write(opened: _Opened, file: str, raw: bytes, seen: str, most: int) -> None:
    """Writes a new file beside the old one, and renames it unless the old one has changed meanwhile."""
    beside = opened.path(f".{file}.{Randomness(None, 'saving').token('file', 0, 12)}")
    _check_seen(opened, file, seen, most)
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o666, dir_fd=opened.at)
        with os.fdopen(descriptor, "wb") as written:
            written.write(raw)
            written.flush()
            os.fsync(written.fileno())
        put = os.replace if _check_seen(opened, file, seen, most) else os.link
        try:
            put(beside, opened.path(file), src_dir_fd=opened.at, dst_dir_fd=opened.at)
        except FileExistsError:  # someone else has just taken the name, and keeps it
            _check_seen(opened, file, NEW, most)
        except OSError:  # a file system without hard links
            os.replace(beside, opened.path(file), src_dir_fd=opened.at, dst_dir_fd=opened.at)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=opened.at)


def _check_seen(opened: _Opened, file: str, seen: str, most: int) -> bool:
    """Raises NotSaved for a file that is not regular, or has not the text that was `seen`; else, whether it exists."""
    try:
        is_file = S_ISREG(os.lstat(opened.path(file), dir_fd=opened.at).st_mode)
    except FileNotFoundError:
        return False
    if not is_file:
        raise NotSaved(f"{file} is a link or not a regular file, so it is not written")
    descriptor = os.open(opened.path(file), os.O_RDONLY | _NO_LINK | _NO_WAIT, dir_fd=opened.at)
    with os.fdopen(descriptor, "rb") as opened_file:
        now = opened_file.read(most).decode("utf-8-sig", "replace")
    if (digest := digest_of(now.encode())) != seen:
        why = f"{file} was changed by someone else in the meantime"
        raise NotSaved(f"{why}. Nothing was changed." if seen else f"{file} exists already", now, digest)
    return True
