"""A client's run-through, played step by step."""
