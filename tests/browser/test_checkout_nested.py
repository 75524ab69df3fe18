"""A misspelled name inside an option, of an event, or of a confirmation's option is said once in the console."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import ConsoleMessage

from tests.architecture.sources import ROOT
from tests.browser.till import EVENTS, Till
from tests.counts import SOAK
from tests.scenario.misspelling import misspelled

REFERENCE: Final = (ROOT / "docs/reference/checkout.md").read_text("utf-8")
VARIABLES: Final = re.findall(r"`(\w+)`", REFERENCE.split("\nVariables: ")[1].split(" Rules apply")[0])
TOLD: Final = re.findall(r"`(\w+)`(?=[^|]* \| )", REFERENCE.split("\n## Events\n")[1].split("\nThere are")[0])
RULES: Final = REFERENCE.split(" Rules apply\n")[1].split(", optionally")[0]
RIGHT: Final[dict[str, dict[str, Any]]] = {
    "group": {
        "appearance": {
            "theme": "charcoal", "labels": "never", "variables": dict.fromkeys(VARIABLES, "inherit"),
            "rules": {
                **{name: {"fontWeight": "700", "line-height": 1} for name in re.findall(r"`(\.[\w-]+)`", RULES)},
                ".Input:focus-visible": {"color": "red"},
            },
        },
        "fonts": [{"family": "Globe", "src": "data:font/woff2;base64,AAAA", "weight": 700}],
    },
    "options": {
        "layout": {"type": "accordion", "defaultCollapsed": False, "maxAccordionItems": 3},
        "wallets": {
            **dict.fromkeys(("googlePay", "applePay", "payPal", "samsungPay", "klarna", "paze"), "auto"),
            "walletReturnUrl": "https://shop.test/back",
        },
        "defaultValues": {"billingDetails": {}},  # whatever a method requires
        "fields": {"billingDetails": "never"},
        "terms": {"card": "always"},
        "business": {"name": "Globe"},
        "sdkHandleConfirmPayment": {
            "handleConfirm": True, "buttonText": "Buy", "confirmParams": {"return_url": "https://shop.test/back"},
        },
    },
}  # fmt: skip
"""Each name that the reference has inside an option, with a value that it can have."""
OF: Final = {"group": "elements()", "options": "create()"}
PAYLOAD: Final = {"redirect": "if_required", "confirmParams": {"return_url": "https://shop.test/back"}}
BEGIN: Final = (
    "hyper = Hyper(given.key); elements = hyper.elements({clientSecret: given.secret}); elements.create('payment')"
)
PAYLOADS: Final = (
    ("hyper.confirmPayment(payload)", PAYLOAD, "a confirmation"),
    ("hyper.confirmOneClickPayment(payload)", PAYLOAD, "a confirmation"),
    ("saved = hyper.initPaymentSession({clientSecret: given.secret}).getCustomerSavedPaymentMethods();"
     " saved.then(saved => saved.confirmWithLastUsedPaymentMethod(payload))", PAYLOAD, "a confirmation"),
    ("hyper.initPaymentSession(payload)", {"clientSecret": "x_secret_y", "sdkAuthorization": ""},
     "initPaymentSession()"),
    ("Hyper(payload, {isForceInit: true})", {
        "publishableKey": "pk_snd_x", "customEndpoints": {"customBackendEndpoint": "https://sandbox.test"},
    }, "the keys of Hyper()"),
    ("elements.update(payload)", {"appearance": {"theme": "charcoal", "labels": "never"}}, "elements()"),
    ("elements.getElement('payment').update(payload)", RIGHT["options"], "create()"),
)  # fmt: skip
"""A call in the shop's page, what it may be given, and how the console names its options."""


def spoiled(given: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each way to misspell one name: the name's path as it is spelled then, and the whole."""
    if isinstance(given, list):
        yield from ((where, [inner]) for one in given for where, inner in spoiled(one, path))
        return
    for key, value in given.items():
        if isinstance(value, dict | list):
            yield from ((where, {**given, key: inner}) for where, inner in spoiled(value, f"{path}{key}."))
        wrong = misspelled(key)
        yield path + wrong, {wrong if name == key else name: one for name, one in given.items()}


def together(given: Any, path: str = "") -> tuple[Any, set[str]]:
    """All names without names inside misspelled at once, and their paths."""
    if isinstance(given, list):
        parts = [together(one, path) for one in given]
        return [part for part, _ in parts], set().union(*(paths for _, paths in parts))
    made, told = {}, set[str]()
    for name, value in given.items():
        if isinstance(value, dict | list):
            made[name], inner = together(value, f"{path}{name}.")
            told |= inner
        else:
            made[misspelled(name)] = value
            told.add(path + misspelled(name))
    return made, told


def cases(scope: str) -> list[tuple[set[str], Any]]:
    every, paths = together(RIGHT[scope])
    singly = [({path}, one) for path, one in spoiled(RIGHT[scope]) if "." in path] if SOAK else []
    return [(set(), RIGHT[scope]), (paths, every), *singly]


@pytest.fixture
def said(till: Till) -> Iterator[list[str]]:
    """What the console warns of."""
    texts: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "warning":
            texts.append(message.text)

    till.page.on("console", listen)
    yield texts
    till.page.remove_listener("console", listen)


@pytest.mark.parametrize(
    ("scope", "paths", "given"), [(scope, *case) for scope in RIGHT for case in cases(scope)], ids=lambda value: None
)
def test_a_misspelled_name_inside_an_option_is_said(
    till: Till, said: list[str], scope: str, paths: set[str], given: dict[str, Any]
) -> None:
    till.order()
    opening: dict[str, Any] = {scope: given}
    till.open(**opening)
    till.page.wait_for_function("() => true")
    options = [text for text in said if " of " in text]
    assert {path: sum(f'"{path}" of {OF[scope]}' in text for text in options) for path in paths} == dict.fromkeys(
        paths, 1
    )
    assert len(options) == len(paths), options
    assert till.count("cardNoInput") == 1


def test_misspelled_events_and_confirmations_are_said(till: Till, said: list[str]) -> None:
    till.order()
    till.open(events=TOLD)
    assert (len(TOLD), said) == (6, [])
    evaluate = till.page.evaluate
    for name in {*map(misspelled, TOLD), *EVENTS} - {*TOLD}:
        evaluate("name => [1, 2].forEach(() => elements.getElement('payment').on(name, () => {}))", name)
        assert [text for text in said if f'"{name}"' in text] == said[-1:], name
        assert all(told in said[-1] for told in TOLD)
    for does, right, of in PAYLOADS:
        till.open(mounts=False)
        evaluate(f"() => {{ {BEGIN} }}")
        said.clear()
        evaluate(f"payload => {{ {does} }}", right)
        assert said == []
        for path, payload in spoiled(right):
            with till.page.expect_console_message(lambda one: "has no option" in one.text):
                evaluate(f"payload => {{ {does}; {does} }}", payload)
            assert said[-1].startswith(f'The sandbox has no option "{path}" of {of}.'), path
        assert len(said) == len([*spoiled(right)])
    till.customer.alarms.clear()  # the browser's console tells of refusals
