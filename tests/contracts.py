"""An import contract that import-linter does not bring: a list of what is allowed, not of what is forbidden.

A list of forbidden modules is out of date with the next module somebody thinks of; for the rooms that must
stay pure, everything is forbidden except what stands here.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

# No clock, no I/O, no randomness, no threads, no floating-point mathematics.
PURE_STDLIB = frozenset(
    {
        "__future__",
        "abc",
        "bisect",
        "collections",
        "copy",
        "dataclasses",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "operator",
        "re",
        "string",
        "textwrap",
        "types",
        "typing",
    }
)


class PureContract(Contract):
    """The modules in and under `sources` import each other, pure standard library, and `allowed`."""

    sources = fields.SetField(subfield=fields.StringField())
    allowed = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        sources: set[str] = self.sources  # type: ignore[assignment]
        allowed: set[str] = self.allowed  # type: ignore[assignment]
        inside = set(sources)
        for source in sources:
            inside |= graph.find_descendants(source)
        strangers = [
            detail
            for importer in sorted(inside)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if imported not in inside | allowed | PURE_STDLIB
            for detail in graph.get_import_details(importer=importer, imported=imported)
        ]
        return ContractCheck(kept=not strangers, metadata={"strangers": strangers})

    def render_broken_contract(self, check: ContractCheck) -> None:
        strangers: list[dict[str, Any]] = check.metadata["strangers"]
        for detail in strangers:
            output.print_error(
                f"{detail['importer']}:{detail['line_number']} must not import {detail['imported']}: "
                f"{detail['line_contents']}"
            )
