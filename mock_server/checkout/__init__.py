"""The checkout script that a shop's page loads, and its form in a frame from this server's origin.

The form is JavaScript (`assets/`); this package serves its files. The views are imported with the first call.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from flask import Blueprint, Response

from mock_server.sandbox import Sandbox

BASE: Final = "/checkout"
SCRIPTS: Final = ("/HyperLoader.js", "/v0/HyperLoader.js", "/v1/HyperLoader.js", "/v2/HyperLoader.js")
"""The paths of the script: without a version, and with those of the public scripts."""
ROUTES: Final = (
    *((path, "script") for path in SCRIPTS),
    (f"{BASE}/frame", "frame"),
    (f"{BASE}/cards", "cards"),
    (f"{BASE}/<digest>/<name>", "part"),
)


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The files as Flask serves them."""
    made = Blueprint("checkout", __name__)

    def view(view_name: str, **args: str) -> Response:
        from mock_server.checkout.serving import VIEWS

        return VIEWS[view_name](sandbox, **args)

    for number, (path, name) in enumerate(ROUTES):
        made.add_url_rule(path, f"{name}_{number}", partial(view, name), methods=["GET"])
    return made
