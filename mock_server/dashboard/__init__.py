"""The dashboard at `/_sandbox/ui`: what happened, and the calls of the control API as buttons.

Its code is imported with the first visit.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from mock_server.control import FRONT
from mock_server.dashboard import places
from mock_server.dashboard.places import HOME, WORKSPACE
from mock_server.http.express import PageRow, PageView
from mock_server.sandbox import Sandbox


def _views(sandbox: Sandbox) -> Mapping[str, PageView]:
    from mock_server.dashboard.serving import ASSETS, Dashboard

    made = Dashboard(sandbox)
    whole = (made.front, made.live_front, made.workspace, made.live, made.nowhere)
    guarded = {view.__name__: partial(made.guarded, view) for view in whole}
    pages = {one.name: partial(made.guarded, made.page, page=one) for one in places.PAGES}
    return {"entrance": made.entrance, "asset": lambda _, **named: ASSETS.answer(**named), **guarded, **pages}


METHODS: Final = ("GET", "POST")
PAGES: Final = (
    PageRow("entrance", "/", _views),
    PageRow("entrance", FRONT, _views),
    PageRow("front", HOME, _views, METHODS),
    PageRow("live_front", f"{HOME}/live", _views),
    PageRow("asset", f"{HOME}/assets/<digest>/<name>", _views),
    PageRow("workspace", WORKSPACE, _views),
    PageRow("live", f"{WORKSPACE}/live", _views),
    PageRow("nowhere", f"{HOME}/", _views),
    *(PageRow(one.name, one.path, _views, METHODS) for one in places.PAGES),
)
