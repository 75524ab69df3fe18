"""What only the docs show as tables: settings, calls, routes, fields of the control API, figures, the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import click
from marshmallow.fields import Field

from mock_server import jsontext
from mock_server.cli.acting import ACTS
from mock_server.cli.logs import FIELDS, NAMED
from mock_server.cli.output import SOURCE, TextTable
from mock_server.contract import routes as _routes
from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.reports import columns
from mock_server.contract.answers.writing import fields_of
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.operation import Needs
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause
from mock_server.domain.figures import DIMENSIONS, METRICS
from mock_server.domain.report import ReportKind
from mock_server.metrics import BOUNDS_S
from mock_server.metrics import METRICS as SERVER_METRICS
from mock_server.openapi.answers import found_in, roots
from mock_server.settings import ROWS
from mock_server.verdict.probing import CASES
from mock_server.verdict.rules import RULES


def routes() -> TextTable:
    """Return every route: method, path, keys, the object that it returns, and its specific errors."""
    rows = (
        (
            operation.method,
            shown_path(operation.path),
            " or ".join(sorted(operation.keys, reverse=True)),
            f"{operation.success}{operation.record}",
            _listed(operation.errors),
        )
        for operation in OPERATIONS
    )
    return TextTable(("method", "path", "keys", "returns", "specific errors"), tuple(rows))


def shared_errors() -> TextTable:
    """Return the errors that sorts of routes share."""
    rows = (
        ("every route", _routes.ON_EVERY),
        ("a route with a JSON body", _routes.ON_BODIES),
        ("an upload", _routes.ON_FORMS),
        ("a list, and any other route with a query", _routes.ON_QUERIES),
        ("a route that changes something", _routes.ON_CHANGES),
        ("a call with a publishable key", _routes.ON_CLIENTS),
        ("analytics and the control API", _routes.ON_SLOW),
    )
    return TextTable(("routes", "errors"), tuple((which, _listed(causes)) for which, causes in rows))


class LeftOut(NamedTuple):
    """One route of the public API that is not served."""

    route: str
    reason: str
    source: str


_JWT: Final = "for the dashboard login; API keys cannot call it in the public API either"
_VENDOR: Final = "the processor's own staff or connectors call it"

LEFT_OUT: Final[tuple[LeftOut, ...]] = (
    LeftOut(
        "GET /payments/{payment_id}/extended_card_info",
        "would return an encrypted card number, but none is stored",
        "facts §1.1",
    ),
    LeftOut(
        "PUT /payments/{payment_id}/manual-update, POST /payments/{payment_id}/manual-status-update",
        _VENDOR + "; use the triggers of the control API instead",
        "facts §1.1",
    ),
    LeftOut(
        "POST /payments/{payment_id}/{merchant_id}/redirect/response/{connector}, "
        "GET, POST /payments/{payment_id}/{merchant_id}/redirect/complete/{connector}, "
        "GET, POST /payments/{payment_id}/{merchant_id}/authorize/{connector}",
        _VENDOR + "; the sandbox's own pages lead back with GET …/redirect/response/{connector}",
        "facts §1.1",
    ),
    LeftOut("POST /payment_link/list", _JWT + "; a payment's answer has its link", "facts §1.6"),
    LeftOut(
        "PUT /refunds/{refund_id}/manual-update",
        _VENDOR + "; use POST /_sandbox/refunds/{id}/settle instead",
        "facts §1.2",
    ),
    LeftOut(
        "GET /disputes/{connector_id}/fetch",
        _VENDOR + "; use a card, a scenario or a trigger to open a dispute",
        "facts §1.3",
    ),
    LeftOut(
        "POST /account/{merchant_id}/business_profile/{profile_id}/toggle_extended_card_info",
        "turns on a route that is missing",
        "facts §1.5",
    ),
    LeftOut("POST, GET, PUT /webhooks/{merchant_id}/{connector}", _VENDOR, "facts §1.6"),
    LeftOut("GET /health/ready", "use GET /_sandbox/readyz instead", "facts §1.6"),
    LeftOut(
        "/analytics/v1/{outgoing_webhook_event_logs, api_event_logs}",
        _JWT + "; use the journal and the inbox instead",
        "facts §1.6",
    ),
    LeftOut(
        "reports and metrics of payouts and authentications",
        "the sandbox has neither payouts nor authentications as objects",
        "facts §1.7",
    ),
)
"""Routes of facts §1.1 to §1.7 that answer `route_unknown` here."""


def left_out() -> TextTable:
    """Return the routes of the public API that are not served, each with the status of the answer and the reason."""
    refused = ((_route(pattern), "501", f"not offered: {what}", "ours") for pattern, what in _routes.OUT_OF_SCOPE)
    unknown = ((row.route, "404", row.reason, row.source) for row in LEFT_OUT)
    return TextTable(("route", "answer", "reason", "source"), (*refused, *unknown))


def _route(pattern: str) -> str:
    """A pattern of paths as a reader knows them."""
    for written, read in (("(/.*)?", "/…"), ("/.*", "/…"), ("[^/]+", "{id}"), ("[sz]ations?", "sations"), ("|", ", ")):
        pattern = pattern.replace(written, read)
    return pattern


def _listed(causes: Iterable[Cause]) -> str:
    return ", ".join(f"`{cause}`" for cause in causes)


def metrics() -> TextTable:
    """Return every figure of `/_sandbox/metrics`."""
    endings = {"counter": "_total", "info": "_info"}
    rows = (
        (row.name + endings.get(row.sort, ""), row.sort, ", ".join(f"`{label}`" for label in row.labels), row.about)
        for row in SERVER_METRICS
    )
    return TextTable(("metric", "type", "labels", "meaning"), tuple(rows))


def bounds() -> str:
    """Return the ends of the histogram's buckets, as a line of Markdown."""
    return ", ".join(f"{bound * 1000:g}" for bound in BOUNDS_S) + " ms.\n"


LOG_FIELDS = {
    "request_id": "the call",
    "payment_id": "the payment that the call created or named",
    "event_id": "the event that was delivered",
    "event_type": "the type of the event",
    "operation": "the name of the call",
    "status": "the status of the answer; for a delivery, of the receiver's answer",
    "cause": "why the call was refused",
    "fault": "the fault that a scenario caused",
    "attempt": "the number of the delivery attempt",
    "took_ms": "duration in real time",
    "key": "the caller's key, without its secret part",
    "replayed": "whether the answer is a stored one, for a repeated call",
}
"""What a field of the log says; those that there are stand in `cli.logs.FIELDS`."""


def log_fields() -> TextTable:
    """Return what a line of the log can say beside its words, as it stands in JSON."""
    rows = ((name, "yes" if name in NAMED else "", LOG_FIELDS[name]) for name in FIELDS)
    return TextTable(("field", "also in text", "meaning"), tuple(rows))


def analytics() -> TextTable:
    """Return the metrics of merchants' reports."""
    rows = ((str(row.subject), row.name, ", ".join(row.figures), row.about, row.source) for row in METRICS)
    return TextTable(("of", "metric", "value", "meaning", "source"), tuple(rows))


def dimensions() -> TextTable:
    """Return what merchants' figures can be grouped and filtered by."""
    rows = (
        (
            str(row.subject),
            row.name,
            ", ".join(f"`{word.value}`" for word in row.words) if row.words else "",
            row.source,
        )
        for row in DIMENSIONS
    )
    return TextTable(("of", "dimension", "values", "source"), tuple(rows))


def reports() -> TextTable:
    """Return the reports that there are, as their paths name them, with the columns of their files."""
    rows = tuple(
        (str(kind), kind.told_as, ", ".join(f"`{name}`" for name in columns(kind, INTERFACE))) for kind in ReportKind
    )
    return TextTable(("report", "`report_type`", "columns"), rows)


MANY: Final = 12
"""More words than these are not listed: they stand in a table of their own, or the error lists them."""


def verdict_rules() -> TextTable:
    """Return what a client is judged by."""
    columns = ("rule", "severity", "finding", "needs", "consequence", "what to do", "source")
    return TextTable(columns, tuple((r.id, r.severity, r.title, r.occasion, r.why, r.do, r.source) for r in RULES))


def probe_cases() -> TextTable:
    """Return what a receiver of webhooks is sent."""
    columns = ("case", "a receiver should", "reason", "depends on")
    return TextTable(columns, tuple((one.id, one.expects, one.reason, one.after) for one in CASES))


def control_requests() -> TextTable:
    """Return the fields of bodies and queries of the control API, call by call."""
    rows = (row for operation in CONTROL_OPERATIONS for row in _fields(operation.name, operation.takes))
    return TextTable(("operation", "field", "in", "required", "meaning", "example"), tuple(rows))


def _fields(operation: str, shapes: tuple[Any, Any]) -> Iterator[tuple[str, ...]]:
    for place, shape in zip(("body", "query"), shapes, strict=True):
        for name, field in shape.of(INTERFACE).schema.fields.items() if shape else ():
            required = "yes" if field.required else ""
            yield operation, name, place, required, _meaning(field), _example(field)


def _meaning(field: Field[Any]) -> str:
    words = _words(field)
    said = str(field.metadata.get("description", ""))
    return f"{said} One of {', '.join(words)}." if words and len(words) <= MANY else said


def _words(field: Field[Any]) -> tuple[str, ...]:
    return tuple(map(str, field.words)) if isinstance(field, Choice) else ()


def _example(field: Field[Any]) -> str:
    example = field.metadata.get("example")
    return "" if example is None else jsontext.dump(example).decode()


def settings() -> TextTable:
    """Return the settings: flag, variable, default, allowed values and meaning."""
    rows = ((r.flag, r.variable, r.shown_default(), r.kind.allowed, r.doc, r.source) for r in ROWS.values())
    return TextTable(("flag", "variable", "default", "allowed", "meaning", SOURCE), tuple(rows))


def operations() -> TextTable:
    """Return the calls of the API, with the kinds of keys that each takes."""
    rows = (
        (o.method, shown_path(o.path), o.name, " or ".join(sorted(o.keys, reverse=True)), o.source) for o in OPERATIONS
    )
    return TextTable(("method", "path", "operation", "key", SOURCE), tuple(rows))


def control_operations() -> TextTable:
    """Return the calls of the control API, and whether each wants a key to say which workspace it is about."""
    said = {Needs.NOTHING: "", Needs.MAYBE: "optional", Needs.KEY: "yes", Needs.WORKSPACE: "yes"}
    rows = ((o.method, shown_path(o.path), said[o.needs or Needs.NOTHING], o.about, o.name) for o in CONTROL_OPERATIONS)
    return TextTable(("method", "path", "key", "meaning", "operation"), tuple(rows))


def shown_path(rule: str) -> str:
    """Return a path with its parts in braces, as OpenAPI writes them."""
    return rule.replace("<", "{").replace(">", "}")


def acting() -> TextTable:
    """The commands that act on a running sandbox, from their one table."""
    rows = tuple(
        (
            " ".join([row.group, row.word, *_arguments(row.params)]).strip(),
            " ".join(_flags(row.params)),
            row.operation,
            row.about,
        )
        for row in ACTS
    )
    return TextTable(("command", "flags", "operation", "what it does"), rows)


def _arguments(params: Sequence[click.Parameter]) -> Iterator[str]:
    return (one.make_metavar(click.Context(click.Command(None))) for one in params if isinstance(one, click.Argument))


def _flags(params: Sequence[click.Parameter]) -> Iterator[str]:
    return (one.opts[0] for one in params if isinstance(one, click.Option))


# what a dialect says otherwise


def dialect_words() -> TextTable:
    """Return the statuses that the public dialect spells in its own way."""
    rows = (
        (_spaced(kind.__name__), member, word)
        for kind, words in HYPERSWITCH.words.items()
        for member, word in words.items()
        if word != member
    )
    return TextTable(("of", "`interface`", "`hyperswitch`"), tuple(rows))


def dialect_fields() -> TextTable:
    """Return the fields of answers that differ in the public dialect, by the shape that they stand in."""
    rows = []
    for shape in dict.fromkeys((*HYPERSWITCH.record_names, *HYPERSWITCH.record_fields)):
        known, names = SHAPES.get(shape, frozenset()), dict(HYPERSWITCH.record_names.get(shape, {}))
        changed, added, left_out = [], [], []
        for name, field in HYPERSWITCH.record_fields.get(shape, {}).items():
            if field is None:
                left_out.append(name)
            elif name not in known:
                added.append(field.name)
            elif name == field.name:
                changed.append(name)
            else:
                names[name] = field.name
        renamed = [f"{ours} is {theirs}" for ours, theirs in names.items()]
        rows.append((_spaced(shape), *(", ".join(found) for found in (renamed, changed, added, left_out))))
    return TextTable(("in", "renamed", "with other values", "additional", "missing"), tuple(rows))


def dialect_lists() -> TextTable:
    """Return the envelopes of lists in the public dialect, by operation or by route."""
    rows = []
    for name, keys in HYPERSWITCH.lists.items():
        named = ", ".join(key for key in (keys.size, keys.total, keys.items) if key)
        bare = "a bare array of all" if keys.whole else "a bare array"
        rows.append((name, f"{{{named}}}" if keys.items else bare))
    return TextTable(("list", "envelope"), tuple(rows))


SHAPES: Final = {
    shape.name: frozenset(field.name for field, _ in fields_of(shape))
    for shape in found_in(roots(), INTERFACE)
    if isinstance(shape, AnswerShape)
}
"""The names of the fields of every shape."""


def _spaced(name: str) -> str:
    """A shape's or kind's name as people say it."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
