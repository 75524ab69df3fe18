"""What goes over the wire, as data: operations, bodies, answers, and what a dialect says of them (ours)."""
