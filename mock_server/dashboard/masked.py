"""What people may see of a page; and what its links and forms refer to, where that is hidden (decision 0013)."""

from __future__ import annotations

import re
from typing import Final

from mock_server.domain import masking
from mock_server.domain.hiding import HIDDEN

_WORKING: Final = re.compile(
    r'(<(?:textarea|option)\b.*?</|(?<=\s)(?:href|src|action|value|id|data-l(?:oad|ater|ive))="[^"]*")', re.DOTALL
)
_AWAY: Final = "\0"  # HTML has no such character
_LETTERS: Final = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_DIGITS: Final = {after: before for before, after in _LETTERS.items()}
_REFERENCE: Final = re.compile(r"hidden\.((?:[a-p]{2})+)\.")


def masked_page(text: str) -> str:
    """A page as people may see it, and with what its reader is editing; `restored` reads what its links refer to."""
    parts = _WORKING.split(text.replace(_AWAY, ""))
    for first, change in ((0, masking.shown), (1, _referring)):
        parts[first::2] = change(_AWAY.join(parts[first::2])).split(_AWAY)
    return "".join(parts)


def _referring(text: str) -> str:
    masked = masking.shown(text)
    if masked == text or text.startswith("<textarea"):
        return text
    if _AWAY in text:
        return _AWAY.join(map(_referring, text.split(_AWAY)))
    *parts, last = masked.split(HIDDEN)
    hidden = re.findall("(.*?)".join(map(re.escape, (*parts, last))) + r"\Z", text, re.DOTALL)[0]
    names = (f"hidden.{name.encode().hex().translate(_LETTERS)}." for name in ([hidden] if len(parts) == 1 else hidden))
    return "".join(part for pair in zip(parts, names, strict=True) for part in pair) + last


def restored(text: str) -> str:
    """A part of an address or of a form that came back from a page, with what its references stand for."""
    return _REFERENCE.sub(lambda found: bytes.fromhex(found[1].translate(_DIGITS)).decode("utf-8", "replace"), text)
