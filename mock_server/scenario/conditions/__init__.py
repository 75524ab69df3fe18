"""Conditions of a rule: what `on` and `when` may name, the paths, operators and patterns, and whether they hold."""
