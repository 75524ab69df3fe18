"""Telling merchants: what is sent, when, how it is signed, and what came of it (facts §6; decisions "Webhooks")."""
