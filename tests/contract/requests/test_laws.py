"""What holds for every schema of a request: described, documented, and with a place for everything it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow import Schema
from marshmallow.fields import Field
from msgspec import Struct

from mock_server.contract.kinds.base import Placing
from mock_server.contract.kinds.objects import Items, ObjectOf, Variant
from mock_server.contract.kinds.rules import NOW_MS as NOW
from mock_server.contract.kinds.values import Free
from mock_server.contract.requests import customers, profiles, refunds, setup
from mock_server.contract.requests.payments.body import PLACES, PaymentBody
from mock_server.contract.requests.payments.calls import CONFIRM
from mock_server.contract.requests.payments.methods import PaymentMethodData, group_schema, payload_schema
from mock_server.contract.requests.payments.parts import Address, BrowserInfo, Contact, Phone
from mock_server.contract.requests.shapes import Shape
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.commands import PaymentRequest
from mock_server.domain.customer import Customer
from mock_server.domain.merchant import Connector, MerchantAccount, Profile
from mock_server.domain.methods import PAYLOADS, PUBLIC_PAYLOADS
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.engine.payments import create
from tests.contract.requests.bodies import FULL, NOW_MS
from tests.contract.requests.test_fast import SHAPES


def words(text: str) -> list[str]:
    return text.split()


OF_INTERFACE: Final = words(
    "amount currency profile_id payment_id confirm customer_id description return_url capture_method "
    "authentication_type email payment_method payment_method_type payment_method_data setup_future_usage "
    "merchant_order_reference_id shipping billing statement_descriptor_name statement_descriptor_suffix "
    "metadata browser_info"
)  # interface §4.2
FACTS: Final = words(
    "amount_to_capture order_tax_amount shipping_cost routing connector customer off_session payment_token "
    "order_details mandate_data customer_acceptance mandate_id recurring_details payment_experience "
    "business_country business_label allowed_payment_method_types connector_metadata payment_link "
    "payment_link_config surcharge_details payment_type request_incremental_authorization session_expiry "
    "frm_metadata request_external_three_ds_authentication split_payments request_extended_authorization "
    "force_3ds_challenge is_iframe_redirection_enabled all_keys_required payment_channel tax_status "
    "discount_amount shipping_amount_tax duty_amount order_date enable_partial_authorization "
    "enable_overcapture is_stored_credential mit_category billing_descriptor tokenization installment_options "
    "installment_data"
)  # facts §2.1
BROWSER: Final = words(
    "ip_address user_agent accept_header accept_language language color_depth screen_height screen_width "
    "time_zone java_enabled java_script_enabled os_type os_version device_model referer"
)  # interface §2.3


def walk(schema: Schema, path: str = "") -> Iterator[tuple[str, Field[Any]]]:
    """Every field of a schema and of those below it."""
    for name, field in schema.load_fields.items():
        here = f"{path}.{name}"
        yield here, field
        inner = field.inner if isinstance(field, Items) else field
        if isinstance(inner, ObjectOf):
            yield from walk(inner.schema, here)
        elif isinstance(inner, Variant):
            for word in inner.variants:
                yield from walk(inner.schema_for({inner.on: word}), f"{here}[{word}]")


EVERY_FIELD: Final = [(f"{name}{path}", field) for name, shape in SHAPES.items() for path, field in walk(shape.schema)]


@pytest.mark.parametrize("what", ["description", "source"])
def test_every_field_says_what_it_is_and_where_it_comes_from(what: str) -> None:
    assert not [path for path, field in EVERY_FIELD if not field.metadata.get(what)]


def test_examples_are_good_values() -> None:
    examples = [(path, field, field.metadata["example"]) for path, field in EVERY_FIELD if "example" in field.metadata]
    assert examples
    for path, field, example in examples:
        assert field.deserialize(example) is not None, path


@pytest.mark.parametrize("name", [*OF_INTERFACE, *FACTS])
def test_every_documented_field_is_taken(name: str) -> None:
    assert name in CONFIRM.schema.load_fields


def test_what_a_body_carries_is_in_the_record_and_what_the_engine_reads_in_the_command() -> None:
    """A place that says a name nobody has would be met by the first body alone."""
    _, carried, _ = PLACES.whole(dict.fromkeys(PaymentBody().fields))
    assert set(carried) == PLACES.kept <= set(Payment.__struct_fields__)
    NOW.set(NOW_MS)
    command, _, _ = PLACES({name: CONFIRM.schema.load_fields[name].deserialize(value) for name, value in FULL.items()})
    assert set(command) <= set(PaymentRequest.__struct_fields__)
    assert not PLACES.echoed & set(PaymentRequest.__struct_fields__)


def test_what_is_only_kept_is_named_by_its_row_and_its_record_alone() -> None:
    only_kept = PLACES.kept - set(PaymentRequest.__struct_fields__)
    assert {"return_url", "payment_type", "wanted_connectors"} <= only_kept
    assert not only_kept & set(re.findall(r"\w+", inspect.getsource(create)))


def test_what_other_bodies_carry_is_in_their_records() -> None:
    bodies: dict[Shape[Any], type[Struct]] = {
        customers.CUSTOMER: Customer,
        profiles.PROFILE.of(INTERFACE): Profile,
        setup.ACCOUNT.of(INTERFACE): MerchantAccount,
        setup.CONNECTOR: Connector,
        refunds.CREATE: Refund,
    }
    for shape, record in bodies.items():
        assert Placing(shape.schema.fields.items()).kept <= set(record.__struct_fields__)


@pytest.mark.parametrize(
    ("schema", "keys"),
    [
        (Contact, ["address", "phone", "email"]),
        (Address, words("line1 line2 line3 city state zip country first_name last_name origin_zip")),
        (Phone, ["number", "country_code"]),
        (BrowserInfo, BROWSER),
    ],
)
def test_shown_objects_keep_the_documented_order(schema: type[Schema], keys: list[str]) -> None:
    assert list(schema().load({})) == keys


def test_every_payload_of_the_table_has_its_field() -> None:
    for row in (*PAYLOADS, *PUBLIC_PAYLOADS):
        if row.group == "crypto":  # its fields stand directly under the group
            continue
        field = group_schema(row.group)().load_fields[row.name]
        assert isinstance(field, ObjectOf if row.fields is not None else Free)
        if row.fields is not None:
            assert tuple(payload_schema(row)().load_fields) == row.fields
    groups = {row.group for row in (*PAYLOADS, *PUBLIC_PAYLOADS)}
    assert groups | {"card", "card_token", "billing"} == set(PaymentMethodData().load_fields)
