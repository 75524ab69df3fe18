"""Signs that a terminal or an editor obeys and does not show: ends of lines, directions, what deletes others."""

from __future__ import annotations

import re
from typing import Final

UNSEEN: Final = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"


def visible(text: str) -> str:
    """The same JSON text with escapes for them."""
    return re.sub(f"[{UNSEEN}]", lambda sign: f"\\u{ord(sign[0]):04x}", text)
