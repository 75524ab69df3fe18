"""The conformance suite: what clients of the API rely on, checked over HTTP.

It needs only the URL of a server, so the same checks work for the sandbox in a thread, in a process or in a container,
and for other servers of this API. It imports only the standard library and tables of the domain; real time and new
names are arguments.
"""
