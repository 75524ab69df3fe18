"""Authentication: finds the workspace of the key, and applies what is due there before anything else reads it.

An `sdk_authorization` is base64 of `publishable_key=…,client_secret=…`: all that a page needs for a payment. Ours
also has ids, and a signature of all of it.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from functools import partial
from hmac import compare_digest
from typing import Final
from urllib.parse import parse_qsl, urlencode

from mock_server.domain import api_keys
from mock_server.domain.errors import Cause, ObjectKind, Refusal, missing, unknown, wrong_field
from mock_server.domain.faults import leave_loop
from mock_server.engine import customers
from mock_server.guesses import hint
from mock_server.http.asked import is_own_origin, is_token, read
from mock_server.http.recording import record
from mock_server.http.running import OUTCOME_HEADER, Answer, Call, Environ
from mock_server.sandbox import Workspace
from mock_server.sandbox.identity import merchant_at
from mock_server.sandbox.workspaces import FROM_PAGE
from mock_server.scenario.deciding.decide import parse_requested_outcome

_PROBLEMS = {api_keys.KeyProblem.MISSING: Cause.KEY_MISSING, api_keys.KeyProblem.PRODUCTION: Cause.KEY_PRODUCTION}


def authenticate(call: Call) -> Workspace:
    """Finds the key's workspace.

    Refused as `key_missing`, `key_malformed`, `key_production`, `key_unknown`, `key_revoked`, `key_expired`,
    `key_kind_not_allowed`, `ephemeral_key_wrong`, `page_makes_nothing`, `value_missing` (public), and calls that set
    up a merchant also as `control_origin_forbidden`, `control_token_wrong`, `object_unknown`.
    """
    asks = OURS in "".join(call.environ)  # a call without a header of ours pays for no more than this
    if asks:
        check_names(call.environ)
    if "HTTP_AUTHORIZATION" in call.environ and "HTTP_API_KEY" not in call.environ:
        _take_apart(call.environ, api_keys.PUBLISHABLE_KEY in call.operation.keys)
    text, taken = call.environ.get("HTTP_API_KEY"), call.operation.keys
    key = _admin_key_of(call, text) if api_keys.ADMIN_KEY in taken else api_keys.parse(text)
    if not isinstance(key, api_keys.ApiKey):
        raise _no_key(key, text, call)
    if key.kind is api_keys.ADMIN_KEY:
        call.merchant = workspace = _set_up_with(call, key.rest)
        if call.operation.name == "accounts.delete":  # what is deleted would lose the answer and the journal entry
            workspace.catch_up(call.environ)
            workspace = call.sandbox.merchants.admin_workspace(None)
    else:
        workspace = call.sandbox.workspace(key)
    if SIGNED in call.environ:
        _check_signature(workspace, call.environ[SIGNED])
    call.key, call.opened, call.by_client = key, workspace, key.kind is api_keys.PUBLISHABLE_KEY
    call.now = workspace.catch_up(call.environ)
    if asks:
        check_words(call)
        note_label(call, workspace)
    if key.kind is api_keys.EPHEMERAL_KEY:
        call.holder = workspace.space.transact(lambda tx: customers.holder(tx, key.digest, call.now))
    if key.kind not in taken:
        raise Refusal(Cause.KEY_KIND_NOT_ALLOWED, kind=key.kind, allowed=tuple(sorted(call.operation.keys)))
    return workspace


def _set_up_with(call: Call, text: str) -> Workspace:
    """The workspace that a call with an admin key counts for; a merchant's, if it may set up that one."""
    settings, merchant_id = call.sandbox.settings, call.args.get("merchant_id")
    merchants, secret = call.sandbox.merchants, api_keys.parse(text)
    if merchant_id is None or (settings.control_token and is_token(text, settings)):
        return merchants.admin_workspace(merchant_id)
    own = call.sandbox.workspace(secret) if isinstance(secret, api_keys.ApiKey) else None
    if own is not None and own.merchant_id == merchant_id:  # of several from one snapshot, this one
        return own
    workspace = merchants.admin_workspace(merchant_id)
    if own is not None and merchant_at(workspace.space.name) is None:  # another key's merchant, which no set-up made
        raise unknown(ObjectKind.MERCHANT, merchant_id)
    if not is_token(call.environ.get("HTTP_X_SANDBOX_TOKEN", ""), settings):
        raise Refusal(Cause.CONTROL_TOKEN_WRONG)
    return workspace


OURS: Final = "HTTP_X_SANDBOX_"
ACCEPTS: Final = OURS + "ACCEPTS"
LABEL: Final = OURS + "LABEL"
_KNOWN: Final = tuple(f"X-Sandbox-{name}" for name in ("Accepts", "Label", "Outcome", "Scenario", "Token"))


def _name_of(key: str) -> str:
    return key.removeprefix("HTTP_").replace("_", "-").title()


def check_names(environ: Environ) -> None:
    """Refused as `value_invalid`: a header of ours that there is not, which would have no effect unnoticed."""
    for name in map(_name_of, filter(lambda key: key.startswith(OURS), environ)):
        if name not in (*_KNOWN, "X-Sandbox-Passed-On"):  # replicas mark with it what they pass on
            problem = f"is not a request header of the sandbox; there are {', '.join(_KNOWN)}"
            raise wrong_field(name, problem + hint(name, _KNOWN, "X-Sandbox-"))


def check_words(call: Call) -> None:
    """Refused as `value_invalid`: a word in a header of ours that would have no effect, also where nothing reads it."""
    for key, check in ((ACCEPTS, partial(_check_accepted, call)), (OUTCOME_HEADER, parse_requested_outcome)):
        if key in call.environ:
            try:
                check(call.environ[key])
            except ValueError as wrong:
                raise wrong_field(_name_of(key), str(wrong)) from None


def _check_accepted(call: Call, text: str) -> None:
    leave_loop(call.environ)  # the first imports the rules
    rule, _, reason = map(str.strip, text.partition(";"))
    rules = call.sandbox.client_rules()
    if rule not in rules:
        raise ValueError(f"must be a rule of the verdict and a reason, not {text!r}{hint(rule, rules)}")
    if not reason:
        raise ValueError(f"needs a reason: {rule}; REASON")
    if any(";" in part and part.partition(";")[0].strip() in rules for part in reason.split(",")):
        raise ValueError("can name one rule; send each with a call of its own")  # a header that is sent twice is joined


def note_label(call: Call, workspace: Workspace) -> None:
    """Stores the workspace's label, if the call has one; an empty label removes it."""
    if LABEL in call.environ:
        if not call.sandbox.is_alone:
            leave_loop(call.environ)  # it is in the database
        sent = call.environ[LABEL].encode("latin-1", "replace").decode("utf-8", "replace")  # as WSGI has headers
        record(call, "label", workspace.space.name, sent)


SECRET: Final = "client_secret"
SIGNED: Final = "mock_server.sdk_authorization"
"""The environ key of an `sdk_authorization` that carries a signature."""
SECRET_APART: Final = "mock_server.client_secret"
"""The environ key of the client_secret from an `Authorization` header."""
_LONGEST: Final = 4_096
_PARTS: Final = ("publishable_key", SECRET)


def _take_apart(environ: Environ, is_for_pages: bool) -> None:
    """Finds key and client_secret in a payment's `sdk_authorization`; any other header is ignored."""
    sent = environ["HTTP_AUTHORIZATION"].rpartition(" ")[2]
    try:
        decoded = b64decode(sent, validate=True).decode("ascii") if len(sent) <= _LONGEST else ""
    except ValueError:
        return
    pairs = dict(part.partition("=")[::2] for part in decoded.split(","))
    key, secret = (pairs.get(name) for name in _PARTS)
    if key and secret:
        environ["HTTP_API_KEY"], environ[SECRET_APART] = key, secret
        if len(pairs) > len(_PARTS):
            environ[SIGNED] = decoded
        if is_for_pages and environ["REQUEST_METHOD"] == "GET":
            others = parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True)
            environ["QUERY_STRING"] = urlencode([*(pair for pair in others if pair[0] != SECRET), (SECRET, secret)])


def _check_signature(workspace: Workspace, decoded: str) -> None:
    """Refuses an `sdk_authorization` of which a part was changed; one of two parts has nothing to change."""
    text, _, signature = decoded.rpartition(_SIGNATURE)
    if not compare_digest(_signature(workspace, text), signature):
        raise Refusal(Cause.KEY_MALFORMED, flaw="is in an sdk_authorization that was changed")


def _signature(workspace: Workspace, text: str) -> str:
    return workspace.requests.digest(f"sdk_authorization\n{text}".encode()).hex()[:32]


def with_authorization(call: Call, answer: Answer) -> Answer:
    """A new payment's answer with its `sdk_authorization`; added after everything is stored, as it contains a key."""
    key = call.key
    before, empty, after = answer.body.rpartition(_EMPTY)  # the caller's own texts come before it
    if key is None or key.kind is not api_keys.SECRET_KEY or not key.rest or not empty or answer.status != 200:
        return answer  # a page's call, or the dashboard's, whose key has no text
    payment = json.loads(answer.body)  # a repeated answer has no record
    shown = call.sandbox.merchants.publishable_key(call.workspace) or key.twin().text
    parts = {_PARTS[0]: shown, **{name: payment[field] for name, field in _CARRIED.items() if payment[field]}}
    text = ",".join(f"{name}={value}" for name, value in parts.items())
    encoded = b64encode(f"{text}{_SIGNATURE}{_signature(call.workspace, text)}".encode())
    return Answer(answer.status, before + empty.replace(b"null", b'"%b"' % encoded) + after, answer.headers)


_EMPTY: Final = b'"sdk_authorization":null'
_SIGNATURE: Final = ",signature="
_CARRIED: Final = {
    SECRET: SECRET,
    "profile_id": "profile_id",
    "customer_id": "customer_id",
    "payment_session_id": "payment_id",
}
"""What an authorization carries besides the key, and the fields of the answer that have it."""


def _admin_key_of(call: Call, text: str | None) -> api_keys.ApiKey | api_keys.KeyProblem:
    """The key of a call that takes any other text for an admin key (decisions), and none from foreign pages."""
    key, page, settings = api_keys.parse(text), FROM_PAGE.get(), call.sandbox.settings
    if page is not None and not is_own_origin(read(call.environ, settings), settings):
        raise Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin=page)
    if key in (api_keys.KeyProblem.MISSING, api_keys.KeyProblem.PRODUCTION):
        return key
    if isinstance(key, api_keys.ApiKey) and (key.kind in call.operation.keys or key.kind is not api_keys.SECRET_KEY):
        return key
    return api_keys.ApiKey(api_keys.ADMIN_KEY, text or "")


def key_of(text: str | None) -> api_keys.ApiKey:
    """The key in a header. Refused as `key_missing`, `key_malformed`, `key_production`."""
    key = api_keys.parse(text)
    if isinstance(key, api_keys.ApiKey):
        return key
    raise _no_key(key, text)


def _no_key(problem: api_keys.KeyProblem, text: str | None, call: Call | None = None) -> Refusal:
    """The error for a header without a key: `key_missing`, `key_malformed`, `key_production`, `value_missing`."""
    if text is None and call and call.dialect.queries and len(call.operation.keys - {api_keys.ADMIN_KEY}) > 1:
        return missing("api_key", "is required as a header: the kind of key is needed first")  # facts §1.0
    if problem is api_keys.KeyProblem.MALFORMED:
        return Refusal(Cause.KEY_MALFORMED, flaw=api_keys.flaw_of(text or ""))
    return Refusal(_PROBLEMS[problem])
