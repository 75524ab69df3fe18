"""Idempotency keys: a repeated call gets the stored answer (interface §8.3; decisions "Idempotency")."""

from __future__ import annotations

import hmac
from hashlib import blake2b

from mock_server import jsontext
from mock_server.domain.api_keys import ADMIN_KEY
from mock_server.domain.errors import Cause, Refusal, wrong_field
from mock_server.domain.limits import IDEMPOTENCY_KEY, IDEMPOTENCY_MS
from mock_server.http.errors import answer_to
from mock_server.http.observe import because_of
from mock_server.http.running import KEY_HEADER, Answer, Call, Endpoint
from mock_server.sandbox.kept_answers import text
from mock_server.store.protocol import Claim

HEADER = "X-Idempotency-Key"


def idempotency(call: Call, proceed: Endpoint) -> Answer:
    """Claims the key, or returns the stored answer. Refused as `idempotency_key_invalid`, `…_reused`, `…_in_flight`."""
    key = call.environ[KEY_HEADER]
    if not 1 <= len(key) <= IDEMPOTENCY_KEY:
        raise wrong_field(HEADER, f"must have 1 to {int(IDEMPOTENCY_KEY)} characters", Cause.IDEMPOTENCY_KEY_INVALID)
    if not call.operation.changes:
        return proceed(call)
    caller = call.key and (call.key.kind if call.key.kind is not ADMIN_KEY else call.key.kind + call.key.digest)
    slot = slot_of(caller or "", call.method, call.path, key)
    beside = [call.query, call.headers.get("X-Profile-Id")] if call.operation.query or "/profile/" in call.path else []
    digest = call.workspace.requests.digest(jsontext.same([call.body, *beside] if beside else call.body))
    taken = call.workspace.space.claim(slot, call.request_id, digest, call.now, call.now + IDEMPOTENCY_MS)
    return _first(call, slot, proceed) if taken is None else _again(call, taken, digest)


def slot_of(kind: str, method: str, path: str, key: str) -> str:
    """The scope of a key: its kind, the method and the path; hashed, so that no key is stored."""
    scope = f"{kind}\n{method}\n{path}\n{key}".encode("utf-8", "surrogateescape")
    return blake2b(scope, digest_size=16).hexdigest()


def _again(call: Call, taken: Claim, digest: bytes) -> Answer:
    if not hmac.compare_digest(taken.digest, digest):
        raise Refusal(Cause.IDEMPOTENCY_KEY_REUSED)
    if taken.answer is None:
        raise Refusal(Cause.IDEMPOTENCY_IN_FLIGHT)
    status, body, headers, because, *about = taken.answer  # those of an older sandbox end here
    call.replayed = True
    call.because = because
    call.object_id = about[0] if about else None
    return Answer(status, text(body, call.dialect), tuple((name, value) for name, value in headers))


def _first(call: Call, slot: str, proceed: Endpoint) -> Answer:
    space, owner = call.workspace.space, call.request_id
    try:
        answer = proceed(call)
    except BaseException as error:
        if not isinstance(error, Refusal) or error.cause.gives_back:
            space.release_claim(slot, owner)
            raise
        call.refusal = error
        answer = answer_to(call, call.dialect, error)
    headers = [list(pair) for pair in answer.headers]

    def keep(whole: Answer) -> None:
        body = call.at_rest(whole) or whole.body
        space.settle_claim(slot, owner, [whole.status, body, headers, because_of(call), call.object_id])

    if call.later is None:
        keep(answer)
    else:
        call.later.then.append(keep)
    return answer
