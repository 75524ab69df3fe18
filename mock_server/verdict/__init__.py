"""The verdict on a client: its mistakes, and what its tests miss, from JSON as the control API returns it."""
