"""Why a customer disputes a charge: the words that cards and triggers use, with the network's reason code.

The codes are Visa's dispute conditions, as the network publishes them; which word stands for which is ours. A
trigger may use any other text as a reason; it then has no code.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class DisputeReason(NamedTuple):
    """One reason with the network's code and what the customer says."""

    name: str
    code: str
    meaning: str


DISPUTE_REASONS: Final = (
    DisputeReason("fraudulent", "10.4", "I did not make this payment"),
    DisputeReason("early_fraud_warning", "10.4", "The bank warns of fraud; no money has moved yet"),
    DisputeReason("unrecognized", "10.4", "I do not know this payment"),
    DisputeReason("noncompliant", "98", "The network says that a rule was broken"),
    DisputeReason("incorrect_amount", "12.5", "The amount is wrong"),
    DisputeReason("duplicate", "12.6.1", "I was charged twice"),
    DisputeReason("product_not_received", "13.1", "What I paid for never came"),
    DisputeReason("subscription_canceled", "13.2", "I had cancelled the subscription"),
    DisputeReason("product_unacceptable", "13.3", "What came is not what was described"),
    DisputeReason("credit_not_processed", "13.6", "The promised refund never came"),
    DisputeReason("general", "13.9", "Something else"),
)

_LONGEST_SAID: Final = 60
_BY_NAME: Final = {row.name: row for row in DISPUTE_REASONS}


def reason_code(name: str) -> str | None:
    """The network's code of a reason; None for a reason of the caller's own."""
    row = _BY_NAME.get(name)
    return None if row is None else row.code


def of_its_own(reason: str) -> str | None:
    """What is to be said of a reason that has no code: which word was perhaps meant; None for one of the table."""
    if reason in _BY_NAME:
        return None
    from difflib import get_close_matches

    said = f"{reason[:_LONGEST_SAID]!r} is no reason that the network has a code for, so this dispute has none"
    near = get_close_matches(reason[:_LONGEST_SAID].lower().replace(" ", "_").replace("-", "_"), _BY_NAME, n=1)
    if near:
        return f"{said}; did you mean {near[0]} ({_BY_NAME[near[0]].code})?"
    return f"{said}; these have one: {', '.join(f'{row.name} ({row.code})' for row in DISPUTE_REASONS)}"
