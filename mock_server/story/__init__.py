"""One payment's story: its timeline as typed rows, and those as text, Mermaid, a picture and JSON."""

from __future__ import annotations

from mock_server.story.renderings import as_mermaid, as_svg, as_text
from mock_server.story.timeline import timeline
from mock_server.story.words import RowKind, TimelineRow, as_json, from_json

__all__ = ["RowKind", "TimelineRow", "as_json", "as_mermaid", "as_svg", "as_text", "from_json", "timeline"]
