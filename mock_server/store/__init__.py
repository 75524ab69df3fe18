"""Where values rest: one protocol, and the engine that keeps them in memory."""

from __future__ import annotations
