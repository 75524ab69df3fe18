"""The blocklist (facts §1.6)."""

from __future__ import annotations

from mock_server.contract.answers import saved as answers
from mock_server.contract.answers.writing import write
from mock_server.contract.requests import blocklist as shapes
from mock_server.domain.blocklist import BlockRequest, ListBlocks, ToggleBlocklist
from mock_server.engine import blocklist
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_as

views = Resource("blocklist")


@views.view("blocklist.add", shapes.BLOCK)
def add_block(call: Call, command: BlockRequest) -> Answer:
    return show_as(call, answers.BLOCK, run(call, blocklist.add, command))


@views.view("blocklist.remove", shapes.BLOCK)
def remove_block(call: Call, command: BlockRequest) -> Answer:
    return show_as(call, answers.BLOCK, run(call, blocklist.remove, command))


@views.view("blocklist.list", query=shapes.LIST)
def list_blocks(call: Call, asked: ListBlocks) -> Answer:
    return show([write(answers.BLOCK, block, call.sandbox.dialect) for block in run(call, blocklist.page, asked)])


@views.view("blocklist.toggle", query=shapes.TOGGLE)
def toggle_blocklist(call: Call, command: ToggleBlocklist) -> Answer:
    return show_as(call, answers.BLOCKLIST_SWITCH, run(call, blocklist.toggle, command))
