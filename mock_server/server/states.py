"""What a connection is about to do, and how much it takes at once."""

from __future__ import annotations

import struct
import sys
from enum import Enum
from typing import Final

RECEIVED_AT_ONCE: Final = 65_536
READ_AHEAD: Final = 65_536
"""So many bytes of later requests are taken in while an answer is owed."""
READ_AWAY: Final = 256 << 20
"""So many bytes of what a client still sends after the last answer are read and dropped, that it may see the answer."""
NEVER: Final = float("inf")
NOTHING: Final = memoryview(b"")
NO_FAREWELL: Final = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class State(Enum):
    """What a connection is about to do."""

    READING = "a request, or the rest of one, is waited for"
    WORKING = "the app is making the answer, or more of it"
    HELD = "the answer waits for its moment, and is not sent if the client leaves before"
    HANGING = "the same, but the answer may never come: the end of the server does not wait for it"
    WRITING = "the client has yet to take what was sent"
    LINGERING = "our side is closed, and what the client still sends is dropped"
    CLOSED = "nothing any more"


def nothing() -> None:
    """Go on with nothing."""
