"""The server's own figures: what is counted while it serves, and what each figure means to those who scrape it."""
