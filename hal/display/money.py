"""How a display writes money: given by the caller, since ``hal`` knows no currency. Needs no vendor's library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Money:
    """How amounts are written: `digits` decimals (ISO 4217), a mark between thousands and one before the decimals, and
    the currency's name as the sign shows it."""

    digits: int
    thousands: str
    decimal: str
    name: str

    def text(self, minor: int) -> str:
        """`minor` units, without the name: 1250000 is "1.250.000" for pesos, "12.500,00" for bolivianos."""
        return self._written(minor, self.thousands, self.decimal)

    def plain(self, minor: int) -> str:
        """`minor` units as a seven-segment counter shows them: no mark but the decimal point."""
        return self._written(minor, "", ".")

    def _written(self, minor: int, thousands: str, decimal: str) -> str:
        whole, fraction = divmod(abs(minor), 10**self.digits)
        text = f"{whole:,}".replace(",", thousands)
        if self.digits:
            text += f"{decimal}{fraction:0{self.digits}}"
        return "-" + text if minor < 0 else text
