"""What is saved for a customer's later charges: methods, tokens, mandates, and keys for the browser."""
