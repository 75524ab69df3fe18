"""Money that goes back: created, answered by the connector, settled later, looked at (facts §1.2, §3.7)."""
