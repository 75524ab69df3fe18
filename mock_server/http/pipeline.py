"""The stages of a call in order (decisions "Order of checks"), and the code that makes any end an answer."""

from __future__ import annotations

from mock_server import jsontext
from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import PUBLISHABLE_KEY, SECRET_KEY
from mock_server.domain.errors import Cause, CauseGroup, Refusal, missing
from mock_server.domain.faults import leave_loop
from mock_server.http.authenticate import SECRET, SECRET_APART, authenticate, with_authorization
from mock_server.http.binding import bound
from mock_server.http.errors import answer_to, headers_as_refused, unreadable
from mock_server.http.idempotency import idempotency
from mock_server.http.observe import explained, refusal_of
from mock_server.http.recording import enter, record
from mock_server.http.running import JSON, KEY_HEADER, Answer, Call, Endpoint, fault_request, is_left_alone
from mock_server.scenario.model.answers import LineRule


def staged(operation: Operation, endpoint: Endpoint) -> Endpoint:
    """The endpoint behind all stages: authentication, rate limit, body, faults, idempotency, permission."""
    within = _with_secret(endpoint) if operation.wants_secret else endpoint
    lists = operation.lists
    with_body = {row.method for row in operation.routes if operation.reads_body(row.method)}

    def once(call: Call) -> Answer:
        return idempotency(call, within)

    def answered(call: Call) -> Answer:
        authorizes = False
        try:
            # The dashboard's own calls already have their key and workspace.
            workspace = authenticate(call) if call.key is None else call.workspace
            if lists and workspace.space.lists_slowly(lists, by_index=not _only_pages(call)):
                leave_loop(call.environ)
            authorizes = operation.name in workspace.dialect.authorizes
            usage = call.usage = workspace.count_call(call.now)
            if usage.refuses and usage.count > usage.limit:
                cause = Cause.RATE_LIMITED_FROZEN if usage.frozen else Cause.RATE_LIMITED
                raise Refusal(cause, limit=usage.limit, seconds=usage.seconds_left)  # interface §8.4
            if call.environ["REQUEST_METHOD"] in with_body:
                parse(call)
            if SECRET_APART in call.environ:
                _put_secret(call, call.environ[SECRET_APART])
            proceed = once if KEY_HEADER in call.environ else within
            answer = proceed(call) if is_left_alone(call) else with_faults(call, proceed)
        except Exception as error:
            call.refusal = refusal_of(call, error)
            if call.refusal.cause.group is CauseGroup.AUTH and call.operation.name in call.dialect.texts:
                call.refusal, answer = None, endpoint(call)  # what is answered in plain text is for everybody
            else:
                call.refusal = _unreadable(call, call.refusal)
                answer = answer_to(call, call.dialect, call.refusal)
        enter(call, answer)
        record(call, "figures", answer.status)
        if authorizes:
            answer = with_authorization(call, answer)
        return explained(call, answer)

    return answered


def _unreadable(call: Call, refusal: Refusal) -> Refusal:
    """What is said instead of a wrong key, in a dialect that reads body and query first (facts §1.0)."""
    row, dialect, cause = call.operation, call.dialect, refusal.cause
    no_workspace = call.opened is None and cause in (Cause.VALUE_MISSING, Cause.OBJECT_UNKNOWN)
    of_key = cause.group is CauseGroup.AUTH or no_workspace
    if of_key and dialect.queries and not row.multipart:
        try:
            if not call.raw and row.reads_body(call.method):
                parse(call)
            bound(lambda *_, **__: NO_ANSWER, row)(call)
        except Refusal as earlier:
            return earlier if unreadable(dialect, earlier) else refusal
    return refusal


def _only_pages(call: Call) -> bool:
    """Whether a call asks for records in their order, and so for no index: a profile's list filters by the profile."""
    return call.method == "GET" and call.path.endswith("s/list") and _PAGING.issuperset(call.query)


_PAGING = frozenset({"limit", "offset", "starting_after", "ending_before"})


def _with_secret(endpoint: Endpoint) -> Endpoint:
    """The endpoint, for calls with a client_secret from a browser and without one from a server (facts §1.0)."""

    def permitted(call: Call) -> Answer:
        kind = None if call.key is None else call.key.kind
        # In the query of a GET, else in the body, whose shape checks its type.
        where: object = call.body
        if call.environ["REQUEST_METHOD"] == "GET":
            where = call.query if call.environ.get("QUERY_STRING") else None
        sent = where.get(SECRET) if isinstance(where, dict) else None
        if kind is PUBLISHABLE_KEY and not sent:
            raise missing(SECRET, "is required in a call with a publishable key", Cause.CLIENT_SECRET_MISSING)
        if kind is SECRET_KEY and sent is not None:
            raise Refusal(Cause.SECRET_KEY_WITH_CLIENT_SECRET)
        return endpoint(call)

    return permitted


def _put_secret(call: Call, secret: str) -> None:
    """Copies a client_secret from a header into the body, where the operation reads it; a GET has it in its query."""
    if call.method != "GET" and PUBLISHABLE_KEY in call.operation.keys and isinstance(call.body, dict | None):
        call.body = {**(call.body or {}), SECRET: secret}
        call.raw = jsontext.dump(call.body)  # so that the journal has it


NO_ANSWER = Answer(200, b"{}", (JSON,))
"""What a fault, or a scenario's own answer, takes the place of where the operation was not performed."""


def with_faults(call: Call, proceed: Endpoint) -> Answer:
    """Decides the faults of the call, once, and carries out the part above the socket."""
    trouble = call.workspace.deciding.faults(fault_request(call))
    if trouble is None:
        return proceed(call)
    if not trouble.because.decided:
        try:
            return proceed(call)
        finally:  # near misses are listed after the reasons
            call.notes.append(trouble.because)
    call.notes.append(trouble.because)
    call.plan = trouble.plan or call.plan
    for what in trouble.sorts:
        record(call, "faults", what)
    call.took_place = not trouble.rule.ends_call
    try:
        real = proceed(call) if call.took_place else NO_ANSWER
    except Refusal as refusal:  # what the scenario answers instead is answered instead of a refusal too
        call.refusal = refusal
        real = answer_to(call, call.dialect, refusal)
    return _said(trouble.rule, call, real)


def _said(rule: LineRule, call: Call, real: Answer) -> Answer:
    """The scenario's own answer if it has one, else the real one; with the scenario's headers."""
    error, respond, more = rule.error, rule.respond, tuple(rule.headers.items())
    if error is not None:
        status, shown = call.dialect.coded(error.code, status=error.status, message=error.message)
        real = Answer(status, jsontext.dump(shown), (JSON, *headers_as_refused(call, error.code, status)))
    elif respond is not None:
        text = respond.body.encode() if isinstance(respond.body, str) else respond.body
        call.scenario_headers = tuple(respond.headers.items())
        has_none = text is None or respond.status in (204, 304)
        body = b"" if has_none else text if isinstance(text, bytes) else jsontext.dump(text)
        real = Answer(respond.status, body, (JSON, *call.scenario_headers))
    call.scenario_headers += more
    return real.with_headers(*more)


JSON_TYPE = "application/json"
_NOTHING = (b"{}", b"null")


def parse(call: Call) -> None:
    """Reads and parses the body. Refused as `body_too_large`, `content_type_wrong`, or malformed (JSON, multipart)."""
    call.raw = raw = read_body(call)
    if call.operation.multipart:
        from mock_server.http.multipart import form

        call.body = form(call)
    elif raw and not raw.isspace():
        given = call.environ.get("CONTENT_TYPE", "")
        if given != JSON_TYPE and not _is_json(given) and (given or raw.strip() not in _NOTHING):
            raise Refusal(Cause.CONTENT_TYPE_WRONG, given=given or "none", expected=JSON_TYPE)
        coding = call.environ.get("HTTP_CONTENT_ENCODING", "")
        if coding.lower() not in ("", "identity"):
            reason = f"its Content-Encoding is {coding}; send it without"
            raise Refusal(Cause.JSON_MALFORMED, reason=reason, line=1, column=1)
        try:
            call.body = jsontext.parse(raw)
        except jsontext.JsonMistake as wrong:
            raise Refusal(Cause.JSON_MALFORMED, reason=wrong.reason, line=wrong.line, column=wrong.column) from None


def read_body(call: Call) -> bytes:
    """The whole body, limited to the operation's size even if another WSGI server reads it."""
    limit = call.sandbox.body_limit(call.operation)
    sent = call.environ.get("CONTENT_LENGTH") or ""
    length = int(sent) if sent.isascii() and sent.isdigit() else limit + 1
    if sent and limit < length:
        raise Refusal(Cause.BODY_TOO_LARGE, limit=limit)
    raw: bytes = call.environ["wsgi.input"].read(length)
    if len(raw) > limit:
        raise Refusal(Cause.BODY_TOO_LARGE, limit=limit)
    return raw


def _is_json(given: str) -> bool:
    kind, _, parameters = given.partition(";")
    charset = parameters.strip().lower()
    return kind.strip().lower() == JSON_TYPE and (not charset or charset.replace('"', "") in _CHARSETS)


_CHARSETS = frozenset({"charset=utf-8", "charset=utf8"})
