"""The store: one interface, and its implementation in memory."""

from __future__ import annotations
