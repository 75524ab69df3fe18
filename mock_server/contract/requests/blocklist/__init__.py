"""The requests of the blocklist (facts §1.6; their shapes are ours, after the public API)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.load import Shape
from mock_server.domain.blocklist import KINDS_IN, BlockKind, BlockRequest, ListBlocks, ToggleBlocklist
from mock_server.domain.errors import Cause
from mock_server.domain.paging import DEFAULT_LIMIT

Loaded = Mapping[str, Any]


def _body(name: str) -> Any:
    from mock_server.contract.requests.blocklist import bodies

    return getattr(bodies, name)()


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


BLOCK: Final[Shape[BlockRequest]] = Shape(lambda: _body("BlockBody"), _block)
"""`POST` and `DELETE /blocklist`."""
LIST: Final[Shape[ListBlocks]] = Shape(lambda: _body("ListQuery"), _page, Cause.UNKNOWN_PARAMETER)
TOGGLE: Final[Shape[ToggleBlocklist]] = Shape(lambda: _body("ToggleQuery"), _toggle, Cause.UNKNOWN_PARAMETER)
