"""Empty environments, one for each Python of this machine that the package runs on, with the wheel in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.running import environment

OLDEST: Final = (3, 11)
NEWEST: Final = (3, 14)
LEFT: Final = ("PYTHON", "PYTEST")
"""How variables begin that say something of this checkout's Python and pytest."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and an empty folder to work in."""

    home: Path
    folder: Path

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs in the folder, with nothing of this checkout in reach."""
        return self._run(self.program(words[0]), *words[1:], variables=variables)

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run commands in its folder as somebody does who has activated it."""
        path = f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return self._run("bash", "-c", script, variables={"PATH": path, "VIRTUAL_ENV": str(self.home)})

    def program(self, name: str) -> str:
        return str(self.home / "bin" / name)

    def _run(self, *words: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in environment(**variables).items() if not name.startswith(LEFT)}
        clean["PIP_NO_COMPILE"] = "0"  # in its words: compile nothing, as little of it is imported
        return subprocess.run(words, cwd=self.folder, env=clean, capture_output=True, text=True, check=False)

    def install(self, *wanted: str) -> None:
        """By pip, as a reader of the docs does."""
        done = self.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
        assert done.returncode == 0, done.stderr

    def uv(self, *words: str) -> bool:
        """Whether uv, which takes a twentieth of pip's processor time, did this with the environment."""
        program = str(Path(sys.executable).with_name("uv"))
        asked = [program, "pip", *words, "--quiet", "--python", self.program("python")]
        return subprocess.run(asked, check=False).returncode == 0

    def add(self, *wanted: str) -> None:
        """By whatever is quickest: where uv reaches no index, as pip's settings are not its own, pip installs."""
        if not self.uv("install", *wanted):
            self.run("python", "-m", "ensurepip")
            self.install(*wanted)


def pythons() -> dict[str, str]:
    """Return the Pythons that answer, by version: this one, on the path, or among those that pyenv keeps, which take
    up to twice the processor time.
    """
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        name = f"python3.{minor}"
        this = Path(sys.base_prefix, "bin", name)
        candidates = [this, shutil.which(name), *sorted(kept.glob(f"3.{minor}.*/bin/{name}"), reverse=True)]
        answer = next((str(path) for path in candidates if path and _answers(path)), None)
        if answer:
            found[f"3.{minor}"] = answer
    return found


def _answers(path: str | Path) -> bool:
    asked = [path, "-c", "import venv, ensurepip"]
    return shutil.which(path) is not None and subprocess.run(asked, capture_output=True, check=False).returncode == 0


def made(python: str, home: Path, folder: Path, *, pip: bool = False) -> Environment:
    subprocess.run([python, "-m", "venv", "--without-pip", str(home)], check=True)
    folder.mkdir()
    environment = Environment(home, folder)
    if pip:
        environment.add("pip")
    return environment
