"""`python -m mock_server`, the same as the command `payment-sandbox`."""

from __future__ import annotations

from mock_server.cli import main

if __name__ == "__main__":
    main(prog_name="payment-sandbox")
