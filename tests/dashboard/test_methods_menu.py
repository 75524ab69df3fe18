"""Every method in the menu of a new payment is one of the workspace's dialect, and is accepted."""

from __future__ import annotations

import pytest

from mock_server.dialects import get
from mock_server.domain.methods import ALL_METHODS, METHODS, Method
from tests.dashboard.reading import Page
from tests.dashboard.visitor import Visitor, said, text
from tests.wire import wire


@pytest.mark.parametrize(("dialect", "rows"), [("interface", METHODS), ("hyperswitch", ALL_METHODS)])
def test_every_method_in_the_menu_is_accepted(dialect: str, rows: tuple[Method, ...]) -> None:
    visitor = Visitor(wire(dialect=get(dialect)))
    visitor.api.pay()
    (form,) = (form for form in Page(visitor.read("new-payment")).forms if form.method == "post")
    menu = [word for word in form.named("method").choices if word]
    refused = {}
    for word in menu:
        reply = visitor.send(
            "new-payment", [(name, word if name == "method" else value) for name, value in form.values]
        )
        if reply.status != 200:
            refused[word] = said(text(reply), "notice")
    assert refused == {}
    simple = [row for row in rows if row.category != "card" and set(row.asks) <= {"vpa_id"}]
    assert len(menu) == len(simple) > 15, "but those that need data of a customer's"
