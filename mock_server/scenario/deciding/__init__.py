"""Who decides a call, and why: the request itself, the queue, rules, chaos, cards, defaults."""
