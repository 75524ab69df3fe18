"""The shapes of requests: one file a resource, each body one marshmallow schema that is read into one frozen command.

How to add a shape
------------------
1. The command: a frozen value in `domain/`. Nothing in it knows of JSON, `None` means "not sent".
2. The schema: a class derived from `kinds.objects.Body`, its fields of the kinds in `contract/kinds/`. Give each its
   sentence, a `source`, and an example: the API's document is written from them. An object that answers give back
   derives from `ShownBody`, its fields in the documented order. A rule over several fields is a `rules.Cross` in
   `crosses`; a rule that needs another object or the workspace belongs to the engine.
3. The builder: a function from what the schema loads (a dict; optional fields may be there as None) to the command.
4. The shape: `Shape(TheBody, builder)`.
5. A row for every way to be wrong in `tests/contract/requests/`, and the schema in the list of the property test there.
"""
