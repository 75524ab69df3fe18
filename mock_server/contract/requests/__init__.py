"""The shapes of requests: one file a resource, each body one marshmallow schema, which is read into a frozen command.

How to add a shape
------------------
1. The command: a frozen value in `domain/`. It is independent of JSON; `None` means "not sent". A few plain values need
   none: the engine's function gets them by name.
2. The schema: a class derived from `kinds.objects.Body`, its fields of the kinds in `contract/kinds/`. Give the body
   its `source`, and each field its description and an example: the OpenAPI document is made from them. An object that
   answers return derives from `ShownBody`, its fields in the documented order. A rule over several fields is a
   `rules.Cross` in `crosses`; a rule that needs another object or the workspace belongs to the engine.
3. The shape: `asking(TheBody, TheCommand)`, or `storing` if values go to the record or into answers; without a command
   the operation's row names the body itself. If the places of the rows are not enough, `Shape(TheBody, builder)` with a
   function from what the schema loads (a dict; optional fields may be None) to the command.
4. A row for every possible mistake in `tests/contract/requests/`, and the schema in the property test there.
"""
