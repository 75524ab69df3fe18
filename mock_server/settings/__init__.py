"""Settings, from flags, environment and a configuration file."""

from __future__ import annotations

from mock_server.settings.durations import duration_ms
from mock_server.settings.load import CONFIG_VARIABLE, LoadedSettings, SettingsRefused, load
from mock_server.settings.table import ENVIRONMENT_PREFIX, ROWS, SettingRow, Settings

__all__ = [
    "CONFIG_VARIABLE", "ENVIRONMENT_PREFIX", "ROWS", "LoadedSettings", "SettingRow", "Settings", "SettingsRefused",
    "duration_ms", "load",
]  # fmt: skip
