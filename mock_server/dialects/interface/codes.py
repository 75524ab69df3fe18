"""The public codes: one row a code; those to which no cause leads have the reason (facts §4.2, §4.3).

A scenario's `error:` can answer with each of them. Texts are our own.
"""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import CodeRow

_INVALID, _API, _CONNECTOR = "invalid_request", "api", "connector"
_PLATFORM: Final = "platform and connected accounts are not modelled"
_DECLINE: Final = "a refusal by the bank is HTTP 200 with status failed (facts §3.4)"
_INCOMING: Final = "there is no route for incoming webhooks of connectors"
_PAYOUT: Final = "payouts are not modelled"
_DASHBOARD: Final = "dashboard logins are not modelled"
_VALUE: Final = "an invalid value is IR_04 (interface §7)"

CODES: Final = (
    CodeRow("IR_00", 501, _INVALID, "This feature is not available yet."),
    CodeRow("IR_01", 401, _INVALID, "The API key is missing or not valid."),
    CodeRow("IR_02", 404, _INVALID, "There is no route at this URL."),
    CodeRow("IR_03", 405, _INVALID, "This URL does not support this method."),
    CodeRow("IR_04", 400, _INVALID, "The value of a field is missing or not valid."),
    CodeRow("IR_05", 422, _INVALID, "A field has data that cannot be used."),
    CodeRow("IR_06", 422, _INVALID, "The request is not valid."),
    CodeRow("IR_07", 400, _INVALID, "A parameter has a value that is not valid.", _VALUE),
    CodeRow("IR_08", 400, _INVALID, "The client_secret has expired."),
    CodeRow("IR_09", 400, _INVALID, "The client_secret does not belong to this payment."),
    CodeRow("IR_10", 400, _INVALID, "The customer has an active mandate."),
    CodeRow("IR_11", 400, _INVALID, "The customer was deleted."),
    CodeRow("IR_12", 400, _INVALID, "The payment has the maximum number of refunds."),
    CodeRow("IR_13", 400, _INVALID, "The refund is larger than what was captured."),
    CodeRow("IR_14", 400, _INVALID, "The payment's status does not allow this."),
    CodeRow("IR_15", 401, _INVALID, "The ephemeral key is not valid for this customer."),
    CodeRow("IR_16", 400, _INVALID, "A precondition of this call failed."),
    CodeRow("IR_17", 401, _INVALID, "The token is not valid.", _DASHBOARD),
    CodeRow("IR_18", 401, _INVALID, "The caller is not allowed to do this."),
    CodeRow("IR_19", 400, _INVALID, "The payment method type is not supported.", "all twenty-four pairs of interface §4.2 work"),
    CodeRow("IR_20", 400, _INVALID, "The connector does not support this flow.", "the sandbox's connector supports every flow"),
    CodeRow("IR_21", 400, _INVALID, "Several required parameters are missing.", "all invalid fields are in one IR_04 (ours)"),
    CodeRow("IR_22", 403, _INVALID, "The caller has no access to this resource."),
    CodeRow("IR_23", 400, _INVALID, "The file provider is not supported.", "files are kept by the sandbox itself"),
    CodeRow("IR_24", 422, _INVALID, "The wallet's token is not valid.", "any non-empty token is accepted (ours)"),
    CodeRow("IR_25", 400, _INVALID, "The default payment method cannot be deleted."),
    CodeRow("IR_26", 400, _INVALID, "The cookie is not valid.", _DASHBOARD),
    CodeRow("IR_27", 404, _INVALID, "There is no extended card information.", "extended card information is not modelled"),
    CodeRow("IR_28", 400, _INVALID, "The currency is not supported.", "every ISO 4217 currency is accepted"),
    CodeRow("IR_29", 422, _INVALID, "The request cannot be processed."),
    CodeRow("IR_30", 400, _INVALID, "The connector account is not configured correctly.", "connector accounts only set a name and id on payments (ours)"),
    CodeRow("IR_31", 400, _INVALID, "The card's first digits are not known.", "card range lookups are not modelled"),
    CodeRow("IR_32", 400, _INVALID, "The number of first digits of the card is not valid.", "card range lookups are not modelled"),
    CodeRow("IR_33", 400, _INVALID, "There is no file in the request."),
    CodeRow("IR_34", 400, _INVALID, "There is no dispute id in the request."),
    CodeRow("IR_35", 400, _INVALID, "The file's purpose is missing or not valid."),
    CodeRow("IR_36", 400, _INVALID, "The file's content type is missing."),
    CodeRow("IR_37", 404, _INVALID, "Not found."),
    CodeRow("IR_38", 400, _INVALID, "It exists already."),
    CodeRow("IR_39", 400, _INVALID, "No connector can take this payment method."),
    CodeRow("IR_40", 400, _INVALID, "The payment link is not configured correctly.", "the configuration of payment links has no effect here"),
    CodeRow("IR_41", 400, _INVALID, "The payout failed.", _PAYOUT),
    CodeRow("IR_42", 401, _INVALID, "The cookie is missing.", _DASHBOARD),
    CodeRow("IR_43", 400, _INVALID, "A platform account cannot do this.", _PLATFORM),
    CodeRow("IR_44", 401, _INVALID, "This operation is not valid for a platform account.", _PLATFORM),
    CodeRow("IR_45", 400, _INVALID, "The external vault failed.", "external vaults are not modelled"),
    CodeRow("IR_46", 400, _INVALID, "The payment differs from its mandate."),
    CodeRow("IR_47", 400, _INVALID, "A field is too long for the connector.", "the sandbox's connector accepts every valid length"),
    CodeRow("IR_48", 404, _INVALID, "The resource is locked by another payment.", "calls for the same object wait for each other, for microseconds only"),
    CodeRow("IR_49", 400, _INVALID, "A connected account cannot do this.", _PLATFORM),
    CodeRow("IR_50", 401, _INVALID, "This operation is not valid for a connected account.", _PLATFORM),
    CodeRow("IR_51", 401, _INVALID, "The basic credentials are not valid.", "basic authentication is not offered"),
    CodeRow("CE_00", 400, _CONNECTOR, "The connector answered with an error.", _DECLINE),
    CodeRow("CE_01", 400, _INVALID, "The authorization failed at the connector.", _DECLINE),
    CodeRow("CE_02", 400, _INVALID, "The authentication failed at the connector.", _DECLINE),
    CodeRow("CE_03", 400, _INVALID, "The capture failed at the connector.", _DECLINE),
    CodeRow("CE_04", 400, _INVALID, "The card's data is not valid.", _DECLINE),
    CodeRow("CE_05", 400, _INVALID, "The card has expired.", _DECLINE),
    CodeRow("CE_06", 400, _INVALID, "The refund failed at the connector.", "a refund that fails is HTTP 200 with status failed (facts §3.7)"),
    CodeRow("CE_07", 400, _INVALID, "The verification failed at the connector.", _DECLINE),
    CodeRow("CE_08", 400, _INVALID, "The dispute operation failed at the connector.", "the sandbox's connector accepts all evidence"),
    CodeRow("CE_09", 400, _INVALID, "The subscription operation failed.", "subscriptions are not modelled"),
    CodeRow("HE_00", 500, _API, "Something went wrong inside the processor."),
    CodeRow("HE_01", 400, _INVALID, "An object with this id exists already."),
    CodeRow("HE_02", 404, _INVALID, "The object was not found."),
    CodeRow("HE_03", 400, _INVALID, "The status of the object does not allow this."),
    CodeRow("HE_04", 404, _INVALID, "The dispute or file was not found."),
    CodeRow("HE_05", 500, _API, "The tenant is missing or not valid.", "there is one tenant; workspaces are separated by key"),
    CodeRow("HE_06", 500, _API, "The amount could not be converted.", "amounts are never converted"),
    CodeRow("IE_00", 500, _API, "The connector's answer does not match the request.", "the answers of the sandbox's connector always match"),
    CodeRow("WE_01", 401, _INVALID, "The incoming webhook is not authentic.", _INCOMING),
    CodeRow("WE_02", 400, _INVALID, "The incoming webhook is not valid.", _INCOMING),
    CodeRow("WE_03", 500, _API, "The incoming webhook could not be processed.", _INCOMING),
    CodeRow("WE_04", 404, _INVALID, "The incoming webhook's resource was not found.", _INCOMING),
    CodeRow("WE_05", 422, _INVALID, "The body of the incoming webhook is not valid.", _INCOMING),
    CodeRow("WE_06", 400, _INVALID, "The merchant's secret for incoming webhooks is not valid.", _INCOMING),
    CodeRow("RL_01", 429, "rate_limit", "Too many requests; wait until the limit resets."),
    CodeRow("SB_01", 503, _API, "The server is busy; try again in a second."),
    CodeRow("SB_02", 503, _API, "The server cannot save its state; try again in a second."),
)  # fmt: skip
