"""The limits of the API as a table, read from `domain/limits.py`: figures, sources, and what is beyond them."""

from __future__ import annotations

import re
from inspect import getsource
from typing import Final, NamedTuple

from mock_server.cli.output import TextTable
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import limits
from mock_server.domain.errors import Cause
from mock_server.settings.table import workspace_time

SOURCE: Final = re.compile(
    r"^([A-Z_]+): Final = .*#.*?((?:interface|facts) §[\d.]+|decisions \"[^\"]+\"|ours)", re.MULTILINE
)
"""A limit, and the source that its comment names."""
ELSEWHERE: Final = {
    "METADATA_KEY": "in the row of METADATA_PAIRS",
    "METADATA_VALUE": "in the row of METADATA_PAIRS",
    "LIST_MIN": "in the row of LIST_MAX",
    "SESSION_EXPIRY_MIN_S": "in the row of SESSION_EXPIRY_MAX_S",
    "SESSION_EXPIRY_DEFAULT_S": "the setting session_expiry",
    "JSON_INTEGER": "explanation/limits.md",
    "MULTIPART_FRAME": "how much a form may have around its file, which nobody has to know",
    "WINDOW_MS": "a minute of the rate limit",
}
"""Where the other limits are told."""


class Row(NamedTuple):
    """A limit by its name in the code; `text` has its figure at {}; `beyond` is a cause, or what happens instead."""

    name: str
    what: str
    text: str = "{}"
    beyond: Cause | str = Cause.VALUE_INVALID

    @property
    def figure(self) -> str:
        value = getattr(limits, self.name)
        if self.name.endswith("_MS"):
            return workspace_time(0, value).show(value)
        return f"{value:,}".replace(",", " ")

    @property
    def over(self) -> str:
        if not isinstance(self.beyond, Cause):  # which is a text too
            return self.beyond
        row = INTERFACE.errors[self.beyond]
        return f"{row.status} `{row.code}`"


_VALUE: Final = limits.METADATA_VALUE
ROWS: Final = (
    Row("AMOUNT_MAX", "an amount, in minor units"),
    Row(
        "METADATA_PAIRS",
        "metadata",
        f"{{}} pairs, keys of {limits.METADATA_KEY} and values of {limits.METADATA_VALUE} characters",
    ),
    Row("IDENTIFIER", "an ID of your own, such as `payment_id`", "{} characters"),
    Row("MANDATE_ID", "a `mandate_id`", "{} characters"),
    Row("MERCHANT_ORDER_REFERENCE_ID", "`merchant_order_reference_id`", "{} characters"),
    Row("STATEMENT_DESCRIPTOR", "`statement_descriptor_name`", "{} characters"),
    Row("DESCRIPTION", "the `description` of a payment, a text of evidence", "{} characters"),
    Row("TEXT", "an email address, name, phone number, reason, or a customer's `description`", "{} characters"),
    Row("RETURN_URL", "a URL of a payment", "{} characters"),
    Row("PROFILE_RETURN_URL", "the `return_url` of a profile", "{} characters"),
    Row("PROFILE_NAME", "the name of a profile", "{} characters"),
    Row("ITEMS", "an array, or a repeated parameter of a query", "{} items"),
    Row("LIST_MAX", "the `limit` of a list", f"{limits.LIST_MIN} to {{}}"),
    Row("IDEMPOTENCY_KEY", "`X-Idempotency-Key`", "1 to {} characters", Cause.IDEMPOTENCY_KEY_INVALID),
    Row("IDEMPOTENCY_MS", "how long an answer is stored for repeated calls", beyond="the call is a new one"),
    Row("REFUNDS_PER_PAYMENT", "refunds of one payment", beyond=Cause.REFUND_ATTEMPTS_EXCEEDED),
    Row("REFUND_AGE_MS", "how long after its creation a payment can be refunded", beyond=Cause.REFUND_TOO_OLD),
    Row("SESSION_EXPIRY_MAX_S", "`session_expiry` of a payment", f"{limits.SESSION_EXPIRY_MIN_S} to {{}} seconds"),
    Row("PAYMENT_TOKEN_MS", "how long a `payment_token` is valid", beyond=Cause.PAYMENT_TOKEN_OVER),
    Row("EPHEMERAL_KEY_MS", "how long an ephemeral key is valid", beyond=Cause.EPHEMERAL_KEY_WRONG),
    Row("EVENT_LOOK_BACK_MS", "how far back the lists of `/events` look", beyond=Cause.EVENTS_TOO_OLD),
    Row("REPORT_ROWS", "rows of a report", beyond=Cause.REPORT_TOO_LARGE),
    Row("REPORT_LINK_MS", "how long the link to a report is valid", beyond=Cause.LINK_OVER),
    Row("WORKSPACE_LABEL", "`X-Sandbox-Label`", "{} characters", "the rest is cut off"),
)


def api_limits() -> TextTable:
    sources = dict(SOURCE.findall(getsource(limits)))
    rows = ((row.what, row.text.format(row.figure), row.over, sources[row.name]) for row in ROWS)
    return TextTable(("what", "at most", "beyond it", "source"), tuple(rows))
