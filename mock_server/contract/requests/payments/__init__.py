"""The requests of the payments API. Nothing is imported here: one thread may load it as another loads a part of it."""
