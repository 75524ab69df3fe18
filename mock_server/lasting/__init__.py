"""Persistent workspaces: the store in memory, and a file or database with all changes. Imported only for `data`."""
