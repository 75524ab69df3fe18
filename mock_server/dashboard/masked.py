"""What people may see of a page; and what its links and forms refer to, where that is hidden (decision 0013)."""

from __future__ import annotations

import re
from itertools import chain, zip_longest
from typing import Final
from urllib.parse import unquote_plus

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
    """A page as people may see it, and with what its reader is editing.

    What links and forms work by, such as ids and addresses, has a reference for what is hidden, which `restored` reads.
    """
    parts = _WORKING.split(text.replace(_AWAY, ""))
    for first, change in ((0, masking.shown), (1, _referring)):
        parts[first::2] = change(_AWAY.join(parts[first::2])).split(_AWAY)
    return "".join(parts)


def _referring(text: str) -> str:
    masked = masking.shown(text)
    if masked == text:
        return text
    if _AWAY in text:
        return _AWAY.join(map(_referring, text.split(_AWAY)))
    found = re.fullmatch("(.*?)".join(map(re.escape, masked.split(HIDDEN))), text, re.DOTALL)
    if found is None or text.startswith("<textarea"):
        return text
    plain = str if text.startswith(("<option", "value", "id")) else unquote_plus
    names = (f"hidden.{plain(part).encode().hex().translate(_LETTERS)}." for part in found.groups())
    return "".join(chain.from_iterable(zip_longest(masked.split(HIDDEN), names, fillvalue="")))


def restored(text: str) -> str:
    """A part of an address or of a form that came back from a page, with what its references stand for."""
    return _REFERENCE.sub(lambda found: bytes.fromhex(found[1].translate(_DIGITS)).decode("utf-8", "replace"), text)
