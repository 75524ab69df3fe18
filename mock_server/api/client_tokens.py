"""What a browser is given to work with: wallet sessions and ephemeral keys (facts §1.4)."""

from __future__ import annotations

from mock_server.contract.answers import wallet_session
from mock_server.contract.answers.ephemeral_key import EPHEMERAL_KEY
from mock_server.contract.requests import payment_methods as shapes
from mock_server.domain.offers import AskSessionTokens
from mock_server.engine.vault import ephemeral_keys, offers
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show

views = Resource("client_tokens")


@views.view("payments.session_tokens", shapes.SESSION_TOKENS)
def create_session_tokens(call: Call, command: AskSessionTokens) -> Answer:
    call.object_id = command.payment_id
    return show(wallet_session.sessions(run(call, offers.start_sessions, command)))


@views.view("ephemeral_keys.create", shapes.EPHEMERAL_KEY)
def create_key(call: Call, customer_id: str) -> Answer:
    return show(EPHEMERAL_KEY.of(run(call, ephemeral_keys.create, customer_id), call.sandbox.dialect))


@views.view("ephemeral_keys.delete")
def delete_key(call: Call, key_id: str) -> Answer:
    return show(EPHEMERAL_KEY.of(run(call, ephemeral_keys.revoke, key_id), call.sandbox.dialect))
