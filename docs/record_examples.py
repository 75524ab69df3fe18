"""Records the real calls and answers that the OpenAPI document shows, into `mock_server/openapi/examples.json`.

`make docs` writes the file; `make docs-check` (with `--check`) fails where it is not what would be written.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "mock_server" / "openapi" / "examples.json"


def main(check: bool) -> int:
    """Write the file, or only say that it is out of date; return the exit code."""
    sys.path.insert(0, str(ROOT))
    from tests.openapi.recording import text

    logging.disable()  # one of the refusals is a defect that is made on purpose
    found = text()
    if check and FILE.read_text("utf-8") != found:
        sys.stderr.write(f"{FILE.relative_to(ROOT)} is out of date: run `make docs`\n")
        return 1
    if not check:
        FILE.write_text(found, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
