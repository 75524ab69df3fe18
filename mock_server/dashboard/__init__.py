"""The dashboard at `/_sandbox/ui`: what happened, seen at a glance."""

from __future__ import annotations
