"""The keys of a route: all that the public API takes there (facts §1), so that scripts with an admin key run."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.causes.raising import ADMIN
from tests.routes.good import GOOD
from tests.wire import wire

KEYS: Final = {
    ("secret",): """
        payments.create payments.capture payments.cancel payments.cancel_post_capture payments.approve payments.reject
        payments.sync_cancel_post_capture payments.incremental_authorization payments.extend_authorization
        payments.update_metadata payments.sync payments.list refunds.create refunds.retrieve refunds.update refunds.list
        refunds.sync disputes.retrieve disputes.list disputes.accept disputes.submit_evidence disputes.attach_evidence
        disputes.delete_evidence disputes.retrieve_evidence customers.create customers.update customers.delete
        customers.list customers.mandates payment_methods.create payment_methods.retrieve mandates.retrieve
        mandates.revoke mandates.list ephemeral_keys.create ephemeral_keys.delete connectors.create connectors.list
        connectors.retrieve connectors.update profiles.toggle_connector_agnostic_mit files.create files.retrieve
        files.delete blocklist.add blocklist.list blocklist.remove blocklist.toggle analytics.report
    """,
    ("publishable",): """
        payments.session_tokens payments.post_session_tokens payments.calculate_tax payments.eligibility
        payments.eligibility_check payments.client payments.poll
    """,
    ("secret", "publishable"): """
        payments.retrieve payments.update payments.confirm payments.complete_authorize payments.link
        payment_methods.update payment_methods.save payment_methods.list
    """,
    ("secret", "ephemeral"): """
        customers.retrieve customers.payment_methods customers.default_payment_method payment_methods.delete
    """,
    ("publishable", "ephemeral"): "customers.payment_methods_of_payment",
    ("secret", "admin"): "profiles.create profiles.list profiles.retrieve profiles.update",
    ("admin",): """
        profiles.delete accounts.create accounts.retrieve accounts.update accounts.delete connectors.delete
        api_keys.create api_keys.list api_keys.retrieve api_keys.update api_keys.revoke events.list events.attempts
        events.retry
    """,
}  # fmt: skip
"""Without the keys of the dashboard."""
MORE: Final = {"accounts.create": {"merchant_id": "mer_another"}, "api_keys.create": {"expiration": "never"}}
"""What only the public API requires."""
ROWS: Final = [(name, kinds) for kinds, names in KEYS.items() for name in names.split()]


@pytest.mark.parametrize(("name", "kinds"), ROWS, ids=[name for name, _ in ROWS])
def test_a_route_takes_the_keys_of_the_public_api(name: str, kinds: tuple[str, ...]) -> None:
    assert set(kinds) <= {str(kind) for kind in BY_NAME[name].keys}


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("name", [name for name, kinds in ROWS if "admin" in kinds])
def test_an_admin_key_sets_up_everything_of_a_merchant(name: str, dialect: Dialect) -> None:
    api, row = wire(dialect=dialect), BY_NAME[name]
    good = GOOD[name](api)
    body = {**(good.body or {}), **MORE.get(name, {})}
    reply = api.as_key(ADMIN).call(row.method, good.path(row), body, headers=dict(good.headers))
    assert reply.status == 200, reply.raw
