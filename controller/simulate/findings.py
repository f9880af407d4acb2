"""What an audit finds: a sentence about something that is not as it should be."""

from __future__ import annotations

from typing import Any


class AuditError(Exception):
    """The table did what it must not. `text` is a message id that `values` fill; `clause` is the rule."""

    def __init__(self, clause: str, text: str, **values: Any) -> None:
        super().__init__(text.format_map(values))
        self.clause = clause
        self.text = text
        self.values = values
