"""Clients that kept generators make from the document: some make and capture a payment, others compile or lack nothing.

The generators come from npm and PyPI, so this runs with PAYMENT_SANDBOX_SOAK, each where its language is there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.counts import SOAK
from tests.openapi.agreeing import SPOKEN, plain
from tests.running import RunningSandbox, call

CLIENT: Final = Path(__file__).parent / "client"
NPM: Final = shutil.which("npm")


def run(directory: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, cwd=directory, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


PYTHON_CLIENT: Final = "openapi-python-client==0.29.1"
LACKING: Final = re.compile(r"^WARNING parsing (.+?)\.?$", re.MULTILINE)
OTHER_MEDIA: Final = {"GET /files/{file_id} within files", "PUT /_sandbox/scenarios/{name} within control_scenarios"}
"""What that generator has no type for: any type of content, and YAML beside JSON."""

if SOAK:

    def test_a_generated_client_lacks_no_operation(tmp_path: Path) -> None:
        run(tmp_path, sys.executable, "-m", "pip", "install", "--quiet", "--target", "generator", PYTHON_CLIENT)
        (tmp_path / "config.yml").write_text("post_hooks: []\n")
        for dialect in sorted(SPOKEN):
            (tmp_path / "openapi.json").write_text(json.dumps(plain(dialect)))
            command = ("generate", "--path", "openapi.json", "--config", "config.yml", "--output-path", dialect)
            at = str(tmp_path / "generator")
            told = run(tmp_path, sys.executable, "-m", "openapi_python_client", *command, PYTHONPATH=at)
            assert set(LACKING.findall(told.stdout + told.stderr)) == OTHER_MEDIA


OPENAPI_GENERATOR: Final = (
    "openapi-generator-cli==7.26.0", "pydantic==2.14.4", "python-dateutil", "urllib3", "typing-extensions",
    "lazy-imports",
)  # fmt: skip
"""The generator, and what its clients in Python import."""

if SOAK and shutil.which("java"):

    def made_by_openapi_generator(directory: Path, language: str) -> None:
        run(directory, sys.executable, "-m", "pip", "install", "--quiet", "--target", "generator", *OPENAPI_GENERATOR)
        jar = next((directory / "generator").rglob("openapi-generator.jar"))
        for dialect in sorted(SPOKEN):
            (directory / "openapi.json").write_text(json.dumps(plain(dialect)))
            said = ("--additional-properties", "enumClassPrefix=true")  # or Go has two constants of one name
            more = ("--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false")
            command = ("generate", "-i", "openapi.json", "-g", language, "-o", dialect, *said, *more)
            run(directory, "java", "-jar", str(jar), *command)

    def test_a_client_of_openapi_generator_in_python_makes_a_payment_and_captures_it(tmp_path: Path) -> None:
        made_by_openapi_generator(tmp_path, "python")
        at = os.pathsep.join(str(tmp_path / name) for name in ("interface", "generator"))
        with RunningSandbox() as sandbox:
            done = run(tmp_path, sys.executable, str(CLIENT / "pay.py"), sandbox.ready["url"], PYTHONPATH=at)
        told = json.loads(done.stdout)
        assert told == {"created": "requires_capture", "captured": "succeeded", "received": 6540, "again": "IR_14"}

    if shutil.which("go"):

        def test_a_client_of_openapi_generator_in_go_compiles(tmp_path: Path) -> None:
            made_by_openapi_generator(tmp_path, "go")
            for dialect in sorted(SPOKEN):
                run(tmp_path / dialect, "go", "build", ".")

    if NPM is not None:

        def test_a_client_of_openapi_generator_in_typescript_has_no_wrong_type(tmp_path: Path) -> None:
            made_by_openapi_generator(tmp_path, "typescript-fetch")
            shutil.copy(CLIENT / "package.json", tmp_path)
            run(tmp_path, "npm", "install", "--silent", "--no-audit", "--no-fund")
            said = ("--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")
            for dialect in sorted(SPOKEN):
                run(tmp_path, "npx", "tsc", *said, f"{dialect}/index.ts")


if NPM is not None and SOAK:

    def test_a_generated_client_makes_a_payment_and_captures_it(tmp_path: Path) -> None:
        shutil.copytree(CLIENT, tmp_path, dirs_exist_ok=True)
        (tmp_path / "openapi.json").write_text(call("openapi").stdout)
        run(tmp_path, "npm", "install", "--silent", "--no-audit", "--no-fund")
        run(tmp_path, "npx", "openapi-typescript", "openapi.json", "-o", "api.d.ts")
        run(tmp_path, "npx", "tsc", "-p", ".")
        with RunningSandbox() as sandbox:
            told = json.loads(run(tmp_path, "node", "pay.js", sandbox.ready["url"], "snd_generated_client").stdout)
        assert told == {"created": "requires_capture", "captured": "succeeded", "received": 6540, "again": "IR_14"}
