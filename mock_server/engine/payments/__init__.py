"""What calls do with payments, one file per subject."""
