"""Customers, created by a call or by a payment that names one; and their ephemeral keys (facts §1.4, §8)."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mock_server.domain.api_keys import ApiKey, EphemeralKey, KeyKind, rest_of, tag_of
from mock_server.domain.commands import PaymentRequest
from mock_server.domain.customer import Customer, CustomerFields, redacted
from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing, wrong_field
from mock_server.domain.limits import EPHEMERAL_KEY_MS
from mock_server.domain.paging import Query
from mock_server.domain.payment import WHO_PAYS
from mock_server.domain.statuses import MandateStatus
from mock_server.engine import listing
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CUSTOMERS, EPHEMERAL_KEYS, MANDATES, PAYMENT_METHODS
from mock_server.jsontext import canonical
from mock_server.store.transaction import Transaction


def find(tx: Transaction, customer_id: str) -> Customer:
    """The customer of that id, redacted or not. Refused as `object_unknown`."""
    return existing(tx.get(CUSTOMERS, customer_id), ObjectKind.CUSTOMER, customer_id)


def present(tx: Transaction, customer_id: str) -> Customer:
    """The customer of that id who was not deleted. Refused as `object_unknown`, `customer_redacted`."""
    known = find(tx, customer_id)
    if known.redacted:
        raise Refusal(Cause.CUSTOMER_REDACTED, customer_id=customer_id)
    return known


def permit_holder(context: CommandContext, customer_id: str | None) -> None:
    """Limits an ephemeral key to its own customer. Refused as `ephemeral_key_wrong`."""
    if context.call.holder is not None and context.call.holder != customer_id:
        raise Refusal(Cause.EPHEMERAL_KEY_WRONG)


def retrieve(tx: Transaction, context: CommandContext, customer_id: str) -> Customer:
    """The customer. Refused as `object_unknown`, `ephemeral_key_wrong`."""
    permit_holder(context, customer_id)
    return find(tx, customer_id)


def update(tx: Transaction, context: CommandContext, customer_id: str, fields: CustomerFields) -> Customer:
    """Overwrites what the fields carry (interface §4.1). Refused as `object_unknown`, `customer_redacted`."""
    customer = present(tx, customer_id)
    if fields.customer_id not in (None, customer_id):  # it may be sent again, but not changed
        raise wrong_field("customer_id", "must equal the id in the path: a customer's id cannot change")
    return tx.put(CUSTOMERS, structs.replace(customer, **fields.carried))


def delete(tx: Transaction, context: CommandContext, customer_id: str) -> str:
    """Redacts a customer and forgets what was saved; returns its id.

    Refused as `object_unknown`, `customer_redacted`, `customer_has_mandate`.
    """
    customer = present(tx, customer_id)
    active = {"customer_id": (customer_id,), "status": (MandateStatus.ACTIVE.value,)}
    if tx.count(MANDATES, Query(filters=active)):
        raise Refusal(Cause.CUSTOMER_HAS_MANDATE, customer_id=customer_id)
    for method in tuple(tx.scan(PAYMENT_METHODS, Query(filters={"customer_id": (customer_id,)}))):
        tx.remove(PAYMENT_METHODS, method.payment_method_id)
    tx.put(CUSTOMERS, redacted(customer))
    return customer_id


page = listing.pages(CUSTOMERS)


def of_payment(tx: Transaction, context: CommandContext, request: PaymentRequest, customer_id: str) -> Customer:
    """The customer that a payment request names, created if the ID is new. Refused as `customer_redacted`."""
    if tx.has(CUSTOMERS, customer_id):
        return present(tx, customer_id)
    sent: dict[str, Any] = {}
    for name, inner in WHO_PAYS.items():  # a comprehension would be one more call
        sent[inner] = getattr(request, name) or None
    if request.customer is not None:
        document = request.customer.document_details
        sent["document_details"] = None if document is None else canonical(document)
        sent["tax_registration_id"] = request.customer.tax_registration_id
    return tx.put(CUSTOMERS, Customer(customer_id=customer_id, created_at=context.now, **sent))


def create_key(tx: Transaction, context: CommandContext, customer_id: str) -> EphemeralKey:
    """A new key of a customer; its secret is only in this answer. Refused as `object_unknown`, `customer_redacted`."""
    present(tx, customer_id)
    listing.drop_expired(tx, EPHEMERAL_KEYS, context.now)
    random = context.randomness.hex("ephemeral_key", tx.next("ephemeral_key"))
    key = ApiKey(KeyKind.EPHEMERAL, rest_of(tag_of(context.merchant_id), random))
    issued = EphemeralKey(
        key_id=context.new_id(tx, "ephemeral_key_record"),
        customer_id=customer_id,
        digest=key.digest,
        created_at=context.now,
        expires_at=context.now + EPHEMERAL_KEY_MS,
        merchant_id=context.merchant_id,
    )
    tx.put(EPHEMERAL_KEYS, issued)
    return structs.replace(issued, secret=key.text)


def with_customer(tx: Transaction, context: CommandContext, fields: CustomerFields) -> tuple[Customer, EphemeralKey]:
    """Creates a customer, and a key for its browser. Refused as `customer_exists`, also after that one's deletion."""
    customer_id = fields.customer_id or context.new_id(tx, "customer")
    if fields.customer_id and tx.has(CUSTOMERS, customer_id):
        raise Refusal(Cause.CUSTOMER_EXISTS, customer_id=customer_id)
    customer = tx.put(CUSTOMERS, Customer(customer_id=customer_id, created_at=context.now, **fields.carried))
    return customer, create_key(tx, context, customer_id)


def revoke_key(tx: Transaction, context: CommandContext, key_id: str) -> EphemeralKey:
    """Revokes a key and returns it. Refused as `object_unknown`."""
    key = existing(tx.get(EPHEMERAL_KEYS, key_id), ObjectKind.EPHEMERAL_KEY, key_id)
    tx.remove(EPHEMERAL_KEYS, key_id)
    return structs.replace(key, merchant_id=context.merchant_id)


def by_digest(tx: Transaction, digest: str) -> EphemeralKey | None:
    """The key of a digest, if this workspace issued it."""
    return next(iter(tx.find(EPHEMERAL_KEYS, Query(filters={"digest": (digest,)}, limit=1)).items), None)


def holder(tx: Transaction, digest: str, now: int) -> str:
    """The customer whose key this is. Refused as `ephemeral_key_wrong`."""
    key = by_digest(tx, digest)
    if key is None or key.expires_at <= now:
        raise Refusal(Cause.EPHEMERAL_KEY_WRONG)
    return key.customer_id
