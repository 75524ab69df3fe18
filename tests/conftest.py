"""What every test of the project has."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: two workers on a busy machine make single examples slow, not wrong.
settings.register_profile("project", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("project")
