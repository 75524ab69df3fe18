"""The shapes of answers: one table of fields a record, in the order in which they are written."""
