"""The blocklist (facts §1.6)."""

from __future__ import annotations

from mock_server.contract.answers import block as answers
from mock_server.contract.requests import blocklist as shapes
from mock_server.domain.blocklist import BlockRequest, ListBlocks, ToggleBlocklist
from mock_server.engine import blocklist
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show

views = Resource("blocklist")


@views.view("blocklist.add", shapes.BLOCK)
def add_block(call: Call, command: BlockRequest) -> Answer:
    return show(answers.block(run(call, blocklist.add, command), call.sandbox.dialect))


@views.view("blocklist.remove", shapes.BLOCK)
def remove_block(call: Call, command: BlockRequest) -> Answer:
    return show(answers.block(run(call, blocklist.remove, command), call.sandbox.dialect))


@views.view("blocklist.list", query=shapes.LIST)
def list_blocks(call: Call, asked: ListBlocks) -> Answer:
    return show([answers.block(block, call.sandbox.dialect) for block in run(call, blocklist.page, asked)])


@views.view("blocklist.toggle", query=shapes.TOGGLE)
def toggle_blocklist(call: Call, command: ToggleBlocklist) -> Answer:
    return show(answers.switch(run(call, blocklist.toggle, command)))
