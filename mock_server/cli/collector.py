"""The garbage collector of a served sandbox: it rests while modules come in, and never looks at them again.

Imports make a hundred thousand objects that all stay; looking through them costs a tenth of the start, and a pause
each time the collector comes by later.
"""

from __future__ import annotations

import gc


def rest() -> None:
    """Nothing is collected until `resume`."""
    gc.disable()


def resume() -> None:
    """What is there now stays for good; only what comes is looked at."""
    gc.freeze()
    gc.enable()
