"""Webhooks: what is sent, when, how it is signed, and with which result (facts §6; decisions "Webhooks")."""
