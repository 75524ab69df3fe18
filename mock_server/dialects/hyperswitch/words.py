"""The public API's lists of words, in the order in which its errors name them (facts §2.1, §3.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import words_of
from mock_server.domain.card_brands import NETWORKS
from mock_server.domain.statuses import ALIASES, PaymentStatus
from mock_server.domain.statuses import RefundStatus as R

WORD_LISTS: Final = {
    name: tuple(words.split())
    for name, words in {
        "Currency": """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF
        CLF CLP CNY COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD
        HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD
        MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG
        QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STD STN SVC SYP SZL THB TJS TMT TND TOP TRY
        TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL""",
        "CaptureMethod": "automatic manual manual_multiple scheduled sequential_automatic",
        "PaymentMethod": """
        card card_redirect pay_later wallet bank_redirect bank_transfer crypto bank_debit reward real_time_payment upi
        voucher gift_card open_banking mobile_payment network_token""",
        "PaymentMethodType": """
        ach affirm afterpay_clearpay alfamart ali_pay ali_pay_hk alma amazon_pay paysera apple_pay atome bacs
        bancontact_card becs benefit bizum blik bluecode boleto bca_bank_transfer bni_va breadpay bri_va
        bhn_card_network card_redirect cimb_va classic credit crypto_currency cashapp dana danamon_va debit duit_now
        efecty eft eft_debit_order eps flexiti fps evoucher giropay givex google_pay go_pay gcash ideal interac
        indomaret klarna kakao_pay local_bank_redirect mandiri_va knet mb_way mobile_pay momo momo_atm multibanco
        online_banking_thailand online_banking_czech_republic online_banking_finland online_banking_fpx
        online_banking_poland online_banking_slovakia oxxo pago_efectivo permata_bank_transfer open_banking_uk
        pay_bright payjustnow paypal paze pix pix_key pix_emv pix_qr pix_automatico_qr pix_automatico_push
        pay_safe_card przelewy24 prompt_pay pse qris red_compra red_pagos samsung_pay sepa sepa_bank_transfer
        sepa_guarenteed_debit skrill sofort swish touch_ngo trustly twint upi_collect upi_intent upi_qr vipps viet_qr
        venmo walley we_chat_pay seven_eleven lawson mini_stop family_mart seicomart pay_easy local_bank_transfer
        mifinity open_banking_pis direct_carrier_billing instant_bank_transfer instant_bank_transfer_finland
        instant_bank_transfer_poland revolut_pay indonesian_bank_transfer open_banking network_token""",
        "AuthenticationType": "three_ds no_three_ds",
        "FutureUsage": "off_session on_session",
        "PaymentStatus": """
        succeeded failed cancelled cancelled_post_capture processing requires_customer_action requires_merchant_action
        requires_payment_method requires_confirmation requires_capture partially_captured
        partially_captured_and_capturable partially_authorized_and_requires_capture partially_captured_and_processing
        conflicted expired review""",
        "RefundStatus": "failure manual_review pending success transaction_failure",
        "DisputeStatus": """
        dispute_opened dispute_expired dispute_accepted dispute_cancelled dispute_challenged dispute_won dispute_lost
        """,
        "DisputeStage": "pre_dispute dispute pre_arbitration arbitration dispute_reversal",
        "MandateStatus": "active inactive pending revoked",
        "CardNetwork": NETWORKS,
        "bank_type": "checking savings",
        "document_type": "cpf cnpj psn other",
        "ProductType": "physical digital travel ride event accommodation",
        "upi_source": "UPI_CC UPI_CL UPI_ACCOUNT UPI_CC_CL UPI_PPI UPI_VOUCHER",
        "Connector": """
        absa_sanlam authipay adyenplatform phonypay fauxpay pretendpay aci adyen affirm airwallex amazonpay archipel
        authorizedotnet bambora bamboraapac bankofamerica barclaycard billwerk bitpay bluesnap blackhawknetwork calida
        boku braintree breadpay cardinal cashtocode celero chargebee checkbook checkout coinbase coingate custombilling
        cryptopay ctp_mastercard ctp_visa cybersource cybersourcedecisionmanager datatrans deutschebank digitalvirgo
        dlocal dwolla ebanx envoy elavon facilitapay finix fiserv fiservemea fiservcommercehub fiuu flexiti forte
        getnet gigadat globalpay globepay gocardless gpayments hipay helcim hyperpg hyperswitch_vault interpayments
        inespay iatapay imerchantsolutions itaubank jpmorgan juspaythreedsserver klarna loonio mifinity mollie moneris
        multisafepay netcetera nexinets nexixpay nmi nomupay noon nordea novalnet nuvei opennode paybox payload payme
        payone paypal paysafe paystack paytm payconex payu peachpayments payjustnow payjustnowinstore phonepe
        placetopay powertranz prophetpay rapyd razorpay recurly redsys revolv3 santander shift4 silverflow square stax
        stripe stripebilling taxjar threedsecureio tesouro tokenex tokenio trustly truelayer trustpay trustpayments
        tsys vgs volt wellsfargo wise worldline worldpay worldpayvantiv worldpayxml worldpaymodular signifyd plaid
        riskified xendit zen zift zsl""",
    }.items()
}
"""The words of each list, by its name."""
WORDS: Final = words_of({PaymentStatus: {status.value: word for word, status in ALIASES.items()}})
WORDS[PaymentStatus] |= {one: one for one in ("partially_captured_and_processing", "conflicted", "review")}
"""The word of each status on the wire, by its kind; the last three are of statuses that no record has here."""
REFUND_WORDS: Final = {
    "success": R.SUCCEEDED, "failure": R.FAILED, "transaction_failure": R.FAILED, "manual_review": R.REVIEW,
}  # fmt: skip
"""The words of filters for a refund's status, which answers do not have."""
