"""What a customer sees: the bank's challenge, hosted pages of methods, codes and instructions, the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint

from mock_server.pages import views
from mock_server.pages.operations import ROUTES
from mock_server.pages.stages import View, walk

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

VIEWS: Final[dict[str, View]] = {
    "open": views.open_page,
    "decide": views.decide,
    "finish": views.finish,
    "qr_code": views.qr_code,
}


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The pages as Flask serves them."""
    made = Blueprint("pages", __name__, template_folder="templates")
    for row in ROUTES:
        made.add_url_rule(row.path, row.name, walk(sandbox, row.method, VIEWS[row.name]), methods=[row.method])
    return made
