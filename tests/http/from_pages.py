"""What a page of another site sends, and a path of each operation."""

from __future__ import annotations

from typing import Final

from mock_server.contract.operation import Operation

ORIGIN: Final = {"Origin": "https://shop.example.test"}

FROM_PAGE: Final = {"HTTP_HOST": "localhost", "HTTP_ORIGIN": ORIGIN["Origin"], "wsgi.url_scheme": "http"}


def path_of(row: Operation) -> str:
    return "/".join("x_1" if part.startswith("<") else part for part in row.path.split("/"))
