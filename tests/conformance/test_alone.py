"""The suite knows a server by its address alone."""

from __future__ import annotations

import sys

from tests.architecture.sources import PACKAGE, modules

OWN = f"{PACKAGE}.conformance"
ALLOWED = (OWN, f"{PACKAGE}.domain", f"{PACKAGE}.addresses", f"{PACKAGE}.clock", f"{PACKAGE}.connections")


def test_it_imports_the_standard_library_and_the_domain() -> None:
    found = [
        f"{module.name}:{line} imports {name}"
        for module in modules(f"{PACKAGE}/conformance")
        for name, line in module.imports()
        if not name.startswith(ALLOWED) and name.split(".")[0] not in sys.stdlib_module_names
    ]
    assert found == []
    assert any(module.name.startswith(OWN) for module in modules(f"{PACKAGE}/conformance"))
