"""Wherever an answer or a page names the merchant, it is by the name in the merchant's account.

Every operation's answer, and every payment's, with its page: what says *Sandbox merchant* of a merchant without a name
says the name of a merchant that has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Final
from urllib.parse import unquote_plus, urlsplit

import pytest

from mock_server.contract.operation import Success
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.methods import METHODS
from tests.api.paying import pay
from tests.causes.raising import ADMIN
from tests.routes.good import GOOD, caller, merchant
from tests.wire import Wire, wire

UNNAMED: Final = "Sandbox merchant"
PATH_OF_PAGE: Final = re.compile(r"(/payments/redirect/[\w/]+)")


def merchants(name: str | None) -> Iterator[Wire]:
    """Merchants of one server, each with its own key, and with the name."""
    server = wire()
    for number in count():
        api = server.as_key(f"snd_merchant_named_{number}")
        own = merchant(api)
        if name is not None:
            assert api.as_key(ADMIN).post(f"/accounts/{own}", {"merchant_name": name}).status == 200
        yield api


def texts(name: str | None) -> Iterator[tuple[str, str]]:
    """What the customers and programs of a merchant of this name are told, and where."""
    new = merchants(name)
    for row in OPERATIONS:
        if row.success is Success.ONE and not row.path.startswith("/accounts"):
            api = next(new)
            yield row.name, unquote_plus(GOOD[row.name](api).sent(caller(api, row), row).raw.decode())
    api = next(new)
    for method in METHODS:
        answer = unquote_plus(pay(api, method).raw.decode())
        yield f"by {method.type}", answer
        for path in PATH_OF_PAGE.findall(answer)[:1]:
            yield f"the page of {method.type}", api.as_key(None).get(path).raw.decode()


def test_whoever_names_the_merchant_takes_the_accounts_name() -> None:
    named = dict(texts("Corner Shop"))
    naming = [where for where, text in texts(None) if UNNAMED in text]
    assert len(naming) > 15, naming
    wrong = [where for where in naming if UNNAMED in named[where] or "Corner Shop" not in named[where]]
    assert not wrong, (len(wrong), len(naming), wrong)


@pytest.mark.parametrize("ends", ["POST /_sandbox/reset", "DELETE /_sandbox/workspace"])
def test_a_new_workspace_of_the_merchant_has_its_name_too(ends: str) -> None:
    server = wire()
    admin = server.as_key(ADMIN)
    admin.post("/accounts", {"merchant_id": "shop_1", "merchant_name": "Corner Shop"})
    expires = {"name": "first", "expiration": "2099-01-01T00:00:00Z"}
    api = server.as_key(admin.post("/api_keys/shop_1", expires)["api_key"])
    method = next(method for method in METHODS if "Corner Shop" in unquote_plus(pay(api, method).raw.decode()))
    verb, path = ends.split()
    assert api.call(verb, path).status == 200
    assert "Corner Shop" in unquote_plus(pay(api, method).raw.decode())


def test_a_restored_workspace_has_the_accounts_name_of_now() -> None:
    api = next(merchants(None))
    body = {"payment_link": True, "return_url": "https://shop.example/back"}
    made = api.post("/payments", {"amount": 100, "currency": "EUR", "profile_id": "pro_shop", **body})
    assert api.put("/_sandbox/snapshots/before").status == 200
    assert api.as_key(ADMIN).post(f"/accounts/{made['merchant_id']}", {"merchant_name": "Corner Shop"}).status == 200
    assert api.post("/_sandbox/snapshots/before/restore").status == 200
    page = api.as_key(None).get(urlsplit(made["payment_link"]["link"]).path).raw.decode()
    assert "Corner Shop" in page
    assert UNNAMED not in page
