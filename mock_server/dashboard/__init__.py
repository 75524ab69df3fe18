"""The dashboard at `/_sandbox/ui`: what happened, and the calls of the control API as buttons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response

from mock_server.control import FRONT
from mock_server.dashboard.places import HOME, PAGES, WORKSPACE, DashboardPage
from mock_server.once import once
from mock_server.sandbox import Sandbox

if TYPE_CHECKING:
    from mock_server.dashboard.serving import Dashboard

METHODS: Final = ["GET", "POST"]


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The pages as Flask serves them; their code is imported with the first visit."""
    made = Blueprint("dashboard", __name__, template_folder="templates")
    late = _Late(sandbox)

    def page_of_workspace(page: DashboardPage, **args: str) -> Response:
        return late.dashboard.page(page, **args)

    for number, path in enumerate(("/", FRONT, f"{FRONT}/")):
        made.add_url_rule(path, f"entrance_{number}", lambda: late.dashboard.entrance())
    made.add_url_rule(HOME, "front", lambda: late.dashboard.front(), methods=METHODS)
    made.add_url_rule(f"{HOME}/", "front_too", lambda: late.dashboard.front(), methods=METHODS)
    made.add_url_rule(f"{HOME}/live", "live_front", lambda: late.dashboard.live_front())
    made.add_url_rule(f"{HOME}/assets/<digest>/<name>", "asset", _asset)
    made.add_url_rule(WORKSPACE, "workspace", lambda place: late.dashboard.workspace(place))
    made.add_url_rule(f"{WORKSPACE}/live", "live", lambda place: late.dashboard.live(place))
    made.add_url_rule(f"{HOME}/<path:address>", "nowhere", lambda address: late.dashboard.nowhere())
    for page in PAGES:
        made.add_url_rule(page.path, page.name, partial(page_of_workspace, page), methods=METHODS)
    return made


class _Late:
    """The dashboard, created with the first visit."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @once
    def dashboard(self) -> Dashboard:
        from mock_server.dashboard.serving import Dashboard

        return Dashboard(self._sandbox)


def _asset(digest: str, name: str) -> Response:
    from mock_server.dashboard.serving import asset

    return asset(digest, name)
