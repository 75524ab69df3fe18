"""The conformance suite: what a client of the API relies on, asked of any server over HTTP.

It knows a server by its address and nothing else, so that the same checks hold for the sandbox in a thread, in a
process, in a container, and for whatever else speaks this API. It imports the standard library and tables of the
domain; real time and fresh names are handed in.
"""
