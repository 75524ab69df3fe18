"""What can be asked of a payment, one file a sort of question."""
