"""Slashes too many, names that show nothing, and misspelled words, on every page of a customer."""

from __future__ import annotations

from itertools import product
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import pytest

from tests.pages.browser import Seen, link
from tests.pages.challenges import challenged
from tests.pages.link_pages import CARD, linked, page, stands
from tests.wire import Wire

QUERIES: Final = ("", "shown=%E2%82%AC1&a=b%2Fc", "token=x", "a/")
BLANK: Final = (" ", "\u200b", "\u00a0 \u3000", "\u2060\ufeff", "\u00ad\u200d")
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


def address_of(api: Wire, what: str) -> str:
    return urlsplit(linked(api)["payment_link"]["link"]).path if what == "link" else link(challenged(api))


def joined(path: str, way: str) -> str:
    """Where a browser goes from a path (RFC 3986 §5.2); urllib takes doubled slashes for one."""
    parts = path.split("/")[:-1]
    for part in way.split("/"):
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


@pytest.mark.parametrize(("what", "slashes", "query"), [*product(("link", "challenge"), (1, 2, 3), QUERIES)])
def test_slashes_at_the_end_lead_to_the_page_itself(api: Wire, what: str, slashes: int, query: str) -> None:
    path = urlsplit(address_of(api, what)).path
    asked = f"?{query}" if query else ""
    answer = api.as_key(None).get(f"{path}{'/' * slashes}{asked}")
    assert answer.status == 302
    way, mark, rest = answer.headers["Location"].partition("?")
    assert (joined(f"{path}{'/' * slashes}", way), mark + rest) == (path, asked)


@pytest.mark.parametrize("blank", BLANK, ids=ascii)
@pytest.mark.parametrize("email", ["ada@example.test", None])
def test_a_name_that_shows_nothing_is_no_name(api: Wire, blank: str, email: str | None) -> None:
    made = linked(api, customer={"id": "cus_9", "name": blank, "email": email})
    assert Seen(page(api, made).raw.decode()).texts["customer"] == (email or "cus_9")


WRONG: Final = ("aproved", "APPROVED", "", "abandoned", "approved ", "5")


@pytest.mark.parametrize(
    "sent", [*({"result": one} for one in WRONG), {"reslut": "approved"}, {"bank": "Sandbox"}], ids=str
)
def test_a_misspelled_choice_is_asked_for_again(api: Wire, sent: dict[str, str]) -> None:
    made = challenged(api)
    where = urlsplit(link(made)).path
    token = Seen(api.as_key(None).get(where).raw.decode()).forms[0].fields["token"]
    answer = api.as_key(None).call("POST", where, raw=urlencode({"token": token, **sent}).encode(), headers=FORM)
    assert (answer.status, stands(api, made)) == (422, "requires_action")
    assert Seen(answer.raw.decode()).texts["mistake"] == "Please choose one of the buttons."


@pytest.mark.parametrize(
    "sent", [{"method": one} for one in ("crad", "Card", "", "wallet", "wallet.", "wallet.nope")], ids=str
)
def test_a_misspelled_way_to_pay_is_asked_for_again(api: Wire, sent: dict[str, Any]) -> None:
    made = linked(api)
    answer = page(api, made, **{**CARD, "card_number": "4242424242424242", **sent})
    assert (answer.status, stands(api, made)) == (422, "requires_payment_method")
    assert Seen(answer.raw.decode()).texts["mistake"].strip() == "Please choose how to pay."


@pytest.mark.parametrize("query", ["shwon=x", "shown", "shown=", "token=", "utm_source=mail", "&&", "%"])
def test_a_misspelled_parameter_changes_no_page(api: Wire, query: str) -> None:
    where = urlsplit(linked(api)["payment_link"]["link"]).path
    plain, asked = (api.as_key(None).get(one) for one in (where, f"{where}?{query}"))
    assert (asked.status, Seen(asked.raw.decode()).ids) == (plain.status, Seen(plain.raw.decode()).ids)
