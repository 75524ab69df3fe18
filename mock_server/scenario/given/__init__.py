"""The records that are there before the first call: written out, or made up from the seed."""
