"""What set-up scripts do: merchant accounts and keys in the server's own registry, connectors in a merchant's
workspace.
"""
