"""What must be true at the end: counted while calls are served, checked when somebody asks."""
