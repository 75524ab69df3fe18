"""Persistent workspaces: the store in memory, and a file or database to which all changes are written.

Imported only with the setting `data`.
"""
