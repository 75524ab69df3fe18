"""The project's files and what each module imports, lazy imports inside functions included."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = "mock_server"
TEXTS: Final = frozenset(
    {".py", ".md", ".toml", ".yaml", ".yml", ".cfg", ".txt", ".html", ".css", ".js", ".mjs", ".sh"}
)
LEFT_OUT: Final = frozenset({"node_modules", ".git", ".venv", "dist", "build", "__pycache__", "htmlcov"})
TOOLS: Final = (".hypothesis", ".coverage")
"""What tools leave behind, beside their caches."""


@dataclass(frozen=True)
class Module:
    """One Python file as a module."""

    name: str
    source: str
    is_package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All of the tree, walked once for every rule that asks."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def lines(self) -> list[str]:
        return self.source.splitlines()

    def late_imports(self) -> Iterator[tuple[str, int]]:
        """Yield what is imported inside functions, as `imports` does."""
        functions = (node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
        inside = dict.fromkeys(node for function in functions for node in ast.walk(function))
        for node in inside:
            yield from self._imported(node)

    def imports(self, *, for_types: bool = True) -> Iterator[tuple[str, int]]:
        """Yield every imported name with its line; `from a import b` as `a.b`.

        `for_types`: also what stands under `if TYPE_CHECKING`, which never runs.
        """
        never_run = set() if for_types else self._never_run()
        for node in self.nodes:
            if node not in never_run:
                yield from self._imported(node)

    def _imported(self, node: ast.AST) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = self._absolute(node)
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)

    def _never_run(self) -> set[ast.AST]:
        blocks = (node for node in self.nodes if isinstance(node, ast.If))
        return {
            inner
            for block in blocks
            if isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
            for statement in block.body
            for inner in ast.walk(statement)
        }

    def calls(self) -> Iterator[ast.Call]:
        """Yield every call."""
        yield from (node for node in self.nodes if isinstance(node, ast.Call))

    def _absolute(self, node: ast.ImportFrom) -> str:
        if node.level == 0:
            return node.module or ""
        parts = self.name.split(".")
        above = parts[: len(parts) - node.level + (1 if self.is_package else 0)]
        return ".".join([*above, *([node.module] if node.module else [])])


def read_module(path: Path) -> Module:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return Module(name, path.read_text(encoding="utf-8"), is_package)


@cache
def modules(folder: str = PACKAGE) -> tuple[Module, ...]:
    """The modules of a folder, read once for every rule that asks."""
    return tuple(read_module(path) for path in sorted((ROOT / folder).rglob("*.py")))


@cache
def files() -> tuple[Path, ...]:
    """Every text file of the project."""
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = filter(_is_ours, folders)  # what is left out holds twenty times as much
        found += (Path(folder, name) for name in filter(_is_ours, names))
    return tuple(sorted(path for path in found if path.suffix in {*TEXTS, ""} and path.is_file()))


def _is_ours(name: str) -> bool:
    return not (name in LEFT_OUT or name.endswith("_cache") or name.startswith(TOOLS))
