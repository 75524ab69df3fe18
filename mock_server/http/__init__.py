"""How a request walks: what came in, the stages it goes through, and the answer that leaves."""
