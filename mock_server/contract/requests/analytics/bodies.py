"""The bodies of reporting, in the public API's own spelling (facts §1.7)."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from marshmallow import ValidationError

from mock_server.contract.requests.fields import Flag, Free, Instant, Items, Part, Text, email_address, web_url
from mock_server.contract.requests.rules import Cross, Rule
from mock_server.contract.requests.schema import Body

_F: Final = "facts §1.7"
_ONE: Final = "must name at least one"
_NAMES_ONE: Final = Rule(bool, _ONE, {"minItems": 1})
"""For the document; the usual way past marshmallow asks an object's own rules alone."""
_AT: Final = "2026-01-31T00:00:00.000Z"


class TimeRange(Body):
    """From when until when, both included."""

    startTime = Instant("Only what was created at or after this.", required=True, source=_F, example=_AT)  # noqa: N815 — the wire's spelling
    endTime = Instant("Only what was created at or before this; now where it is not said.", source=_F)  # noqa: N815 — the wire's spelling


class TimeSeries(Body):
    """How long a bucket is."""

    granularity = Text("`G_ONEMIN` to `G_ONEDAY`.", required=True, source=_F, example="G_ONEDAY")


class Wanted(Free):
    """Values by dimension: one, or an array of them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        pairs: Mapping[str, Any] = super()._deserialize(value, attr, data, **kwargs)
        listed = {name: given if isinstance(given, list) else [given] for name, given in pairs.items()}
        wrong = {name: ["must hold strings"] for name, given in listed.items() if not _are_texts(given)}
        if wrong:
            raise ValidationError(wrong)
        return {name: tuple(given) for name, given in listed.items()}


def _are_texts(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, str) for value in values)


class FiltersBody(Body):
    """What values there are to filter by."""

    timeRange = Part(lambda: TimeRange, "Which time.", required=True, source=_F)  # noqa: N815 — the wire's spelling
    groupByNames = Items(Text(), "Dimensions; all where none is named.", source=_F)  # noqa: N815 — the wire's spelling
    filters = Wanted("Values by dimension.", source=_F)


class MetricsBody(FiltersBody):
    """Which numbers, of what, in which buckets."""

    timeSeries = Part(lambda: TimeSeries, "Buckets of time.", source=_F)  # noqa: N815 — the wire's spelling
    metrics = Items(Text(), "Which numbers.", required=True, validate=_NAMES_ONE, source=_F, example=["payment_count"])
    delta = Flag("Not computed here: false or left out.", source=_F)

    crosses = (Cross(("metrics",), lambda body: bool(body["metrics"]), _ONE, "metrics"),)


def _is_reachable(url: str) -> bool:
    """Https, as the public API asks for; plain http only to a machine nearby, where tests listen (ours)."""
    parts = urlsplit(url)
    return parts.scheme == "https" or _is_near(parts.hostname or "")


def _is_near(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".test", ".internal"))


class ReportBody(Body):
    """A CSV report."""

    timeRange = Part(lambda: TimeRange, "Which time.", required=True, source=_F)  # noqa: N815 — the wire's spelling
    emails = Items(
        email_address(),
        "Who is told; nothing is sent by e-mail here.",
        required=True,
        validate=_NAMES_ONE,
        source=_F,
    )
    returnUrl = web_url("Where the notice goes.", source=_F, example="https://shop.example.com/reports")  # noqa: N815 — the wire's spelling

    crosses = (
        Cross(("emails",), lambda body: bool(body["emails"]), _ONE, "emails"),
        Cross(("returnUrl",), lambda body: _is_reachable(body["returnUrl"]), "must be an https URL", "returnUrl"),
    )
