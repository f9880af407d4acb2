"""Opens a GPIO factory, says what came of it, and ends: ``python -m controller.doctor.opening lgpio [EXPANDER]``.

In a process of its own: vendors' libraries leave threads and pipes behind, and may fall down altogether. No line is
claimed, so that a table that runs meanwhile does not notice.
"""

from __future__ import annotations

import sys
from typing import cast

from hal.gpio.chips import open_chips
from hal.gpio.wiring import FactoryName, Hardware, Pin, Wiring
from hal.port import HardwareError


def main(arguments: list[str]) -> int:
    """0 when it opens; 1, with the reason on the standard output, when it does not."""
    name, *expander = arguments
    nothing = Pin("header", 5)
    wiring = Wiring(nothing, nothing, Pin("header", 20), Pin("header", 21), ())
    label: str | int | None = None
    if expander:
        label = int(expander[0]) if expander[0].isdigit() else expander[0]
    try:
        open_chips(Hardware(cast(FactoryName, name), wiring, label)).close()
    except HardwareError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
