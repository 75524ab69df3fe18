"""A scenario as frozen values, and what every part of the language speaks in: outcomes, mistakes, durations."""
