"""One payment's story: its timeline as typed rows, and those as text, Mermaid, a picture and JSON."""

from __future__ import annotations

from mock_server.story.mermaid import as_mermaid
from mock_server.story.rows import Row, RowKind, as_json, from_json
from mock_server.story.svg import as_svg
from mock_server.story.text import as_text
from mock_server.story.timeline import timeline

__all__ = ["Row", "RowKind", "as_json", "as_mermaid", "as_svg", "as_text", "from_json", "timeline"]
