"""A client for another language, generated from the document by a kept generator, makes a payment and captures it.

The generator comes from npm, so this runs with PAYMENT_SANDBOX_SOAK, where there is npm.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.counts import SOAK
from tests.running import RunningSandbox, call

CLIENT: Final = Path(__file__).parent / "client"
NPM: Final = shutil.which("npm")


def run(directory: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


if NPM is not None and SOAK:

    def test_a_generated_client_makes_a_payment_and_captures_it(tmp_path: Path) -> None:
        shutil.copytree(CLIENT, tmp_path, dirs_exist_ok=True)
        (tmp_path / "openapi.json").write_text(call("openapi").stdout)
        run(tmp_path, "npm", "install", "--silent", "--no-audit", "--no-fund")
        run(tmp_path, "npx", "openapi-typescript", "openapi.json", "-o", "api.d.ts")
        run(tmp_path, "npx", "tsc", "-p", ".")
        with RunningSandbox() as sandbox:
            told = json.loads(run(tmp_path, "node", "pay.js", sandbox.ready["url"], "snd_generated_client"))
        assert told == {"created": "requires_capture", "captured": "succeeded", "received": 6540, "again": "IR_14"}
