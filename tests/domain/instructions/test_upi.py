"""UPI links."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.instructions import upi
from tests.domain.instructions.contexts import AMOUNTS, context


@given(AMOUNTS, st.text(min_size=1, max_size=40))
def test_a_link_says_whom_to_pay_how_much_for_what(amount: int, name: str) -> None:
    link = urlsplit(upi.pay_link(context(amount=amount, currency="INR", merchant_name=name)))
    read = parse_qs(link.query, keep_blank_values=True, strict_parsing=True)
    assert (link.scheme, link.netloc) == ("upi", "pay")
    assert read["pa"] == ["merchant@sandbox"]
    assert read["pn"] == [name]
    assert (read["tr"], read["tn"], read["mc"]) == (["pay_1"], ["Payment pay_1"], ["0000"])
    assert read["am"] == [f"{amount // 100}.{amount % 100:02d}"]
    assert read["cu"] == ["INR"]


def test_a_currency_without_cents_has_none() -> None:
    assert "am=6540&cu=JPY" in upi.pay_link(context(currency="JPY"))


def test_a_long_reference_is_cut_as_the_scheme_has_it() -> None:
    assert f"&tr={'p' * 35}&tn=" in upi.pay_link(context(payment_id="p" * 64))
