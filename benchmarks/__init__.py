"""Measurements: `make bench` runs them beside other servers, `make bench-soak` looks for what grows in ten minutes."""
