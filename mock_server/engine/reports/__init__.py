"""A merchant's numbers: metrics, the values that can be filtered by, and CSV files (facts §1.7)."""
