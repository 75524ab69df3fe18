"""Commands in a terminal and buttons of the dashboard that act on a sandbox: one row an act.

An act is a call of the API or of the control API. `command` is the command in a terminal (empty: only a button),
`label` the text of the button, `done` the message of success, `about` the first sentence of the help.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Act(NamedTuple):
    """One act, in words for people."""

    operation: str
    label: str
    done: str
    command: str = ""
    about: str = ""


ACTS: Final = (
    Act("payments.create", "Create payment", "The payment was created.", "pay", "Create and confirm a card payment, by default over 65.40 USD. A declined payment is a result like any other: the exit code is 0."),
    Act("payments.confirm", "Retry", "The payment was tried."),
    Act("refunds.create", "Refund", "The refund was created.", "refund", "Refund a payment, in full or in part."),
    Act("payments.capture", "Capture", "The payment was captured.", "capture", "Capture an authorized payment, in full or in part."),
    Act("payments.cancel", "Cancel payment", "The payment was cancelled.", "cancel", "Cancel a payment that has not been captured."),
    Act("payments.approve", "Approve", "The payment was approved.", "approve", "As the merchant, approve a payment that is held for review."),
    Act("payments.reject", "Reject", "The payment was rejected.", "reject", "As the merchant, reject a payment that is held for review."),
    Act("disputes.submit_evidence", "Submit evidence", "The evidence was submitted."),
    Act("disputes.accept", "Accept dispute", "The dispute was accepted."),
    Act("control.authenticate", "Finish challenge", "The challenge is finished.", "authenticate", "Complete a 3-D Secure challenge or another customer page, as the customer would."),
    Act("control.dispute", "Dispute", "The dispute is open.", "dispute", "Open a dispute, as the customer's bank would."),
    Act("control.settle", "Settle", "The payment was settled.", "settle", "Settle a pending payment or refund, as the processor would."),
    Act("control.fail", "Fail", "The payment failed."),
    Act("control.hold", "Hold for review", "The payment is held for review."),
    Act("control.expire", "Expire", "It has expired."),
    Act("control.settle_refund", "Settle refund", "The refund was settled."),
    Act("control.advance_dispute", "Advance dispute", "The dispute was advanced."),
    Act("control.clock_advance", "Advance", "The clock was advanced.", "clock advance", "Advance the workspace's clock. Scheduled events on the way happen."),
    Act("control.clock_freeze", "Freeze", "The clock is frozen.", "clock freeze", "Freeze the workspace's clock, now or at a given time."),
    Act("control.clock_resume", "Resume", "The clock is running.", "clock resume", "Resume the workspace's clock from its current time."),
    Act("control.reset", "Reset workspace", "The workspace was reset.", "reset", "Replace the key's workspace with an empty one. There is no confirmation prompt."),
    Act("control.set_dialect", "Set dialect", "The dialect was changed."),
    Act("control.forget_journal", "Clear journal", "The journal was cleared."),
    Act("control.take_snapshot", "Save snapshot", "The snapshot is saved.", "snapshot save", "Save the workspace as a snapshot."),
    Act("control.restore_snapshot", "Restore", "The snapshot was restored.", "snapshot restore", "Replace the workspace with a snapshot."),
    Act("control.snapshots", "Snapshots", "", "snapshot list", "List the snapshots."),
    Act("control.drop_snapshot", "Delete", "The snapshot is deleted.", "snapshot delete", "Delete a snapshot."),
    Act("control.put_scenario", "Save", "The scenario is saved.", "scenarios put", "Upload a scenario file to the workspace. Turn it on with `scenarios on`."),
    Act("control.drop_scenario", "Delete", "The scenario is deleted."),
    Act("control.activate_scenario", "Turn on", "The scenario is on.", "scenarios on", "Turn a scenario on in the workspace."),
    Act("control.deactivate_scenario", "Turn off", "The scenario is off.", "scenarios off", "Turn a scenario off."),
    Act("control.check_scenario", "Run assertions", "The assertions were run."),
    Act("control.put_next", "Queue", "The outcome was queued.", "scenarios next", "Choose the outcome of the next charge, or of another call. THEN is a decline, an outcome, or what a scenario has under `then`."),
    Act("control.search", "Search", "", "search", "Find payments, refunds, disputes, customers, saved methods, mandates, events and calls. TEXT is the start of an ID, a part of a customer's name, ID or email address or of an order reference, the last four digits of a card, an amount (65.40, €65.40, 65.40 USD), an error code or a decline."),
    Act("control.drop_next", "Clear queue", "The queue was cleared."),
    Act("control.drop_next_one", "Remove", "The entry was removed."),
    Act("control.set_webhook_target", "Set endpoint", "The endpoint was set."),
    Act("control.resend_webhook", "Resend", "The event was resent.", "resend", "Send an event again and show the receiver's answer."),
    Act("control.resend_webhooks", "Resend", "The events are being resent."),
    Act("control.trigger_webhook", "Send test event", "The test event was sent.", "trigger", "Send an event (payment_failed …) for a payment, refund, dispute or mandate in its current state. Without an object, create one and make the event happen."),
    Act("control.sign_webhook", "Sign", "The body was signed."),
)  # fmt: skip
BY_OPERATION: Final = {act.operation: act for act in ACTS}
BY_COMMAND: Final = {act.command: act for act in ACTS if act.command}
