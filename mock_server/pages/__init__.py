"""What a customer sees: the bank's challenge, hosted pages of methods, codes and instructions, the way back.

The views come in with the first call of any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flask import Blueprint

from mock_server.pages.operations import ROUTES

if TYPE_CHECKING:
    from flask import Response

    from mock_server.contract.operation import Operation
    from mock_server.sandbox import Sandbox


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The pages as Flask serves them."""
    made = Blueprint("pages", __name__, template_folder="templates")
    for row in ROUTES:
        made.add_url_rule(row.path, row.name, _late(sandbox, row), methods=[row.method])
    return made


def _late(sandbox: Sandbox, row: Operation) -> Callable[..., Response]:
    def view(**args: str) -> Response:
        from mock_server.pages.stages import walk
        from mock_server.pages.views import VIEWS

        return walk(sandbox, row.method, VIEWS[row.name])(**args)

    return view
