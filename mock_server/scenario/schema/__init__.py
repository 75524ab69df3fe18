"""The language's grammar: one marshmallow schema a block, one field a sort of value; it also makes the JSON Schema."""
