"""One probe for each row of the reference of the stand-in: what is mounted, and what must then hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class Probe(NamedTuple):
    """What is mounted with which options, and what must then hold: in the shop's page, or in the form."""

    page: str = "() => true"
    form: str = "() => true"
    kinds: tuple[str, ...] = ("payment",)
    options: Mapping[str, Any] = {}
    group: Mapping[str, Any] = {}
    hyper: Mapping[str, Any] = {}


_ELEMENT: Final = "elements.getElement('payment')"
_FILLED: Final = {"billingDetails": {"email": "ada@example.test", "address": {"country": "NL"}}}
_SAVED: Final = "hyper.initPaymentSession({clientSecret: given.secret}).getCustomerSavedPaymentMethods()"
_NO_DATA: Final = "r.error.type === 'no_data'"
_RACE: Final = "Promise.race([new Promise(done => setTimeout(() => done(1), 300)), "
_COUNT: Final = "document.querySelectorAll"
_ALL: Final = f"{_COUNT}('.Tab').length > 10"
_SHOWN: Final = "document.body.innerText.includes"
_EXPRESS: Final = ("googlePay", "applePay", "payPal", "samsungPay", "klarna")


def gives(expression: str, holds: str, **more: Any) -> Probe:
    """What an expression in the shop's page gives, `r`, and what must hold of it."""
    return Probe(f"async () => {{ const r = await ({expression}); return {holds} }}", **more)


def shows(holds: str, **more: Any) -> Probe:
    """What must hold in the form's own page."""
    return Probe(form=f"() => {holds}", **more)


def button(kind: str, many: int = 1) -> Probe:
    return shows(f"{_COUNT}('button').length === {many}", kinds=(kind,))


PROBES: Final[dict[str, Probe]] = {
    "Globals: Hyper": gives("Hyper({publishableKey: given.key})", "typeof r.confirmPayment === 'function'"),
    "Globals: Hyper.init": gives("Hyper.init", "r === Hyper"),
    "Globals: HyperMethod": gives("HyperMethod", "r === hyper && r === Hyper('pk_snd_another')"),
    "Globals: removeBeforeUnloadEventListeners": gives("removeBeforeUnloadEventListeners([])", "r === undefined"),
    "Methods of `Hyper()`: elements": gives("hyper.elements({})", "typeof r.create === 'function'"),
    "Methods of `Hyper()`: widgets": gives("hyper.widgets", "r === hyper.elements"),
    "Methods of `Hyper()`: paymentMethodsManagementElements": gives(
        "hyper.paymentMethodsManagementElements({}).create('paymentMethodsManagement')", "typeof r.mount === 'function'"
    ),
    "Methods of `Hyper()`: confirmPayment": gives("hyper.confirmPayment({})", "r.error.type === 'validation_error'"),
    "Methods of `Hyper()`: confirmOneClickPayment": gives(
        f"{_RACE}hyper.confirmOneClickPayment({{}}, true)])", "r === 1"
    ),
    "Methods of `Hyper()`: confirmCardPayment": gives(
        "hyper.confirmCardPayment(given.secret, {})", "r.error.type === 'validation_error'"
    ),
    "Methods of `Hyper()`: confirmTokenization": gives("hyper.confirmTokenization", "r === hyper.confirmPayment"),
    "Methods of `Hyper()`: retrievePaymentIntent": gives(
        "hyper.retrievePaymentIntent(given.secret)", "r.paymentIntent.status === 'requires_payment_method'"
    ),
    "Methods of `Hyper()`: paymentRequest": Probe(
        "() => { try { hyper.paymentRequest({}) } catch (e) { return e instanceof TypeError } }"
    ),
    "Methods of `Hyper()`: initPaymentSession": gives(_SAVED, "Object.keys(r).length === 4"),
    "Methods of `Hyper()`: initAuthenticationSession": gives(
        "hyper.initAuthenticationSession({}).initClickToPaySession()", "r.error.type === 'ERROR'"
    ),
    "Methods of `Hyper()`: initiateUpdateIntent": gives("hyper.initiateUpdateIntent()", "r.updateInitiated"),
    "Methods of `Hyper()`: completeUpdateIntent": gives(
        "hyper.completeUpdateIntent(given.secret)", "r.updateCompleted"
    ),
    **{
        f"Methods of `getCustomerSavedPaymentMethods()`: {name}": gives(f"(await {_SAVED}).{name}()", _NO_DATA)
        for name in (
            "getCustomerDefaultSavedPaymentMethodData",
            "getCustomerLastUsedPaymentMethodData",
            "confirmWithCustomerDefaultPaymentMethod",
            "confirmWithLastUsedPaymentMethod",
        )
    },
    "Methods of a group: create": Probe(
        "() => { try { elements.create('') } catch (e) { return e.message.includes('kind') } }"
    ),
    "Methods of a group: getElement": gives("elements.getElement('card')", f"r === undefined && {_ELEMENT}"),
    "Methods of a group: update": Probe(
        "() => { elements.update({locale: 'fr'}); return true }",
        f"() => document.documentElement.lang === 'fr' && {_SHOWN}('Numéro de carte')",
    ),
    "Methods of a group: updateIntent": gives("elements.updateIntent(async () => ({}))", "r.status === 'succeeded'"),
    "Methods of a group: fetchUpdates": gives("elements.fetchUpdates()", "Object.keys(r).length === 0"),
    "Kinds of elements: payment": shows(f"{_COUNT}('.Tab').length > 10 && {_COUNT}('.Wallets button').length === 4"),
    "Kinds of elements: card": shows(f"{_COUNT}('.Field').length === 3 && !{_COUNT}('.Tab').length", kinds=("card",)),
    **{
        f"Kinds of elements: {kind}": shows(f"{_COUNT}('input').length === 1", kinds=(kind,))
        for kind in ("cardNumber", "cardExpiry", "cardCvc")
    },
    "Kinds of elements: expressCheckout": button("expressCheckout", 4),
    **{f"Kinds of elements: {kind}": button(kind) for kind in _EXPRESS},
    "Kinds of elements: paze": button("paze", 0),
    "Kinds of elements: paymentMethodsManagement": shows(
        f"{_SHOWN}('No payment methods are saved.')", kinds=("paymentMethodsManagement",)
    ),
    "Methods of an element: mount": Probe(
        "() => { try { " + _ELEMENT + ".mount(document.body) } catch (e) { return e instanceof TypeError } }"
    ),
    "Methods of an element: unmount": Probe(f"() => {{ {_ELEMENT}.unmount(); return !{_COUNT}('iframe').length }}", ""),
    "Methods of an element: destroy": Probe(f"() => {{ {_ELEMENT}.destroy(); return !{_COUNT}('iframe').length }}", ""),
    "Methods of an element: update": Probe(
        f"() => {{ {_ELEMENT}.update({{layout: 'accordion'}}); return true }}",
        f"() => {_COUNT}('.accordion').length === 1",
    ),
    "Methods of an element: focus": Probe(
        f"() => {{ {_ELEMENT}.focus(); return true }}",
        "() => document.activeElement.matches('[data-testid=cardNoInput]')",
    ),
    "Methods of an element: blur": Probe(
        f"() => {{ {_ELEMENT}.focus(); {_ELEMENT}.blur(); return true }}",
        "() => document.activeElement === document.body",
    ),
    "Methods of an element: clear": Probe(
        f"() => {{ {_ELEMENT}.clear(); return true }}",
        "() => document.querySelector('[name=cardNoInput]').value === ''",
    ),
    "Methods of an element: collapse": Probe(
        f"() => {{ {_ELEMENT}.collapse(); return true }}", f"() => {_COUNT}('input:checked').length === 1"
    ),
    "Options of a group: clientSecret": shows(_ALL),
    "Options of a group: ephemeralKey": shows(
        "document.querySelector('[role=alert]').textContent.length > 20",
        kinds=("paymentMethodsManagement",),
        group={"ephemeralKey": "epk_of_nobody"},
    ),
    "Options of a group: appearance": shows(
        "getComputedStyle(document.querySelector('.Tab--selected')).color === 'rgb(255, 0, 0)'"
        " && getComputedStyle(document.querySelector('.Input')).fontWeight === '700'",
        group={
            "appearance": {
                "variables": {"colorPrimary": "#ff0000"},
                "rules": {".Input": {"fontWeight": "700"}, "body": {"display": "none"}},
            }
        },
    ),
    "Options of a group: locale": shows(f"{_SHOWN}('Kartennummer')", group={"locale": "de-AT"}),
    "Options of a group: fonts": shows(
        "[...document.fonts].map(one => `${one.family} ${one.weight}`).join() === 'Globe 700,Plain normal'",
        group={
            "fonts": [
                {"family": "Globe", "src": "data:font/woff2;base64,AAAA", "weight": "700"},
                {"family": "Plain", "src": "url(data:font/woff2;base64,AAAA)"},
                {"cssSrc": "http://127.0.0.1:9/font.css"},
            ]
        },
    ),
    "Options of a group: loader": shows(
        """(() => {
      const main = document.getElementById('form');
      const display = () => getComputedStyle(main, '::before').display;
      main.setAttribute('aria-busy', 'true');
      const never = display();
      delete document.documentElement.dataset.loader;
      return never === 'none' && display() !== 'none';
    })()""",
        group={"loader": "never"},
    ),
    "Options of an element: layout": shows(
        f"{_COUNT}('input:checked').length === 0", options={"layout": {"type": "tabs", "defaultCollapsed": True}}
    ),
    "Options of an element: wallets": shows(
        f"{_COUNT}('.Wallets button').length === 3", options={"wallets": {"googlePay": "never"}}
    ),
    "Options of an element: defaultValues": shows(
        "document.querySelector('[name=email]').value === 'ada@example.test'",
        options={"defaultValues": _FILLED, "paymentMethodOrder": ["klarna"]},
    ),
    "Options of an element: fields": shows(
        f"{_COUNT}('[name=email]').length === 0",
        options={"defaultValues": _FILLED, "fields": {"billingDetails": "never"}, "paymentMethodOrder": ["klarna"]},
    ),
    "Options of an element: paymentMethodOrder": shows(
        "document.querySelector('.Tab').innerText === 'iDEAL'", options={"paymentMethodOrder": ["ideal", "card"]}
    ),
    "Options of an element: hiddenPaymentMethods": shows(
        f"{_COUNT}('[data-testid=method-ideal]').length === 0", options={"hiddenPaymentMethods": ["ideal"]}
    ),
    "Options of an element: displaySavedPaymentMethodsCheckbox": shows(
        f"{_COUNT}('#save').length === 0", options={"displaySavedPaymentMethodsCheckbox": False}
    ),
    "Options of an element: readOnly": shows(
        f"{_COUNT}('input:enabled, button:enabled').length === 0", options={"readOnly": True}
    ),
    "Options of an element: terms": shows(f"{_SHOWN}('future payments')", options={"terms": {"card": "always"}}),
    "Options of an element: business": shows(
        f"{_SHOWN}('Globe Theatre')", options={"terms": {"card": "always"}, "business": {"name": "Globe Theatre"}}
    ),
    "Options of an element: sdkHandleConfirmPayment": shows(
        "document.querySelector('[data-testid=pay]').innerText === 'Buy'",
        options={"sdkHandleConfirmPayment": {"handleConfirm": True, "buttonText": "Buy"}},
    ),
    "Options of an element: testCards": shows(f"{_COUNT}('details').length === 0", options={"testCards": False}),
    **{
        f"Events: {name}": gives(f"events.find(e => e[1] === '{name}')", holds)
        for name, holds in {"ready": "r[2].ready === true", "change": "r[2].empty === true"}.items()
    },
}
CHANGES: Final = (
    "Methods of an element: ",
    "Methods of a group: update",
    "initiateUpdateIntent",
    "completeUpdateIntent",
)
AT_REST: Final = {
    name
    for name, probe in PROBES.items()
    if probe == Probe(probe.page, probe.form) and not any(part in name for part in CHANGES)
}
"""Rows that a form without options shows, and that leave it as it was."""
