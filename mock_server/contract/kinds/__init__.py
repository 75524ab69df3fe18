"""One library of kinds of values, for API bodies, the control API's bodies and the scenario language.

A kind knows four things: what it takes and makes of it (`read`, and the `rules` after it), the same in plain functions
for values that are right (`quick`), what a JSON Schema says of it (`json`), and its sentence when it is wrong
(`wrong`, `refuse`). marshmallow decides and explains a wrong body; kinds are its fields.

A new kind derives from the nearest one here and says what differs. One that reads in its own way and has no `quick` of
its own is left to marshmallow: it costs speed, and never correctness.
"""
