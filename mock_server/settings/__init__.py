"""Settings, from flags, environment and a configuration file."""

from __future__ import annotations

from mock_server.settings.durations import duration_ms, show_duration
from mock_server.settings.load import CONFIG_VARIABLE, LoadedSettings, SettingsRefused, load
from mock_server.settings.table import ENVIRONMENT_PREFIX, ROWS, Bytes, RealSeconds, SettingRow, Settings, WorkspaceMs

__all__ = [
    "CONFIG_VARIABLE",
    "ENVIRONMENT_PREFIX",
    "ROWS",
    "Bytes",
    "LoadedSettings",
    "RealSeconds",
    "SettingRow",
    "Settings",
    "SettingsRefused",
    "WorkspaceMs",
    "duration_ms",
    "load",
    "show_duration",
]
