"""A Flask app with one view that says the same always, on the sandbox's own server: what Flask alone costs."""

from __future__ import annotations

import sys

from flask import Flask, Response

from mock_server.server import Server

BODY = b'{"payment_id":"' + b"x" * 1_000 + b'"}'


def main() -> None:
    """Serves on the port that is given."""
    app = Flask("reference", static_folder=None)

    @app.get("/payments/<payment_id>")
    def constant(payment_id: str) -> Response:
        return Response(BODY, content_type="application/json")

    Server(app, "127.0.0.1", int(sys.argv[1])).serve_forever()


if __name__ == "__main__":
    main()
