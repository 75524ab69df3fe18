"""Scripts and styles that our pages load. Their paths have a digest of all of them, so that browsers can cache them."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from mock_server.http.running import Answer

TYPES: Final = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


class Assets:
    """The files of a folder, of which nothing is secret; all are read when the first one is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def texts(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir()) if path.is_file()}

    @cached_property
    def digest(self) -> str:
        return sha256(b"".join(self.texts.values())).hexdigest()[:16]

    def answer(self, digest: str, name: str) -> Answer:
        """A script or style, or 404."""
        kind = TYPES.get(Path(name).suffix)
        if kind is None or name not in self.texts or digest != self.digest:
            return Answer(404, b"")
        kept = ("Cache-Control", "public, max-age=31536000, immutable")
        return Answer(200, self.texts[name], (("Content-Type", kind), kept))
