"""An example shop that takes payments."""

from __future__ import annotations

from shop.web import create_app

__all__ = ["create_app"]
