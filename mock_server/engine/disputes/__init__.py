"""Charges that customers' banks take back: opened, fought over, decided, looked at (facts §1.3, §3.7)."""
