"""The fields that the public API's requests have, by our operations: names alone (facts §1 to §2.8)."""

from __future__ import annotations

from typing import Final

PUBLIC: Final = {
    "payments.create": """
        amount order_tax_amount currency amount_to_capture shipping_cost payment_id routing connector capture_method
        authentication_type billing confirm customer customer_id off_session description return_url setup_future_usage
        payment_method_data payment_method payment_token shipping statement_descriptor_name
        statement_descriptor_suffix order_details mandate_data customer_acceptance mandate_id browser_info
        payment_experience payment_method_type business_country business_label merchant_connector_details
        allowed_payment_method_types metadata connector_metadata payment_link payment_link_config
        payment_link_config_id profile_id surcharge_details payment_type request_incremental_authorization
        session_expiry frm_metadata request_external_three_ds_authentication three_ds_data recurring_details
        split_payments request_extended_authorization merchant_order_reference_id skip_external_tax_calculation
        psd2_sca_exemption_type ctp_service_details force_3ds_challenge threeds_method_comp_ind
        is_iframe_redirection_enabled all_keys_required payment_channel tax_status discount_amount shipping_amount_tax
        duty_amount order_date enable_partial_authorization enable_overcapture is_stored_credential mit_category
        billing_descriptor tokenization partner_merchant_identifier_details installment_options installment_data
        profile_acquirer_id external_surcharge_strategy
    """,
    "payments.update": """
        amount order_tax_amount currency amount_to_capture shipping_cost payment_id routing connector capture_method
        authentication_type billing confirm customer customer_id off_session description return_url setup_future_usage
        payment_method_data payment_method payment_token shipping statement_descriptor_name
        statement_descriptor_suffix order_details mandate_data customer_acceptance browser_info payment_experience
        payment_method_type merchant_connector_details allowed_payment_method_types retry_action metadata
        connector_metadata payment_link payment_link_config payment_link_config_id surcharge_details payment_type
        request_incremental_authorization session_expiry frm_metadata request_external_three_ds_authentication
        three_ds_data recurring_details split_payments request_extended_authorization merchant_order_reference_id
        skip_external_tax_calculation psd2_sca_exemption_type ctp_service_details force_3ds_challenge
        threeds_method_comp_ind is_iframe_redirection_enabled all_keys_required payment_channel tax_status
        discount_amount shipping_amount_tax duty_amount order_date enable_partial_authorization enable_overcapture
        is_stored_credential mit_category billing_descriptor tokenization partner_merchant_identifier_details
        installment_options installment_data profile_acquirer_id external_surcharge_strategy
    """,
    "payments.confirm": """
        amount order_tax_amount currency amount_to_capture shipping_cost payment_id routing connector capture_method
        authentication_type billing confirm customer customer_id off_session description return_url setup_future_usage
        payment_method_data payment_method payment_token shipping statement_descriptor_name
        statement_descriptor_suffix order_details client_secret mandate_data customer_acceptance mandate_id
        browser_info payment_experience payment_method_type merchant_connector_details allowed_payment_method_types
        retry_action metadata connector_metadata payment_link payment_link_config payment_link_config_id payment_type
        request_incremental_authorization session_expiry frm_metadata request_external_three_ds_authentication
        three_ds_data recurring_details split_payments request_extended_authorization merchant_order_reference_id
        skip_external_tax_calculation psd2_sca_exemption_type ctp_service_details force_3ds_challenge
        threeds_method_comp_ind is_iframe_redirection_enabled all_keys_required payment_channel tax_status
        discount_amount shipping_amount_tax duty_amount order_date enable_partial_authorization is_stored_credential
        mit_category billing_descriptor tokenization partner_merchant_identifier_details installment_options
        installment_data profile_acquirer_id external_surcharge_strategy
    """,
    "payments.capture": """
        merchant_id amount_to_capture refund_uncaptured_amount statement_descriptor_suffix statement_descriptor_prefix
        merchant_connector_details all_keys_required
    """,
    "payments.cancel": """
        cancellation_reason merchant_connector_details all_keys_required
    """,
    "payments.cancel_post_capture": """
        cancellation_reason
    """,
    "payments.incremental_authorization": """
        amount reason
    """,
    "payments.update_metadata": """
        metadata feature_metadata
    """,
    "payments.complete_authorize": """
        shipping client_secret threeds_method_comp_ind
    """,
    "payments.session_tokens": """
        payment_id client_secret wallets merchant_connector_details
    """,
    "refunds.create": """
        payment_id refund_id merchant_id amount reason refund_type metadata merchant_connector_details split_refunds
        all_keys_required
    """,
    "refunds.update": """
        reason metadata
    """,
    "customers.create": """
        customer_id name email phone description phone_country_code address metadata tax_registration_id
        document_details
    """,
    "customers.update": """
        name email phone description phone_country_code address metadata tax_registration_id document_details
    """,
    "payment_methods.create": """
        payment_method payment_method_type payment_method_issuer payment_method_issuer_code card metadata customer_id
        card_network bank_transfer bank_transfer_data wallet client_secret payment_method_data billing
    """,
    "payment_methods.update": """
        card wallet client_secret
    """,
    "profiles.create": """
        profile_name return_url enable_payment_response_hash payment_response_hash_key
        redirect_to_merchant_with_http_post webhook_details metadata routing_algorithm intent_fulfillment_time
        frm_routing_algorithm payout_routing_algorithm applepay_verified_domains session_expiry payment_link_config
        authentication_connector_details use_billing_as_payment_method_billing
        collect_shipping_details_from_wallet_connector collect_billing_details_from_wallet_connector
        always_collect_shipping_details_from_wallet_connector always_collect_billing_details_from_wallet_connector
        is_connector_agnostic_mit_enabled payout_link_config outgoing_webhook_custom_http_headers tax_connector_id
        is_tax_connector_enabled is_network_tokenization_enabled is_auto_retries_enabled max_auto_retries_enabled
        always_request_extended_authorization is_click_to_pay_enabled authentication_product_ids
        card_testing_guard_config is_clear_pan_retries_enabled force_3ds_challenge is_debit_routing_enabled
        merchant_business_country is_iframe_redirection_enabled is_pre_network_tokenization_enabled
        merchant_category_code merchant_country_code dispute_polling_interval is_manual_retry_enabled
        always_enable_overcapture is_external_vault_enabled external_vault_connector_details billing_processor_id
        surcharge_connector_details is_l2_l3_enabled network_tokenization_credentials payment_method_blocking
    """,
    "accounts.create": """
        merchant_id merchant_name merchant_details return_url webhook_details payout_routing_algorithm
        sub_merchants_enabled parent_merchant_id enable_payment_response_hash payment_response_hash_key
        redirect_to_merchant_with_http_post metadata publishable_key locker_id primary_business_details
        frm_routing_algorithm organization_id pm_collect_link_config product_type merchant_account_type
        network_tokenization_credentials
    """,
    "accounts.update": """
        merchant_id merchant_name merchant_details return_url webhook_details payout_routing_algorithm
        sub_merchants_enabled parent_merchant_id enable_payment_response_hash payment_response_hash_key
        redirect_to_merchant_with_http_post metadata publishable_key locker_id primary_business_details
        frm_routing_algorithm default_profile pm_collect_link_config network_tokenization_credentials
    """,
    "connectors.create": """
        connector_type connector_name connector_label profile_id connector_account_details payment_methods_enabled
        connector_webhook_details metadata test_mode disabled frm_configs business_country business_label
        business_sub_label merchant_connector_id pm_auth_config status additional_merchant_data
        connector_wallets_details
    """,
    "connectors.update": """
        connector_type connector_label connector_account_details payment_methods_enabled connector_webhook_details
        metadata test_mode disabled frm_configs pm_auth_config status additional_merchant_data
        connector_wallets_details
    """,
    "api_keys.create": """
        name description expiration
    """,
    "events.list": """
        created_after created_before limit offset object_id event_id profile_id event_classes event_types is_delivered
    """,
    "disputes.submit_evidence": """
        dispute_id access_activity_log billing_address cancellation_policy cancellation_policy_disclosure
        cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip
        customer_signature product_description receipt refund_policy refund_policy_disclosure
        refund_refusal_explanation service_date service_documentation shipping_address shipping_carrier shipping_date
        shipping_documentation shipping_tracking_number invoice_showing_distinct_transactions
        recurring_transaction_agreement uncategorized_file uncategorized_text
    """,
    "refunds.list": """
        payment_id refund_id profile_id limit offset start_time end_time amount_filter connector merchant_connector_id
        currency refund_status
    """,
}
QUERIES: Final = {
    "payment_methods.list": """
        client_secret accepted_countries accepted_currencies amount recurring_enabled installment_payment_enabled
        limit card_networks
    """,
}
