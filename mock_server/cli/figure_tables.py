"""The figures as rows of text, for the generated parts of the docs: the server's own, and those of merchants."""

from __future__ import annotations

from mock_server.cli.tables import Table


def metrics() -> Table:
    """Return every figure of `/_sandbox/metrics`."""
    from mock_server.metrics import METRICS

    rows = ((row.shown, row.sort, ", ".join(f"`{label}`" for label in row.labels), row.about) for row in METRICS)
    return Table(("figure", "sort", "labels", "what it says"), tuple(rows))


def bounds() -> str:
    """Return the ends of the histogram's buckets, as a line of Markdown."""
    from mock_server.metrics import BOUNDS_S

    return ", ".join(f"{bound * 1000:g}" for bound in BOUNDS_S) + " ms.\n"


LOG_FIELDS = {
    "request_id": "the call",
    "payment_id": "the payment that it made or named",
    "event_id": "the event that was delivered",
    "event_type": "its type",
    "operation": "the call's name",
    "status": "the answer's status; of a delivery, the receiver's",
    "cause": "why the call was refused",
    "fault": "what a scenario did to the line",
    "attempt": "which attempt to deliver the event it was",
    "took_ms": "real time",
    "key": "the caller's key, without what is secret of it",
    "replayed": "whether a kept answer was given again",
}
"""What a field of the log says; those that there are stand in `cli.logs.FIELDS`."""


def log_fields() -> Table:
    """Return what a line of the log can say beside its words, as it stands in JSON."""
    from mock_server.cli.logs import FIELDS, NAMED

    rows = ((name, "yes" if name in NAMED else "", LOG_FIELDS[name]) for name in FIELDS)
    return Table(("field", "in text too", "what it says"), tuple(rows))


def analytics() -> Table:
    """Return the metrics of merchants' reports."""
    from mock_server.domain.figures import METRICS

    rows = (
        (str(row.subject), row.name, ", ".join(figure.name for figure in row.figures), row.about, row.source)
        for row in METRICS
    )
    return Table(("of", "metric", "value", "what it counts", "source"), tuple(rows))


def dimensions() -> Table:
    """Return what merchants' figures can be grouped and filtered by."""
    from mock_server.domain.figures import DIMENSIONS

    rows = (
        (
            str(row.subject),
            row.name,
            ", ".join(f"`{word.value}`" for word in row.words) if row.words else "",
            row.source,
        )
        for row in DIMENSIONS
    )
    return Table(("of", "dimension", "values", "source"), tuple(rows))
