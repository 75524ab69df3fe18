"""How each error of a route's own is raised: by its cause's row, or by a row here where that calls another route."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from mock_server.contract.operations import BY_NAME
from mock_server.domain.errors import Cause as C
from mock_server.domain.statuses import PaymentStatus as Status
from tests.api.money_places import fine, send
from tests.api.places import PLACES
from tests.api.saving import CUSTOMER, charge, mandate
from tests.causes import requests, rules, states
from tests.causes.by_calls import BY_CALLS
from tests.causes.public import PUBLIC
from tests.causes.raising import ADMIN, BARE, Raise, by_client, payment
from tests.clocks import ManualClock
from tests.routes.good import BIN, CARD, GOOD, Good, as_client, caller, connector, merchant
from tests.wire import Reply, Wire, card_data

BY_CAUSE: Final = dict(BY_CALLS)
ROW: Final = BY_NAME

TOGETHER: Final[Mapping[C, Mapping[str, Any]]] = {
    C.METHOD_MISMATCH: {**CARD, "payment_method_type": "ideal"},
    C.DATA_MISMATCH: {**CARD, "payment_method": "wallet", "payment_method_type": "paypal"},
    C.FEATURE_NOT_OFFERED: {"capture_method": "scheduled"},
    C.AMOUNT_TOO_LARGE: {"amount": 999_999_999, "shipping_cost": 1},
    C.AMOUNT_TO_CAPTURE_OVER_AMOUNT: {"amount": 1, "amount_to_capture": 2},
    C.AMOUNT_TO_CAPTURE_NOT_AMOUNT: {"amount": 2, "amount_to_capture": 1},
    C.CUSTOMER_CONFLICT: {"customer_id": "cus_a", "customer": {"id": "cus_b"}},
    C.CUSTOMER_REDACTED: {"customer_id": CUSTOMER},
    C.MANDATE_DATA_NEEDS_OFF_SESSION: {"mandate_data": {"mandate_type": {"multi_use": None}}},
    C.MANDATE_DATES_REVERSED: {"mandate_data": {"mandate_type": {"single_use": rules.BACKWARDS}}},
    C.MANDATE_METHOD_UNSUPPORTED: rules.MANDATE_BY_CODE,
    C.LINK_AND_CONFIRM: {**CARD, "confirm": True, "payment_link": True},
    C.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER: {**CARD, "setup_future_usage": "off_session"},
    C.METHOD_MISSING_AT_CONFIRM: {"payment_method": None},
    C.METHOD_DATA_MISSING: {"payment_method": "card"},
    C.RETURN_URL_MISSING: {
        "payment_method": "bank_redirect",
        "payment_method_type": "ideal",
        "payment_method_data": {"bank_redirect": {"ideal": {}}},
    },
    C.WALLET_NOT_CONFIGURED: {
        "payment_method": "wallet",
        "payment_method_type": "apple_pay",
        "payment_method_data": {"wallet": {"apple_pay": {"payment_data": "x"}}},
    },
    C.BLOCKED: CARD,
}
"""Fields that are wrong together, whichever call sends them."""


def deleted_customer(api: Wire) -> None:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    fine(api.delete(f"/customers/{CUSTOMER}"))


def no_wallets(api: Wire) -> None:
    fine(api.post(f"/account/{merchant(api)}/business_profile/pro_shop", {"wallet_identities": []}))


def blocked_card(api: Wire) -> None:
    fine(api.post("/blocklist", BIN))
    fine(api.post("/blocklist/toggle?status=true"))


BEFORE: Final[Mapping[C, Callable[[Wire], None]]] = {
    C.CUSTOMER_REDACTED: deleted_customer,
    C.WALLET_NOT_CONFIGURED: no_wallets,
    C.BLOCKED: blocked_card,
}


def together(operation: str, cause: C) -> Raise:
    """Fields that are wrong together, in a change of a payment."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        if cause in BEFORE:
            BEFORE[cause](api)
        made = Good({"payment_id": PLACES[Status.REQUIRES_PAYMENT_METHOD](api)}, BARE)
        if operation == "payments.confirm":
            made.body = {} if "payment_method" in TOGETHER[cause] else CARD
        return made.sent(api, ROW[operation], **TOGETHER[cause])

    return raising


def unknown(operation: str) -> Raise:
    """The last id of the path is nobody's."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        row, made = ROW[operation], GOOD[operation](api)
        made = made if made.secret is None or caller(api, row) is api else as_client(made, row)
        ids = re.findall("<([a-z_]+)>", row.path)
        nobody = Good({**made.ids, ids[-1]: "unknown_id_1"}, made.body, made.query, made.form, headers=made.headers)
        return nobody.sent(caller(api, row), row)

    return raising


def said(operation: str, **fields: Any) -> Raise:
    """A good call with other fields."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        row, made = ROW[operation], GOOD[operation](api)
        made = made if made.secret is None or caller(api, row) is api else as_client(made, row)
        return made.sent(caller(api, row), row, **fields)

    return raising


def twice(operation: str) -> Raise:
    """A good call, made again."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        row, made = ROW[operation], GOOD[operation](api)
        fine(made.sent(caller(api, row), row))
        return made.sent(caller(api, row), row)

    return raising


def in_status(operation: str, status: Status) -> Raise:
    """A call about a payment that stands where it must not."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        row = ROW[operation]
        body = GOOD[operation](api).body
        shown = fine(api.get(f"/payments/{PLACES[status](api)}"))
        made = Good({"payment_id": shown["payment_id"]}, body, secret=shown["client_secret"])
        if operation == "payments.session_tokens":
            made = Good({}, {"payment_id": shown["payment_id"]}, secret=shown["client_secret"])
        made = made if caller(api, row) is api else as_client(made, row)
        return made.sent(caller(api, row), row)

    return raising


def on_closed_dispute(operation: str) -> Raise:
    def raising(api: Wire, clock: ManualClock) -> Reply:
        row, made = ROW[operation], GOOD[operation](api)
        where = made.ids or made.form or made.body
        fine(api.post(f"/disputes/accept/{where['dispute_id']}"))
        return made.sent(api, row)

    return raising


def in_form(operation: str, **parts: Any) -> Raise:
    """A good upload with other parts; one that is None is left out."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        row, made = ROW[operation], GOOD[operation](api)
        form = {name: part for name, part in {**(made.form or {}), **parts}.items() if part is not None}
        return send(api, row.method, row.path, form)

    return raising


def typeless(operation: str) -> Raise:
    def raising(api: Wire, clock: ManualClock) -> Reply:
        row, made = ROW[operation], GOOD[operation](api)
        names = {name: part for name, part in (made.form or {}).items() if name != "file"}
        parts = [f'name="{name}"\r\n\r\n{text}' for name, text in names.items()]
        parts.append('name="file"; filename="a.pdf"\r\n\r\n%PDF')
        raw = "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--x--\r\n"
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        return api.call(row.method, row.path, raw=raw.encode(), headers=kind)

    return raising


def by_stranger(operation: str) -> Raise:
    """Another customer's ephemeral key."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        made = GOOD[operation](api)
        fine(api.post("/customers", {"customer_id": "cus_other"}))
        key = fine(api.post("/ephemeral_keys", {"customer_id": "cus_other"}))["secret"]
        return made.sent(api.as_key(key), ROW[operation])

    return raising


def redacted(operation: str) -> Raise:
    """The customer was deleted meanwhile."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        made = GOOD[operation](api)
        fine(api.delete(f"/customers/{CUSTOMER}"))
        return made.sent(api, ROW[operation])

    return raising


def profile_named_twice(operation: str) -> Raise:
    def raising(api: Wire, clock: ManualClock) -> Reply:
        made = GOOD[operation](api)
        fine(api.post(f"/account/{made.ids['merchant_id']}/business_profile", {"profile_name": "taken"}))
        return made.sent(api, ROW[operation], profile_name="taken")

    return raising


def connector_named_twice(api: Wire, clock: ManualClock) -> Reply:
    own = merchant(api)
    path = f"/account/{own}/connectors"
    fine(api.post(path, {"connector_name": "stripe_test", "connector_label": "taken"}))
    return api.post(f"{path}/{connector(api, own)}", {"connector_label": "taken"})


def reserved_default(api: Wire, clock: ManualClock) -> Reply:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    method = fine(api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "card"}))
    return api.post(f"/customers/{CUSTOMER}/payment_methods/{method['payment_method_id']}/default")


def anothers_method(api: Wire, clock: ManualClock) -> Reply:
    made = as_client(GOOD["payment_methods.save"](api), ROW["payment_methods.save"])
    return made.sent(by_client(api), ROW["payment_methods.save"], customer_id="cus_thief")


def confirmed_for_another(api: Wire, clock: ManualClock) -> Reply:
    made = payment(api)
    body = {**CARD, "client_secret": made["client_secret"], "customer_id": "cus_thief"}
    return by_client(api).post(f"/payments/{made['payment_id']}/confirm", body)


def by_profile(**constraints: Any) -> Raise:
    def raising(api: Wire, clock: ManualClock) -> Reply:
        payment(api)
        return api.post("/events/profile/list", constraints, X_Profile_Id="pro_shop")

    return raising


def of_nobodys_profile(path: str, body: Any) -> Raise:
    def raising(api: Wire, clock: ManualClock) -> Reply:
        return api.call("GET" if body is None else "POST", path, body, headers={"X-Profile-Id": "pro_nobody"})

    return raising


def eventless_account(api: Wire, clock: ManualClock) -> Reply:
    return api.as_key(ADMIN).post(f"/accounts/{merchant(api)}", _EVENTLESS)


def account_with(**said: Any) -> Raise:
    """A new merchant of whose default profile this is said."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        return api.as_key(ADMIN).post("/accounts", {"merchant_id": "mer_new", **said})

    return raising


def by_revoked(api: Wire, clock: ManualClock) -> Reply:
    """A charge by a mandate that was taken back."""
    made = mandate(api)
    fine(api.post(f"/mandates/revoke/{made}"))
    return charge(api, off_session=True, recurring_details={"type": "mandate_id", "data": made})


_TIME: Final = {"timeRange": {"startTime": "2026-01-01T00:00:00Z"}}
_EVENTLESS: Final = {"webhook_details": {"payment_statuses_enabled": ["requires_confirmation"]}}
ASKED_BEFORE: Final = ("post_session_tokens", "eligibility", "eligibility_check", "calculate_tax")
_MOVED: Final = {
    **{f"payments.{name}": Status.SUCCEEDED for name in ("session_tokens", *ASKED_BEFORE, "update", "replace")},
    "payments.confirm": Status.SUCCEEDED,
    "payments.cancel": Status.SUCCEEDED,
    "payments.cancel_post_capture": Status.FAILED,
    "payments.sync_cancel_post_capture": Status.FAILED,
    "payments.approve": Status.SUCCEEDED,
    "payments.reject": Status.SUCCEEDED,
    "payments.incremental_authorization": Status.SUCCEEDED,
    "payments.extend_authorization": Status.SUCCEEDED,
    "payments.update_metadata": Status.PENDING,
    "payments.complete_authorize": Status.SUCCEEDED,
}

OWN: Final[Mapping[tuple[str, C], Raise]] = {
    **{(name, C.STATUS_FORBIDS): in_status(name, status) for name, status in _MOVED.items()},
    **{
        (row.name, cause): together(row.name, cause)
        for row in ROW.values()
        if row.name in ("payments.update", "payments.replace", "payments.confirm")
        for cause in row.errors
        if cause in TOGETHER
    },
    **{
        (name, cause): said(name, **{field: "nobody_1"})
        for name, field, cause in (
            ("payments.sync", "payment_id", C.OBJECT_UNKNOWN),
            ("payments.session_tokens", "payment_id", C.OBJECT_UNKNOWN),
            ("refunds.sync", "refund_id", C.OBJECT_UNKNOWN),
            ("refunds.create", "payment_id", C.OBJECT_UNKNOWN),
            ("payment_methods.create", "customer_id", C.OBJECT_UNKNOWN),
            ("ephemeral_keys.create", "customer_id", C.OBJECT_UNKNOWN),
            ("disputes.submit_evidence", "dispute_id", C.DISPUTE_UNKNOWN),
            ("disputes.delete_evidence", "dispute_id", C.DISPUTE_UNKNOWN),
            ("disputes.submit_evidence", "receipt", C.FILE_UNKNOWN),
        )
    },
    **{
        (f"disputes.{name}", C.DISPUTE_STATUS_FORBIDS): on_closed_dispute(f"disputes.{name}")
        for name in ("accept", "submit_evidence", "attach_evidence", "delete_evidence")
    },
    **{
        (name, cause): in_form(name, **parts)
        for name in ("files.create", "disputes.attach_evidence")
        for cause, parts in (
            (C.FILE_MISSING, {"file": None}),
            (C.FILE_DISPUTE_MISSING, {"dispute_id": None}),
            (C.FILE_REJECTED, {"file": ("a.exe", b"MZ", "application/x-msdownload")}),
            (C.DISPUTE_UNKNOWN, {"dispute_id": "dp_nobody"}),
        )
    },
    ("payments.list", C.OBJECT_UNKNOWN): lambda api, clock: api.get("/payments/list?starting_after=pay_nobody"),
    ("payments.aggregate", C.OBJECT_UNKNOWN): lambda api, clock: api.get(
        "/payments/aggregate?starting_after=pay_nobody"
    ),
    ("refunds.list", C.OBJECT_UNKNOWN): of_nobodys_profile("/refunds/profile/list", {}),
    ("disputes.list", C.OBJECT_UNKNOWN): of_nobodys_profile("/disputes/profile/list", None),
    ("refunds.aggregate", C.OBJECT_UNKNOWN): of_nobodys_profile("/refunds/profile/aggregate", None),
    ("disputes.aggregate", C.OBJECT_UNKNOWN): of_nobodys_profile("/disputes/profile/aggregate", None),
    ("files.create", C.FILE_TYPE_MISSING): typeless("files.create"),
    ("disputes.attach_evidence", C.FILE_TYPE_MISSING): typeless("disputes.attach_evidence"),
    ("disputes.delete_evidence", C.FILE_UNKNOWN): said(
        "disputes.delete_evidence", evidence_type="invoice_showing_distinct_transactions"
    ),
    ("payments.create", C.OBJECT_UNKNOWN): lambda api, clock: charge(api, off_session=True, mandate_id="man_nobody"),
    ("payments.create", C.MANDATE_STATUS_FORBIDS): by_revoked,
    ("payments.capture", C.CAPTURE_FORBIDS): in_status("payments.capture", Status.CANCELLED),
    ("payments.update", C.CLIENT_CHANGE_FORBIDDEN): requests.customer_by_client,
    ("payments.confirm", C.CLIENT_CHANGE_FORBIDDEN): confirmed_for_another,
    ("customers.retrieve", C.EPHEMERAL_KEY_WRONG): by_stranger("customers.retrieve"),
    ("customers.payment_methods", C.EPHEMERAL_KEY_WRONG): by_stranger("customers.payment_methods"),
    **{(name, C.CUSTOMER_REDACTED): redacted(name) for name in ("customers.update", "customers.replace")},
    **{(name, C.CUSTOMER_REDACTED): redacted(name) for name in ("payment_methods.create", "ephemeral_keys.create")},
    ("customers.default_payment_method", C.CUSTOMER_REDACTED): redacted("customers.default_payment_method"),
    ("payments.capture", C.MANDATE_EXCEEDED): states.more_than_agreed("capture", amount_to_capture=12_000),
    ("payments.incremental_authorization", C.MANDATE_EXCEEDED): states.more_than_agreed(
        "incremental_authorization", amount=10_001
    ),
    ("customers.delete", C.CUSTOMER_REDACTED): twice("customers.delete"),
    ("payment_methods.create", C.METHOD_MISMATCH): said("payment_methods.create", payment_method_type="ideal"),
    ("payment_methods.create", C.DATA_MISMATCH): said(
        "payment_methods.create", payment_method="wallet", payment_method_data={"card": card_data()}
    ),
    ("customers.default_payment_method", C.METHOD_STATUS_FORBIDS): reserved_default,
    ("payment_methods.save", C.METHOD_STATUS_FORBIDS): twice("payment_methods.save"),
    ("payment_methods.save", C.CLIENT_CHANGE_FORBIDDEN): anothers_method,
    ("mandates.revoke", C.MANDATE_STATUS_FORBIDS): states.revoked_twice,
    ("profiles.update", C.PROFILE_NAME_TAKEN): profile_named_twice("profiles.update"),
    ("profiles.replace", C.PROFILE_NAME_TAKEN): profile_named_twice("profiles.replace"),
    ("profiles.create", C.STATUS_WITHOUT_EVENT): said("profiles.create", **_EVENTLESS),
    ("profiles.update", C.STATUS_WITHOUT_EVENT): said("profiles.update", **_EVENTLESS),
    ("profiles.replace", C.STATUS_WITHOUT_EVENT): said("profiles.replace", **_EVENTLESS),
    ("accounts.create", C.OBJECT_UNKNOWN): account_with(default_profile="pro_nobody"),
    ("accounts.create", C.STATUS_WITHOUT_EVENT): account_with(**_EVENTLESS),
    ("accounts.update", C.STATUS_WITHOUT_EVENT): eventless_account,
    ("connectors.update", C.CONNECTOR_EXISTS): connector_named_twice,
    ("blocklist.add", C.FEATURE_NOT_OFFERED): said("blocklist.add", type="extended_card_bin", data="42424242"),
    ("events.list_of_profile", C.EVENT_FILTERS_EXCLUSIVE): by_profile(object_id="a", event_id="b"),
    ("events.list_of_profile", C.EVENTS_TOO_OLD): by_profile(created_after=rules.LONG_AGO),
    ("events.list_of_profile", C.OBJECT_UNKNOWN): of_nobodys_profile("/events/profile/list", {}),
    ("analytics.metrics", C.OBJECT_UNKNOWN): of_nobodys_profile(
        "/analytics/v1/profile/metrics/payments", [{**_TIME, "metrics": ["payment_count"]}]
    ),
    ("analytics.filters", C.OBJECT_UNKNOWN): of_nobodys_profile("/analytics/v1/profile/filters/payments", _TIME),
    ("analytics.report", C.OBJECT_UNKNOWN): of_nobodys_profile(
        "/analytics/v1/profile/report/payments", {**_TIME, "emails": ["a@example.com"]}
    ),
    ("analytics.filters", C.NOT_COMPUTED): lambda api, clock: api.post("/analytics/v1/filters/payouts", _TIME),
    ("analytics.report", C.NOT_COMPUTED): lambda api, clock: api.post(
        "/analytics/v1/report/payouts", {**_TIME, "emails": ["a@example.com"]}
    ),
}


def _proof(operation: str, cause: C) -> Raise:
    if (operation, cause) in OWN:
        return OWN[operation, cause]
    path = ROW[operation].path
    if cause in (C.OBJECT_UNKNOWN, C.DISPUTE_UNKNOWN, C.FILE_UNKNOWN) and "_id>" in path:
        return unknown(operation)
    assert cause in BY_CAUSE, f"{operation} declares {cause.name}: a row in tests/causes/ says how it is raised"
    return BY_CAUSE[cause]


WRONG: Final = {
    (name, cause): _proof(name, cause) for name, row in ROW.items() for cause in row.errors if cause not in dict(PUBLIC)
}
"""How each declared error is raised; those of the public server's rules: tests/causes/test_every_cause.py."""
