"""The bodies and queries of the blocklist (ours, after the public API)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.kinds.objects import Body
from mock_server.contract.kinds.places import Loaded
from mock_server.contract.kinds.rules import Cross
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Flag, Whole
from mock_server.contract.requests.shapes import Shape
from mock_server.domain import limits
from mock_server.domain.blocklist import BIN_DIGITS, KINDS_IN, BlockKind, BlockRequest, ListBlocks, ToggleBlocklist
from mock_server.domain.errors import Cause
from mock_server.domain.paging import DEFAULT_LIMIT

_F: Final = "facts §1.6"
_BIN: Final = re.compile(rf"[0-9]{{{BIN_DIGITS}}}")


def _fits(loaded: Mapping[str, Any]) -> bool:
    return loaded["type"] != BlockKind.CARD_BIN or _BIN.fullmatch(loaded["data"]) is not None


class BlockBody(Body):
    """What to block, or to let through again."""

    crosses = (Cross(("type", "data"), _fits, f"must be the first {BIN_DIGITS} digits of a card number", "data"),)

    type = Choice(tuple(BlockKind), "What is compared.", required=True, source=_F, example=BlockKind.CARD_BIN)
    data = Text(
        "The first six digits of a card number, or a card's fingerprint.",
        most=limits.IDENTIFIER,
        required=True,
        source=_F,
        example="424242",
    )


class ListQuery(Body):
    """Which entries to show."""

    data_kind = Choice(tuple(KINDS_IN), "What is compared.", source=_F, example=BlockKind.CARD_BIN)
    limit = Whole("Entries to return.", least=int(limits.LIST_MIN), most=int(limits.LIST_MAX), source=_F, example=10)
    offset = Whole("Entries to skip.", least=0, most=int(limits.JSON_INTEGER), source=_F, example=0)
    client_secret = Text("Taken, and changes nothing.", source=_F)


class ToggleQuery(Body):
    """On or off."""

    status = Flag("Whether the blocklist is in force.", required=True, source=_F, example=True)


def _block(loaded: Loaded) -> BlockRequest:
    return BlockRequest(kind=BlockKind(loaded["type"]), value=loaded["data"])


def _page(loaded: Loaded) -> ListBlocks:
    limit, kind = loaded.get("limit"), loaded.get("data_kind")
    return ListBlocks(
        kind=KINDS_IN[kind] if kind else None,
        limit=DEFAULT_LIMIT if limit is None else limit,
        offset=loaded.get("offset") or 0,
    )


def _toggle(loaded: Loaded) -> ToggleBlocklist:
    return ToggleBlocklist(on=loaded["status"])


BLOCK: Final[Shape[BlockRequest]] = Shape(BlockBody, _block)
"""`POST` and `DELETE /blocklist`."""
LIST: Final[Shape[ListBlocks]] = Shape(ListQuery, _page, Cause.UNKNOWN_PARAMETER)
TOGGLE: Final[Shape[ToggleBlocklist]] = Shape(ToggleQuery, _toggle, Cause.UNKNOWN_PARAMETER)
