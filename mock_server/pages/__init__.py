"""The customer pages: the bank's challenge, hosted pages of methods, codes and instructions, the redirect to the shop.

The views are imported with the first call.
"""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response

from mock_server.contract.operation import Operation
from mock_server.pages.operations import ROUTES
from mock_server.sandbox import Sandbox


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The pages as Flask serves them."""
    made = Blueprint("pages", __name__, template_folder="templates")

    def view(row: Operation, **args: str) -> Response:
        from mock_server.pages.views import VIEWS, walk

        return walk(sandbox, row.method, VIEWS[row.name], args)

    for row in ROUTES:
        made.add_url_rule(row.path, row.name, partial(view, row), methods=[row.method])
    return made
