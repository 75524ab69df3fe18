"""From a text to a sound scenario: reading, checking, building, and the lists of scenarios within reach."""
