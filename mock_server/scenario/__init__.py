"""The scenario language: what chance decides, written down. Reading, deciding, expecting, playing."""
