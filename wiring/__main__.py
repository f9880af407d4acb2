"""Makes everything that is made from the wiring's data: ``python -m wiring``, from the root of the repository.

Harnesses need Graphviz (`apt install graphviz`). Its versions place things differently, so a picture is drawn again
only if what it shows has changed: the mark in its first lines is the hash of that.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

from graphviz import ExecutableNotFound

from wiring.data import Part, Pins, problems, read_parts, read_pins
from wiring.examples import boot_lines, hal_section
from wiring.harnesses import drawings, source
from wiring.harnesses import svg as harness_svg
from wiring.pages import pages
from wiring.schematics import SHEETS

ROOT = Path(__file__).parent.parent
PICTURES = Path("docs/wiring")


def texts(pins: Pins, parts: dict[str, Part]) -> dict[Path, str]:
    """Every file that is the same wherever it is made, by its place: pages, examples, schematics."""
    made = pages(pins, parts)
    made |= {Path("wiring") / table.file: hal_section(pins, name) for name, table in pins.tables.items()}
    made[Path("wiring/config.txt")] = boot_lines(pins)
    made |= {PICTURES / f"{name}.svg": sheet(parts, pins).svg() for name, sheet in SHEETS.items()}
    return made


def marks(pins: Pins, parts: dict[str, Part]) -> dict[Path, str]:
    """The harness pictures' places, and the marks that they must bear."""
    return {
        PICTURES / f"{name}.svg": hashlib.sha256(source(drawing).encode()).hexdigest()[:16]
        for name, drawing in drawings(pins, parts).items()
    }


def mark_of(picture: str) -> str | None:
    """The mark that a picture bears, if any."""
    found = re.search(r"<!-- drawn from ([0-9a-f]{16}) -->", picture)
    return found[1] if found else None


def main() -> int:
    """Exit status 1 when a pin cannot be, or Graphviz is missing and needed."""
    pins, parts = read_pins(), read_parts()
    wrong = problems(pins)
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    for place, text in texts(pins, parts).items():
        (ROOT / place).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / place).write_text(text)
    harnesses = drawings(pins, parts)
    for place, mark in marks(pins, parts).items():
        there = ROOT / place
        if there.exists() and mark_of(there.read_text()) == mark:
            continue
        try:
            picture = harness_svg(harnesses[place.stem])
        except ExecutableNotFound:
            print(f"{place} is out of date and needs Graphviz to be drawn: apt install graphviz", file=sys.stderr)
            return 1
        there.write_text(picture.replace("<svg", f"<!-- drawn from {mark} -->\n<svg", 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
