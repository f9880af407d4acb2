"""Refusals: a stable code, the clause behind it, and a sentence that says what to do.

The sentence is an English message id with ``{placeholders}``; the edge that shows it translates it. Codes are a
contract: scenarios, the control socket and the terminal know them.
"""

from __future__ import annotations

from msgspec import Struct


class Refusal(Struct, frozen=True):
    """Why something did not happen. `text` is a message id, `args` fill its placeholders."""

    code: str
    clause: str
    text: str
    args: dict[str, str] = {}

    @property
    def english(self) -> str:
        """The sentence in English."""
        return self.text.format_map(self.args)
