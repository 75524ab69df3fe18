"""Workspaces that outlive the process: the store in memory, and a database behind it that gets what changes.

Imported only with the setting `data`.
"""

from __future__ import annotations
