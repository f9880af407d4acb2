"""Rows of a report, set in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = Sequence[str]

ALL_LEFT = 99
"""More columns than any report has."""


def section(title: str, rows: Iterable[Row], right: int = ALL_LEFT) -> str:
    """A title and its rows in columns; those from column `right` on are aligned to the right.

    A row may be shorter than the others; its last cell then takes the room that it needs. Empty rows are left out.
    """
    cells = [row for row in rows if any(row)]
    count = max(map(len, cells), default=0)
    widths = [max((len(row[column]) for row in cells if column < len(row) - 1 or column >= right), default=0)
              for column in range(count)]  # fmt: skip
    lines = [
        "  ".join(
            cell.rjust(widths[column]) if column >= right else cell.ljust(widths[column])
            for column, cell in enumerate(row)
        )
        for row in cells
    ]
    return "\n".join([title, *(f"  {line}".rstrip() for line in lines)])
