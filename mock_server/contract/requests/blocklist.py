"""The bodies and queries of the blocklist (ours, after the public API)."""

from __future__ import annotations

import re
from typing import Final

from mock_server.contract.kinds.base import DROPPED, FieldPlace
from mock_server.contract.kinds.objects import Body
from mock_server.contract.kinds.rules import Cross
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Flag, Whole
from mock_server.contract.requests.shapes import named
from mock_server.domain import limits
from mock_server.domain.blocklist import BIN_DIGITS, KINDS_IN, BlockKind
from mock_server.domain.errors import Cause

_F: Final = "facts §1.6"
_BIN: Final = re.compile(rf"[0-9]{{{BIN_DIGITS}}}")


class BlockBody(Body, source=_F):
    """Entry to block or unblock."""

    crosses = (
        Cross(
            ("type", "data"),
            lambda loaded: loaded["type"] != BlockKind.CARD_BIN or _BIN.fullmatch(loaded["data"]) is not None,
            f"must be the first {BIN_DIGITS} digits of a card number",
            "data",
        ),
    )

    type = Choice(
        tuple(BlockKind),
        "Kind of entry.",
        required=True,
        example=BlockKind.CARD_BIN,
        place=FieldPlace("kind", write=BlockKind),
    )
    data = Text(
        "The first six digits of a card number, or a card's fingerprint.",
        most=limits.IDENTIFIER,
        required=True,
        example="424242",
        place=FieldPlace("value"),
    )


class BlocksQuery(Body, source=_F):
    """Entries to list."""

    data_kind = Choice(
        tuple(KINDS_IN), "Kind of entry.", example=BlockKind.CARD_BIN, place=FieldPlace("kind", write=KINDS_IN.get)
    )
    limit = Whole("Number of entries to return.", least=limits.LIST_MIN, most=limits.LIST_MAX, example=10)
    offset = Whole("Number of entries to skip.", least=0, most=limits.JSON_INTEGER, example=0)
    client_secret = Text("Accepted, but has no effect.", place=DROPPED)


class ToggleQuery(Body, source=_F):
    """Whether the blocklist is on."""

    status = Flag("Whether the blocklist is on.", required=True, example=True, place=FieldPlace("on"))


BLOCK: Final = named(BlockBody)
"""`POST` and `DELETE /blocklist`."""
LIST: Final = named(BlocksQuery, Cause.UNKNOWN_PARAMETER)
TOGGLE: Final = named(ToggleQuery, Cause.UNKNOWN_PARAMETER)
