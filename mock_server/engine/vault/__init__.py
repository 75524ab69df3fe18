"""What is kept of a customer for later charges: methods, tokens, mandates, and keys for the browser."""
