"""The verdict on a client, from recorded calls and deliveries: its mistakes, and the outcomes that its tests miss.

Everything here reads JSON as the control API returns it, from a running sandbox or from a file.
"""
