"""The shapes of what comes in and goes out: requests checked, answers written."""
