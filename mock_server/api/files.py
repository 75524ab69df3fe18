"""Files (facts §1.6)."""

from __future__ import annotations

from urllib.parse import quote

from werkzeug.http import dump_options_header

from mock_server.contract.requests import disputes as shapes
from mock_server.domain.dispute_commands import UploadFile
from mock_server.engine import files
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import NOTHING, show

views = Resource("files")


@views.view("files.create", shapes.UPLOAD)
def create_file(call: Call, command: UploadFile) -> Answer:
    return show({"file_id": run(call, files.create, command).file_id})


@views.view("files.retrieve")
def retrieve_file(call: Call, file_id: str) -> Answer:
    file = run(call, files.retrieve, file_id)
    headers = (("Content-Type", file.type), ("Content-Disposition", _saved_as(file.name)))
    return Answer(200, file.content, headers)


def _saved_as(name: str) -> str:
    """Under which name a browser saves it; a name beyond ASCII is written as RFC 8187 wants it."""
    if name.isascii():
        return dump_options_header("attachment", {"filename": name})
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


@views.view("files.delete")
def delete_file(call: Call, file_id: str) -> Answer:
    run(call, files.delete, file_id)
    return NOTHING
