"""What the public checkout script does in a shop's page: its version of July 2026 was seen to do it, row by row.

A row is an expression in the shop's page, and its value as JSON; `attempt` tells of a thrown error by its name, and
`waits` of a promise that is not settled. Rows of one situation run one after the other on one page. Texts of errors are
part of a row only where shops compare them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

HELPERS: Final = """
window.attempt = async does => {
  try { return (await does()) ?? null } catch (error) { return error.name }
};
window.waits = promise => Promise.race([promise, new Promise(resolve => setTimeout(() => resolve("waits"), 300))]);
window.told = result => result === "waits" ? result : result.error ?? result.status;
window.pay = (more = {confirmParams: {return_url: given.back}}) => hyper.confirmPayment({elements, ...more}).then(told);
"""
ELEMENT: Final = [
    "blur",
    "clear",
    "collapse",
    "destroy",
    "focus",
    "mount",
    "on",
    "onSDKHandleClick",
    "unmount",
    "update",
]
GROUP: Final = ["create", "fetchUpdates", "getElement", "update", "updateIntent"]
HYPER: Final = [
    "completeUpdateIntent", "confirmCardPayment", "confirmOneClickPayment", "confirmPayment", "confirmTokenization",
    "elements", "initAuthenticationSession", "initPaymentSession", "initiateUpdateIntent",
    "paymentMethodsManagementElements", "paymentRequest", "retrievePaymentIntent", "widgets",
]  # fmt: skip
ILL: Final = {"type": "validation_error", "message": "Please enter valid details"}
EMPTY: Final = {"type": "validation_error", "message": "Please enter all fields"}
WENT_WRONG: Final = {"type": "error", "message": "Something went wrong"}
CHANGE: Final = {"elementType": "payment", "value": {"type": "card"}}


class Row(NamedTuple):
    """What is looked at, and what it is with the public script."""

    name: str
    expression: str
    value: Any


class Situation(NamedTuple):
    """A page with elements (none: the script alone), and what was typed into the card's fields."""

    rows: tuple[Row, ...]
    kinds: tuple[str, ...] = ()
    typed: Mapping[str, str] = {}
    order: Mapping[str, Any] = {}
    pays: str = "requires_payment_method"
    """The payment's status afterwards."""


def card(number: str = "4242424242424242", expiry: str = "12/34", cvc: str = "123") -> dict[str, str]:
    return {"cardNoInput": number, "expiryInput": expiry, "cvvInput": cvc}


def paying(value: Any, pays: str = "requires_payment_method", more: str = "", **typed: str) -> Situation:
    """A confirmation with this card, and what the shop is told."""
    return Situation((Row("result", f"pay({more})", value),), ("payment",), card(**typed), pays=pays)


SITUATIONS: Final[Mapping[str, Situation]] = {
    "the page": Situation((
        Row("globals", "[typeof Hyper, Hyper.init === Hyper, typeof Stripe, typeof removeBeforeUnloadEventListeners]",
            ["function", True, "undefined", "function"]),
        Row("methods", "Object.keys(window.hyper = Hyper(given.key)).sort()", HYPER),
        Row("one object for a page", "[Hyper('pk_snd_another') === hyper, HyperMethod === hyper]", [True, True]),
        Row("another object", "Hyper(given.key, {isForceInit: true}) === hyper", False),
        Row("tokenization", "hyper.confirmTokenization === hyper.confirmPayment", True),
        Row("a group without a secret", "hyper.elements({}).create('payment').mount('#here') ?? document.querySelector('#here').innerHTML", ""),
        Row("a secret of another form", "hyper.elements({clientSecret: 'foo'}).getElement('payment') ?? null", None),
        Row("a group", "Object.keys(window.elements = hyper.elements({clientSecret: given.secret})).sort()", GROUP),
        Row("an element", "Object.keys(window.one = elements.create('payment')).sort()", ELEMENT),
        Row("the last of a kind", "[elements.getElement('payment') === one, elements.create('payment') === one, elements.getElement('payment') === one]",
            [True, False, False]),
        Row("an element that was not created", "typeof elements.getElement('card')", "undefined"),
        Row("an unknown kind", "Object.keys(elements.create('bogus')).length", 10),
        Row("no kind", "attempt(() => elements.create(''))", "Error"),
        Row("taken off before it was shown", "attempt(() => one.unmount())", "SyntaxError"),
        Row("destroyed before it was shown", "attempt(() => one.destroy())", "SyntaxError"),
        Row("a place that is not there", "attempt(() => one.mount('#nowhere'))", None),
        Row("taken off a place that is not there", "attempt(() => one.unmount())", None),
        Row("a node", "attempt(() => one.mount(document.querySelector('#here')))", "TypeError"),
        Row("a listener", "[typeof one.on('ready', () => {}), typeof one.on('bogus', () => {}), typeof one.on('ready')]", ["undefined"] * 3),
        Row("updates", "elements.fetchUpdates()", {}),
        Row("confirmed with nothing on the page", "waits(pay())", "waits"),
        Row("a wallet that nobody clicked", "waits(hyper.confirmOneClickPayment({}, true))", "waits"),
        Row("a card with nothing on the page", "waits(hyper.confirmCardPayment(given.secret, {}))", "waits"),
        Row("a payment", "hyper.retrievePaymentIntent(given.secret).then(r => [Object.keys(r), r.paymentIntent.status])",
            [["paymentIntent"], "requires_payment_method"]),
        Row("a payment that is not there", "hyper.retrievePaymentIntent('pay_x_secret_y')", None),
        Row("no payment", "hyper.retrievePaymentIntent()", None),
        Row("a payment request", "attempt(() => hyper.paymentRequest({currency: 'EUR', total: {label: 'Seats', amount: 65}}))", "TypeError"),
        Row("an update begins", "hyper.initiateUpdateIntent()", {"updateInitiated": True}),
        Row("an update ends", "hyper.completeUpdateIntent(given.secret)", {"updateCompleted": True}),
        Row("a session", "Object.keys(window.session = hyper.initPaymentSession({clientSecret: given.secret}))",
            ["getCustomerSavedPaymentMethods", "updateIntent"]),
        Row("no saved methods", "session.getCustomerSavedPaymentMethods().then(s => s.getCustomerDefaultSavedPaymentMethodData())",
            {"error": {"type": "no_data", "message": "There is no default saved payment method data for this customer."}}),
        Row("none to pay with", "session.getCustomerSavedPaymentMethods().then(s => s.confirmWithLastUsedPaymentMethod({}))",
            {"error": {"type": "no_data", "message": "No recent payments found for this customer."}}),
        Row("an authentication session", "Object.keys(window.click = hyper.initAuthenticationSession({}))",
            ["initClickToPaySession", "getActiveClickToPaySession"]),
        Row("click to pay", "click.initClickToPaySession({}).then(r => r.error.type)", "ERROR"),
        Row("management", "Object.keys(hyper.paymentMethodsManagementElements({})).sort()", GROUP),
    )),
    "the form": Situation((
        Row("wrapper", "[...document.querySelectorAll('#here > div, #here > div > *')].map(e => [e.tagName, e.id])",
            [["DIV", "orca-element-here"], ["DIV", "orca-fullscreen-iframeRef-here"], ["IFRAME", "orca-payment-element-iframeRef-here"]]),
        Row("classes", "document.querySelector('#orca-element-here').className.trim()", "payment base"),
        Row("frame", "(({title, name, allow, sandbox}) => [title, name, allow, sandbox.value.split(' ').sort()])(document.querySelector('iframe[name$=-here]'))",
            ["Orca Payment Element Frame", "orca-payment-element-iframeRef-here", "payment *",
             ["allow-forms", "allow-popups", "allow-same-origin", "allow-scripts"]]),
        Row("ready comes first", "events[0]", ["payment", "ready", {"ready": True}]),
        Row("an empty card", "events.find(e => e[1] === 'change' && e[2].value.type === 'card')[2]", {**CHANGE, "complete": False, "empty": True}),
        Row("paid while empty", "pay()", EMPTY),
        Row("collapsed", "attempt(() => elements.getElement('payment').collapse())", None),
        Row("an update that fails", "elements.updateIntent(async () => { throw new Error('no') })",
            {"error": {"type": "update_intent_error", "message": "no"}}),
        Row("an update in an update, and a payment", "(async () => { const one = elements.updateIntent(async () => ({sdkAuthorization: given.sdk})),"
            " two = await elements.updateIntent(async () => ({})), three = await hyper.confirmPayment({});"
            " return [two.error, three.error, await one] })()",
            [{"type": "update_intent_error", "message": "An updateIntent operation is already in progress."},
             {"type": "update_intent_error", "message": "Cannot confirm payment while updateIntent is in progress."},
             {"status": "succeeded"}]),
        Row("destroyed", "[elements.getElement('payment').destroy() ?? null, document.querySelector('#here').innerHTML, typeof elements.getElement('payment')]",
            [None, "", "object"]),
        Row("destroyed twice", "attempt(() => elements.getElement('payment').destroy())", "SyntaxError"),
        Row("no other events", "events.filter(e => !['ready', 'change', 'focus', 'blur', 'clickTriggered'].includes(e[1]))", []),
    ), ("payment",)),
    "a card": Situation((
        Row("its last change", "events.filter(e => e[1] === 'change').at(-1)[2]", {**CHANGE, "complete": True, "empty": False}),
        Row("focus", "events.find(e => e[1] === 'focus')[2]", {"focus": True}),
        Row("blur", "events.find(e => e[1] === 'blur')[2]", {"blur": True}),
        Row("result", "pay()", "succeeded"),
        Row("no event of a confirmation", "events.filter(e => /Triggered|DoThis/.test(e[1]))", []),
    ), ("payment",), card(), pays="succeeded"),
    "a part of a card": Situation((
        Row("changes", "events.filter(e => e[1] === 'change' && e[2].complete && e[2].value.type === 'card')", []),
        Row("still empty", "events.filter(e => e[1] === 'change' && e[2].value.type === 'card').at(-1)[2].empty", True),
    ), ("payment",), {"cardNoInput": "4242424242424242"}),
    "cleared": Situation((
        Row("change", "(elements.getElement('payment').clear(), new Promise(done => setTimeout(() => done(events.filter(e => e[1] === 'change').at(-1)[2]), 300)))",
            {**CHANGE, "complete": False, "empty": True}),
    ), ("payment",), card()),
    "a decline": paying("failed", "failed", number="4000000000000002"),
    "no return address": paying(WENT_WRONG, more="{}"),
    "no return address, always": paying(WENT_WRONG, more="{redirect: 'always'}"),
    "the payment's own return address": paying(WENT_WRONG, more="{confirmParams: {}}")._replace(
        order={"return_url": "https://shop.example.test/back"}),
    "a relative return address": paying(WENT_WRONG, more="{confirmParams: {return_url: '/back'}}"),
    "a number with a mistake": paying(ILL, number="4242424242424241"),
    "a code that is too short": paying(ILL, cvc="12"),
    "three digits for American Express": paying(ILL, number="378282246310005"),
    "four digits for American Express": paying("succeeded", "succeeded", number="378282246310005", cvc="1234"),
    "four digits for Visa, of which one is not taken": paying("succeeded", "succeeded", cvc="1234"),
    "a year that is over": paying(ILL, expiry="12/20"),
    "a month that is none": paying(ILL, expiry="13/34"),
    "a card of its own": Situation((
        Row("never ready", "events.filter(e => ['ready', 'change'].includes(e[1]))", []),
        Row("confirmed", "waits(pay())", "waits"),
        Row("confirmed as a card", "hyper.confirmCardPayment(given.secret, {return_url: given.back}).then(told)", WENT_WRONG),
    ), ("card",), card()),
    "parts": Situation((
        Row("ready", "events.filter(e => e[1] === 'ready').map(e => e[0])", ["cardCvc"]),
        Row("confirmed", "pay()", EMPTY),
    ), ("cardNumber", "cardExpiry", "cardCvc")),
    "a card for a confirmation of cards": Situation((
        Row("result", "hyper.confirmCardPayment(given.secret, {return_url: given.back}).then(told)", WENT_WRONG),
    ), ("payment",), card()),
    "wallets alone": Situation((
        Row("never ready", "events.filter(e => e[1] === 'ready')", []),
    ), ("expressCheckout",)),
    "two confirmations": Situation((
        Row("the second gets whichever answer comes first",
            "(async () => { const one = pay(), two = pay(), first = (await two).type ?? 'succeeded';"
            " return [['succeeded', 'invalid_request'].includes(first), await waits(one)] })()", [True, "waits"]),
    ), ("payment",), card(), pays="succeeded"),
}  # fmt: skip
INPUTS: Final = {
    "cardNoInput": ["Type to fill Card Number input", "cc-number", "23", "cardNoInput", "1234 1234 1234 1234", "tel"],
    "expiryInput": ["Type to fill Expiry input", "cc-exp", "7", "expiryInput", "MM / YY", "tel"],
    "cvvInput": ["Type to fill CVC input", "cc-csc", "4", "cvvInput", "123", "tel"],
}
"""The card's inputs by test id: label, autocomplete, longest value, name, placeholder, type."""
