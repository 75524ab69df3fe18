"""What the kept calls and deliveries say of the client: whether it is right, and what its tests never met.

Everything here reads plain JSON, as the control API gives it: from a running sandbox or from a file, it is the same.
"""
