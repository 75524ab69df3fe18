"""Files with the ports of a server: written in one step, and removed by the server that wrote them."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

PORT_TEXT: Final = re.compile(rb"\d{1,5}\n?")


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file in one step, so that nobody reads half of it; with exactly this mode, if given. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)  # of a run that was killed while it wrote
    try:
        with open(draft, "xb", opener=partial(os.open, mode=0o666 if mode is None else mode)) as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)  # whatever the umask is
            file.write(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


class PortFile:
    """The place that the setting `port_file` or `tls_port_file` names."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._written = b""

    def mistake(self) -> str | None:
        """Return why the port cannot be written there: there is something else than a port, a pipe, or nothing."""
        wrong = self._wrong()
        return f"cannot write the port file {self._path}: {wrong}" if wrong else None

    def _wrong(self) -> str | None:
        try:
            mode = self._path.lstat().st_mode
        except OSError:  # nothing is there, or writing will say what is wrong
            return None if self._path.parent.is_dir() else f"there is no directory {self._path.parent}"
        if stat.S_ISFIFO(mode):
            return None
        if not stat.S_ISREG(mode):
            kind = {stat.S_IFDIR: "a directory", stat.S_IFLNK: "a symbolic link"}.get(stat.S_IFMT(mode), "no file")
            return f"it is {kind}; only a regular file or a pipe can be written"
        try:
            held = self._held()
        except OSError as wrong:
            return f"it cannot be read ({wrong.strerror})"
        is_other = held and not PORT_TEXT.fullmatch(held)
        return "it holds something else than a port; choose another path" if is_other else None

    def forget(self) -> None:
        """Remove the number that a killed server left."""
        if not self._wrong() and self._held():
            self._path.unlink(missing_ok=True)

    def write(self, port: int) -> None:
        """Write the number; into a pipe when somebody reads it. Raises OSError with the file's name."""
        if wrong := self._wrong():
            raise OSError(0, wrong, str(self._path))
        written = b"%d" % port  # no line: other languages read it as a number
        if self._path.is_fifo():
            Thread(target=self._pour, args=(written,), name="payment-sandbox-port-file", daemon=True).start()
            return
        try:
            replace_file(self._path, written)
        except OSError as error:  # which has the name of the draft
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        self._written = written

    def remove(self) -> None:
        """Remove the file, unless another server has written it since."""
        with suppress(OSError):
            if self._written and not self._wrong() and self._held() == self._written:
                self._path.unlink(missing_ok=True)

    def _pour(self, written: bytes) -> None:
        with suppress(OSError), self._path.open("wb") as pipe:  # opening waits for a reader
            pipe.write(written)

    def _held(self) -> bytes:
        return beginning(self._path) if self._path.is_file() else b""


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file, which a port fits in. Raises OSError."""
    with path.open("rb") as file:
        return file.read(8)
