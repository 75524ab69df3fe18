"""Mistakes that a shop can make: what becomes of the example shop's source, and the test that must name it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Mutation(NamedTuple):
    """In `file`, `old` (which stands there once) becomes `new`; then `test` fails."""

    name: str
    file: str
    old: str
    new: str
    test: str


PAYING: Final = "tests/test_paying.py::test_"
RETRIES: Final = "tests/test_retries.py::test_"
EVENTS: Final = "tests/test_webhooks.py::test_"
CHALLENGES: Final = "tests/test_challenges.py::test_"
LATER: Final = "tests/test_captures_and_refunds.py::test_"
PROCESSOR: Final = "shop/processor.py"
TILL: Final = "shop/till.py"
ORDERS: Final = "shop/orders.py"
WEB: Final = "shop/web.py"

MUTATIONS: Final = (
    Mutation(
        "no_idempotency_key",
        PROCESSOR,
        '{"X-Idempotency-Key": key} if key else {}',
        "{}",
        RETRIES + "a_lost_answer_is_retried_with_the_same_key",
    ),
    Mutation(
        "a_new_key_for_each_try",
        PROCESSOR,
        "answer = self._try(method, path, body, headers)",
        "answer = self._try(method, path, body, {k: f'{v}-{wait}' for k, v in headers.items()})",
        RETRIES + "a_lost_answer_is_retried_with_the_same_key",
    ),
    Mutation(
        "a_time_out_is_not_tried_again",
        PROCESSOR,
        "except (requests.ConnectionError, requests.Timeout):",
        "except requests.ConnectionError:",
        RETRIES + "a_call_that_hangs_times_out_and_is_retried",
    ),
    Mutation(
        "retry_after_is_not_read",
        PROCESSOR,
        "_retry_after(answer) or wait",
        "wait",
        RETRIES + "retry_after_is_respected",
    ),
    Mutation(
        "amounts_are_floats",
        ORDERS,
        "return sum(PRICES[name] * number for name, number in items.items())",
        "return int(sum(PRICES[name] / 100 * number for name, number in items.items()) * 100)",
        PAYING + "the_amount_is_an_integer_in_cents",
    ),
    Mutation(
        "a_decline_is_raised",
        PROCESSOR,
        'if "error" in found:\n',
        'if found.get("status") == "failed":\n        raise Refused("failed")\n    if "error" in found:\n',
        PAYING + "a_decline_is_an_answer_and_not_an_error",
    ),
    Mutation(
        "the_key_of_the_declined_try_is_used_again",
        TILL,
        "order.attempt += 1",
        "pass",
        PAYING + "after_a_decline_another_card_is_another_payment",
    ),
    Mutation(
        "pending_is_taken_for_paid",
        TILL,
        '    "requires_capture": State.RESERVED,\n',
        '    "requires_capture": State.RESERVED,\n    "pending": State.PAID,\n',
        PAYING + "pending_is_not_paid",
    ),
    Mutation(
        "signatures_are_not_checked",
        WEB,
        'if not hmac.compare_digest(signed, request.headers.get("X-Webhook-Signature-512", "")):',
        "if False:",
        EVENTS + "a_forged_event_is_refused",
    ),
    Mutation(
        "signatures_are_checked_over_other_bytes",
        WEB,
        "request.get_data(), hashlib",
        "__import__('json').dumps(request.get_json()).encode(), hashlib",
        EVENTS + "a_genuine_event_settles_a_pending_payment",
    ),
    Mutation(
        "each_copy_of_an_event_sends_a_parcel",
        TILL,
        "if order.state is State.PAID and before is not State.PAID:",
        "if order.state is State.PAID:",
        EVENTS + "an_event_that_arrives_three_times_ships_once",
    ),
    Mutation(
        "an_early_event_finds_no_order",
        TILL,
        "order.payment_id in (None, payment_id)",
        "order.payment_id == payment_id",
        EVENTS + "an_event_may_arrive_before_the_answer",
    ),
    Mutation(
        "a_late_event_of_a_declined_try_counts",
        TILL,
        "payment_id not in order.over and ",
        "",
        EVENTS + "a_late_event_of_a_declined_try_changes_nothing",
    ),
    Mutation(
        "the_address_of_the_way_back_is_trusted",
        WEB,
        "    _till().look(order)\n    return order.shown()\n",
        "    _till().look(order)\n    said = request.args.get('status')\n"
        "    return {**order.shown(), 'state': 'paid' if said == 'succeeded' else order.state}\n",
        CHALLENGES + "the_return_url_is_not_trusted[declined]",
    ),
    Mutation(
        "everything_ordered_is_captured",
        TILL,
        'self._processor.capture(order.payment_id, price(items), order.key("ship"))',
        'self._processor.capture(order.payment_id, order.amount, order.key("ship"))',
        LATER + "only_shipped_items_are_captured",
    ),
    Mutation(
        "the_whole_order_is_booked",
        TILL,
        'order.booked = payment["amount_received"] or 0',
        "order.booked = order.amount if order.state is State.PAID else 0",
        LATER + "only_shipped_items_are_captured",
    ),
    Mutation(
        "what_is_reserved_is_sent",
        TILL,
        '"requires_capture": State.RESERVED',
        '"requires_capture": State.PAID',
        LATER + "a_pre_order_is_authorized_and_not_paid",
    ),
    Mutation(
        "all_refunds_have_one_key",
        TILL,
        'order.key(f"refund-{order.refunds + 1}")',
        'order.key("refund")',
        LATER + "a_refund_whose_answer_is_lost_happens_once",
    ),
    Mutation(
        "a_pending_refund_is_given_back_already",
        TILL,
        ' if one["status"] == "succeeded")',
        ")",
        LATER + "a_pending_refund_is_not_refunded_yet",
    ),
)
