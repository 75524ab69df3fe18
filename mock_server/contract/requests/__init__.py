"""The shapes of requests: one marshmallow schema each, read into one frozen command.

How to add a shape
------------------
1. The command: a frozen dataclass in `domain/commands.py`. Nothing in it knows of JSON, `None` means "not sent".
2. The schema: a class derived from `schema.Body` with fields of `fields` (`Text`, `Choice`, `Whole`, `Amount`, `Flag`,
   `Part`, `Items` …), in a module that only late imports reach, because it imports marshmallow. Give each field its
   sentence, a `source`, and an example; the API's document is written from them. An object that answers give back
   derives from `schema.Shown`, its fields in the documented order. A rule over several fields is a `rules.Cross` in
   `crosses`; a rule that needs another object or the workspace belongs to the engine.
3. The builder: a function from what the schema loads (a dict; optional fields may be there as None) to the command,
   without marshmallow.
4. The shape: `Shape(lambda: <late import of the schema>(), builder)` in the package's `__init__`.
5. A row for every way to be wrong in `tests/contract/requests/`, and the schema in the list of the property test there.

A new kind of field or validator works at once, by way of marshmallow; a maker in `leaves.LEAVES` makes it quick.
"""
