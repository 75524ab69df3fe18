"""What can be done to a sandbox, by a command in a terminal and by a button of the dashboard: one row an act.

An act is a call of the API or of the control API. `command` is what is typed for it (empty: it has a button alone),
`label` what its button says, `done` what is said when it went well, `about` the first sentence of its help.
"""

# ruff: noqa: E501  (one row, one line)

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
    Act("payments.create", "Create payment", "The payment was created.", "pay", "Make a payment by card and confirm it: 65.40 USD, if nothing else is said. A decline is an answer too, and ends with 0."),
    Act("payments.confirm", "Retry", "The payment was tried again."),
    Act("refunds.create", "Refund", "The refund was created.", "refund", "Give a payment's money back, all of it or a part."),
    Act("payments.capture", "Capture", "The payment was captured.", "capture", "Take money that was set aside, all of it or a part."),
    Act("payments.cancel", "Cancel payment", "The payment was cancelled.", "cancel", "Cancel a payment whose money was not taken."),
    Act("payments.approve", "Approve", "The payment was approved.", "approve", "Approve a payment that is held for review, as the merchant."),
    Act("payments.reject", "Reject", "The payment was rejected.", "reject", "Reject a payment that is held for review, as the merchant."),
    Act("disputes.accept", "Accept dispute", "The dispute was accepted."),
    Act("control.authenticate", "Finish challenge", "The challenge is finished.", "authenticate", "End a challenge or another page of the customer's, as the customer does."),
    Act("control.dispute", "Dispute", "The dispute is open.", "dispute", "Let the customer's bank dispute a payment."),
    Act("control.settle", "Settle", "The payment was settled.", "settle", "Bring a pending payment or refund to its end, as its processor does."),
    Act("control.fail", "Fail", "The payment failed."),
    Act("control.hold", "Hold for review", "The payment waits for your review."),
    Act("control.expire", "Expire", "Its time is over."),
    Act("control.settle_refund", "Settle refund", "The refund was settled."),
    Act("control.advance_dispute", "Advance dispute", "The dispute was advanced."),
    Act("control.clock_advance", "Advance", "The clock was advanced.", "clock advance", "Advance the workspace's clock; what falls due happens."),
    Act("control.clock_freeze", "Freeze", "The clock is frozen.", "clock freeze", "Freeze the workspace's clock, now or at an instant."),
    Act("control.clock_resume", "Resume", "The clock runs again.", "clock resume", "Let the workspace's clock run from where it stands."),
    Act("control.reset", "Reset workspace", "The workspace is new.", "reset", "Put a new workspace in the place of the key's. It does not ask whether you are sure."),
    Act("control.set_dialect", "Set dialect", "The workspace speaks another dialect."),
    Act("control.forget_journal", "Empty journal", "The journal is empty."),
    Act("control.take_snapshot", "Save snapshot", "The snapshot is saved.", "snapshot save", "Keep the workspace under a name."),
    Act("control.restore_snapshot", "Restore", "The workspace is as it was then.", "snapshot restore", "Put what was kept in the place of the workspace."),
    Act("control.snapshots", "Snapshots", "", "snapshot list", "List what is kept."),
    Act("control.drop_snapshot", "Delete", "The snapshot is deleted.", "snapshot delete", "Forget what was kept."),
    Act("control.put_scenario", "Save", "The scenario is saved.", "scenarios put", "Put a scenario's file into the workspace; `scenarios on` turns it on."),
    Act("control.drop_scenario", "Delete", "The scenario is deleted."),
    Act("control.activate_scenario", "Turn on", "The scenario is on.", "scenarios on", "Turn a scenario on in the workspace."),
    Act("control.deactivate_scenario", "Turn off", "The scenario is off.", "scenarios off", "Turn a scenario off."),
    Act("control.check_scenario", "Run assertions", "The assertions were run."),
    Act("control.put_next", "Queue", "It is queued for the next such call.", "scenarios next", "Say what the next charge, or another call, comes to. THEN is a decline, an outcome, or what scenarios write below `then`."),
    Act("control.search", "Search", "", "search", "Find payments, refunds, disputes, customers, saved methods, mandates, events and calls. TEXT is how an id begins, a customer, an e-mail address, an order reference, an amount (65.40, 65.40 USD), an error code or a decline."),
    Act("control.drop_next", "Empty queue", "The queue is empty."),
    Act("control.set_webhook_target", "Set endpoint", "Events go there from now on."),
    Act("control.resend_webhook", "Resend", "The event was sent again.", "resend", "Send an event again, and say what the receiver answers."),
    Act("control.resend_webhooks", "Resend", "The events are being sent again."),
    Act("control.trigger_webhook", "Send test event", "The test event was sent.", "trigger", "Send an event (payment_failed …) of a payment, refund, dispute or mandate as it is now. Without an object it makes one, and does to it what it takes until the event comes."),
    Act("control.sign_webhook", "Sign", "The body was signed."),
)  # fmt: skip
"""Every act."""
BY_OPERATION: Final = {act.operation: act for act in ACTS}
BY_COMMAND: Final = {act.command: act for act in ACTS if act.command}
