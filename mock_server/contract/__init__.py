"""The API as data: operations, bodies, answers, and what a dialect can change in them (ours)."""
