"""Settings for the commands: read from flags, the environment and files, or the end of the run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mock_server.cli.output import USAGE, stop
from mock_server.settings import LoadedSettings, SettingsRefused, load


def read_settings(flags: Mapping[str, str]) -> LoadedSettings:
    """Return the settings; a mistake ends the command with exit code 2."""
    try:
        return load(flags, os.environ, read_text)
    except SettingsRefused as refused:
        stop(USAGE, refused.mistakes)


def read_text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def reachable(host: str, port: int) -> str:
    """Return the base address under which a server bound to this host answers on this machine."""
    # A server on every address is asked on the loopback one.
    near = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://[{near}]:{port}" if ":" in near else f"http://{near}:{port}"
