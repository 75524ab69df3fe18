"""One library of kinds of values, for API bodies, the control API's bodies and the scenario language.

A kind defines four things: how a value is read (`read`, and the `rules` after it), the same as a plain function for
valid values (`quick`), its JSON Schema (`json`), and the message for a wrong value (`wrong`, `refuse`). Kinds are
marshmallow fields, so marshmallow decides about wrong bodies and explains them.

A new kind derives from the nearest one here and defines what differs. If it overrides `read` without `quick`,
marshmallow reads its values: slower, but as correct.
"""
