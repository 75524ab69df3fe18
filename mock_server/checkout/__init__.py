"""The stand-in for a checkout script: what a shop's page loads, and the form in a frame of this server's origin.

The form is JavaScript (`assets/`); here stands which address gives which of its files. The views come in with the
first call of any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from flask import Blueprint

if TYPE_CHECKING:
    from flask import Response

    from mock_server.sandbox import Sandbox

BASE: Final = "/checkout"
SCRIPTS: Final = ("/HyperLoader.js", "/v0/HyperLoader.js", "/v1/HyperLoader.js", "/v2/HyperLoader.js")
"""Where a page may load the script from: the address alone, and as the public scripts are numbered."""
ROUTES: Final = (
    *((path, "script") for path in SCRIPTS),
    (f"{BASE}/frame", "frame"),
    (f"{BASE}/cards", "cards"),
    (f"{BASE}/<digest>/<name>", "part"),
)


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The stand-in as Flask serves it."""
    made = Blueprint("checkout", __name__)
    for number, (path, name) in enumerate(ROUTES):
        made.add_url_rule(path, f"{name}_{number}", _late(sandbox, name), methods=["GET"])
    return made


def _late(sandbox: Sandbox, name: str) -> Callable[..., Response]:
    def view(**args: str) -> Response:
        from mock_server.checkout.serving import VIEWS

        return VIEWS[name](sandbox, **args)

    return view
