"""The page of dialects tells every rule of the engine that only the public server has, and tells it truly.

The engine asks one flag. Each function that does so has a row here: a line of the page's table that calls show in both
dialects, or the page that tells it otherwise, or it is about words alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.dialects import DIALECTS
from tests.api.saving import ACCEPTANCE, CUSTOMER, charge, mandate, off_session, saved
from tests.architecture.sources import ROOT
from tests.wire import Reply, Wire, wire

PAGE: Final = (ROOT / "docs/reference/dialects.md").read_text("utf-8")
TOLD: Final = {
    cells[0]: dict(zip(("interface", "hyperswitch"), cells[1:], strict=True))
    for cells in (
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in re.findall(r"^\|.*\|$", PAGE.partition("\n## Rules\n")[2].partition("\n## ")[0], re.MULTILINE)[2:]
    )
}
BARE: Final = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}
AGREED: Final = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}
Said = Reply | str
Act = Callable[[Wire], Said]


def created(**fields: Any) -> Act:
    return lambda api: api.post("/payments", {**BARE, **fields})


def setting_up(customer: str | None = CUSTOMER, **agreed: Any) -> Act:
    data = {**AGREED, **agreed}
    sent = {name: value for name, value in data.items() if value is not None}
    return created(customer_id=customer, setup_future_usage="off_session", mandate_data=sent)


def changed(api: Wire) -> Reply:
    payment_id = api.post("/payments", BARE)["payment_id"]
    return api.post(f"/payments/{payment_id}", {"profile_id": "pro_other"})


def by_profile(api: Wire) -> str:
    merchant_id = api.pay()["merchant_id"]
    api.post(f"/account/{merchant_id}/business_profile/pro_shop", {"always_enable_overcapture": True})
    return f"`{str(api.pay()['enable_overcapture']).replace('None', 'null').lower()}`"


def agreed_beside(api: Wire) -> Reply:
    method = saved(api)
    return off_session(api, "payment_method_id", method, setup_future_usage="off_session", mandate_data=AGREED)


def without_customer(api: Wire) -> Reply:
    card = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035"}
    kind = "network_transaction_id_and_card_details"
    return off_session(api, kind, {**card, "network_transaction_id": "1"}, customer_id=None)


def charged(api: Wire) -> tuple[str, Reply]:
    one = mandate(api, "single_use")
    assert charge(api, mandate_id=one, off_session=True).status == 200
    return one, charge(api, mandate_id=one, off_session=True)


def over(api: Wire) -> str:
    return f"`{api.get(f'/mandates/{charged(api)[0]}')['status']}`"


def placed(api: Wire) -> str:
    places = [{"country": "US", "business": "shop"}]
    admin = api.as_key("admin")
    account = admin.post("/accounts", {"merchant_id": "mer_placed", "primary_business_details": places})
    assert account.status == 200, account.raw
    found = admin.get("/account/mer_placed/business_profile").json
    return f"`{(found if isinstance(found, list) else found['data'])[0]['profile_name']}`"


def offered(api: Wire) -> str:
    secret = api.post("/payments", BARE)["client_secret"]
    found = api.page().get(f"/account/payment_methods?client_secret={secret}")["payment_methods"]
    return "on offer" if "crypto" in [one["payment_method"] for one in found] else "not on offer"


RULES: Final[dict[str, tuple[Act, tuple[str, ...]]]] = {
    "`payment_method` without `payment_method_data`": (
        created(payment_method="card"),
        ("payments.rules.check", "payments.create.create", "payments.create.replace"),
    ),
    "`payment_method_type` without `payment_method`": (
        created(payment_method_type="credit"),
        ("payments.rules._method",),
    ),
    "`enable_overcapture` without `capture_method: manual`": (
        created(enable_overcapture=True),
        ("payments.rules.check",),
    ),
    "`enable_overcapture` of such a payment, if its profile has `always_enable_overcapture`": (
        by_profile,
        ("payments.create._new", "payments.create._amended"),
    ),
    "another `profile_id` in an update": (changed, ("payments.create._keep_ids",)),
    "`mandate_data` without a customer": (setting_up(None), ("payments.rules._future", "payments.rules._mandate")),
    "`mandate_data` with an online acceptance without its `online`": (
        setting_up(customer_acceptance={"acceptance_type": "online"}),
        ("payments.rules._mandate",),
    ),
    "`mandate_data` without an acceptance, before the payment is confirmed": (
        setting_up(customer_acceptance=None),
        ("payments.rules._future",),
    ),
    "`mandate_data` beside `recurring_details`": (agreed_beside, ("payments.rules._recurring",)),
    "`network_transaction_id_and_card_details` without a customer": (without_customer, ("payments.rules._recurring",)),
    "a single-use mandate after its charge": (over, ("vault.mandates.use",)),
    "a second charge of a single-use mandate": (lambda api: charged(api)[1], ("vault.mandates.use",)),
    "the first profile of an account with `primary_business_details`": (placed, ("accounts.settle",)),
    "methods that only the public API has, such as `crypto`": (
        offered,
        ("vault.offers.methods_of", "vault.offers.of_profile"),
    ),
}
ELSEWHERE: Final = {
    "profiles.of_payment": "payments without `profile_id` belong to",
    "profiles.create": "Creating a second one clears",
    "profiles.delete": "all but one are deleted",
}
"""What the guide to the public API tells, in the chapter about profiles."""
WORDS: Final = frozenset(
    f"{place}.{name}"
    for place, names in {
        "payments.rules": ("check_data", "wrong_type"),
        "payments.charge": ("ask_issuer", "require_method"),
        "vault.methods": ("_check_type", "changes"),
    }.items()
    for name in names
)
"""Only names differ there."""


def asking() -> set[str]:
    """The functions of the engine that ask whether the public server's rules apply."""
    engine = ROOT / "mock_server" / "engine"
    found = set()
    for path in engine.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                named = [getattr(one, "attr", None) or getattr(one, "id", None) for one in ast.walk(function)]
                if "public" in named:
                    place = path.relative_to(engine).with_suffix("").as_posix().replace("/", ".")
                    found.add(f"{place}.{function.name}")
    return found


def test_every_rule_of_the_public_server_is_told() -> None:
    told = {where for _, places in RULES.values() for where in places} | ELSEWHERE.keys() | WORDS
    assert asking() == told


def test_the_guide_tells_what_the_page_does_not() -> None:
    guide = " ".join((ROOT / "docs/how-to/speak-the-public-api.md").read_text("utf-8").split())
    assert [sentence for sentence in ELSEWHERE.values() if sentence not in guide] == []


def test_the_page_has_these_rows_and_no_others() -> None:
    assert TOLD.keys() == RULES.keys()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_as_the_page_says(rule: str, dialect: str) -> None:
    said = RULES[rule][0](wire(dialect=DIALECTS[dialect]()))
    if isinstance(said, Reply):
        said = "taken" if said.status == 200 else f"refused with `{said.error['code']}`"
    assert TOLD[rule][dialect].startswith(said)
