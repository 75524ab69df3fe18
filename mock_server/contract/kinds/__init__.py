"""One library of kinds of values, for API bodies, the control API's bodies and the scenario language.

A kind defines four things: how a value is read (its types `takes`, then `turn`, and the `rules` after it), its JSON
Schema (`json`), and the message for a wrong value (`wrong`, `refuse`). Kinds are marshmallow fields, so marshmallow
decides about wrong bodies and explains them. Valid ones are read by what is compiled from the same three.

A new kind derives from the nearest one here and defines what differs. If it overrides `read`, marshmallow reads its
values: slower, but as correct.
"""
