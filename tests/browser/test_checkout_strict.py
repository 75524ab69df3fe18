"""The stand-in is as strict as the public script: what is refused there, or never answered, is so here."""

from __future__ import annotations

import base64
from typing import Any, Final

import pytest

from tests.browser.strict import HELPERS, INPUTS, SITUATIONS, Situation
from tests.browser.till import Till

KNOWN: Final = (
    'name => ["aria-label", "autocomplete", "maxlength", "name", "placeholder", "type"].map(a => name.getAttribute(a))'
)


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_shop_sees_what_the_public_script_shows_it(till: Till, name: str) -> None:
    situation = SITUATIONS[name]
    assert _seen(till, situation) == {row.name: row.value for row in situation.rows}
    assert till.status() == situation.pays
    till.customer.alarms.clear()  # the browser's console tells of refusals


def test_of_two_confirmations_at_once_the_api_refuses_one(till: Till) -> None:
    with till.page.expect_console_message(lambda said: "400" in said.text):  # it may come long after the first answer
        _seen(till, SITUATIONS["two confirmations"])
    confirms = till.merchant.get(
        f"/_sandbox/journal?payment_id={till.payment['payment_id']}&operation=payments.confirm"
    )
    assert sorted(call["status"] for call in confirms["data"]) == [200, 400]
    till.customer.alarms.clear()


def _seen(till: Till, situation: Situation) -> dict[str, Any]:
    """What a shop's own script gets in a situation."""
    till.order(**situation.order)
    if situation.kinds:
        till.open(*situation.kinds)
        for field, text in situation.typed.items():
            till.write(field, text)
        if situation.typed:
            till.find(field).blur()
    else:
        till.open("payment", mounts=False)
    secret = f"publishable_key={till.key},client_secret={till.payment['client_secret']}"
    till.page.evaluate(f"sdk => {{ given.sdk = sdk; {HELPERS} }}", base64.b64encode(secret.encode()).decode())
    return {row.name: till.page.evaluate(f"async () => await ({row.expression})") for row in situation.rows}


def test_the_cards_inputs_have_the_names_and_labels_of_the_public_script(till: Till) -> None:
    till.order()
    till.open()
    assert {name: till.find(name).evaluate(KNOWN) for name in INPUTS} == INPUTS


@pytest.mark.parametrize(("width", "tabs"), [(360, 2), (480, 3), (840, 6)])
def test_methods_for_which_there_is_no_room_are_behind_more(drawn: Till, width: int, tabs: int) -> None:
    drawn.order()
    drawn.open()
    drawn.page.evaluate("width => { document.querySelector('main').style.width = `${width}px` }", width)
    seen = drawn.form.locator(".Tabs > label:visible")
    seen.nth(tabs - 1).wait_for()
    seen.nth(tabs).wait_for(state="detached")
    more = drawn.find("paymentMethodsSelect")
    behind = more.locator("option:not([hidden])").count() - 1
    assert behind == drawn.form.locator(".Tabs > label").count() - tabs
    more.select_option("giropay")
    assert drawn.find("method-giropay").is_checked()
    assert seen.count() == tabs, "the chosen one takes the last place"
    assert seen.last.inner_text() == "giropay"
    seen.first.click()
    assert drawn.find("method-card").is_checked()
