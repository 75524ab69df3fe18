"""Every page that waits for its customer, and the payment that leads there: from the tables of cards and methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mock_server.domain.methods import METHODS, PAYLOADS, Flow
from mock_server.pages.links import CHALLENGE, MAIN, MORE
from tests.browser.merchant import card, method


class Case(NamedTuple):
    """One page: the body of the payment that it is shown for, and what its customer fills in before approving."""

    name: str
    kind: str
    body: Mapping[str, Any]
    asks: str | None = None

    @property
    def endings(self) -> tuple[str, ...]:
        """The words of its buttons, which are those of the API twin."""
        return tuple(str(button.result) for button in (*MAIN[self.kind], *MORE))


CARDS: Final = (
    Case("challenge", CHALLENGE, card("visa_3ds_required")),
    Case("one_time_code", CHALLENGE, card("visa_3ds_one_time_code"), "code"),
    Case("captcha", CHALLENGE, card("visa_captcha"), "human"),
)
_DATA: Final[Mapping[str, Mapping[str, Any]]] = {"upi_collect": {"vpa_id": "success@upi"}}


def _data(category: str, name: str) -> Mapping[str, Any]:
    return _DATA.get(name, {"token": "any"} if category == "wallet" and not name.endswith("redirect") else {})


_PERSON_DECIDES: Final = {"metadata": {"sandbox_outcome": "requires_action"}}
"""Each UPI address has its own end; so that a person is asked, the outcome is chosen here."""


def _of_methods() -> tuple[Case, ...]:
    """A page for each method that has one of its own."""
    return tuple(
        Case(row.type, row.flow, {**_body(row.category, row.type), **(_PERSON_DECIDES if row.flow in FIXED else {})})
        for row in METHODS
        if row.flow is not Flow.CHARGE
    )


FIXED: Final = frozenset({Flow.WAIT_SCREEN})


def _body(category: str, type: str) -> Mapping[str, Any]:
    return method(category, type, type, _data(category, type))


def _of_payloads() -> tuple[Case, ...]:
    """A page for each other name of a method's data that leads to a hosted page instead of the method's own way."""
    own = {row.type for row in METHODS if row.flow is Flow.REDIRECT}
    rows = (row for row in PAYLOADS if row.flow is Flow.REDIRECT and row.type not in own)
    return tuple(
        Case(row.name, row.flow, method(row.category, row.type, row.name, _data(row.category, row.name)))
        for row in rows
    )


CASES: Final = (*CARDS, *_of_methods(), *_of_payloads())
BY_NAME: Final = {case.name: case for case in CASES}
ONE_OF_EACH: Final = tuple(
    BY_NAME[name]
    for name in (
        "challenge", "one_time_code", "captcha", "paypal", "ideal", "pix", "ali_pay", "boleto", "multibanco", "ach",
        "sepa", "bacs", "upi_collect", "upi_intent",
    )
)  # fmt: skip
"""The pages that look different from one another."""
FORMS: Final = tuple(
    BY_NAME[name]
    for name in ("challenge", "one_time_code", "captcha", "ideal", "pix", "boleto", "sepa", "upi_collect", "upi_intent")
)
"""The pages whose forms differ from one another."""
