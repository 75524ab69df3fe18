"""The store: one interface, and its implementation in memory."""
