"""What makes the machine a Raspberry Pi, as far as pozo can see: its header, an expander, a bus, a revision.

Run once at each start, as root. The header is a gpiochip of the kernel's gpio-sim with the label of a Pi's, and the
expander another; the OLED's place on the I2C bus is taken by i2c-stub, which keeps what is written to it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

CONFIG = Path("/sys/kernel/config/gpio-sim")
HEADER, EXPANDER = ("pinctrl-bcm2711", 58), ("mcp23017", 16)
"""Label and lines of the two chips: those of a Pi 4 B, and of an MCP23017 behind its kernel driver."""

OLED = 0x3C
REVISION = "c03114"
"""Raspberry Pi 4 B 4 GB, revision 1.4. A board has it in the device tree; here it is in a copy of cpuinfo."""

CPUINFO = Path("/run/board/cpuinfo")


def main() -> None:
    """Set everything up."""
    for chip in (HEADER, EXPANDER):  # in this order: the header is gpiochip0
        simulate(*chip)
    subprocess.run(["modprobe", "i2c-stub", f"chip_addr={OLED:#x}"], check=True)
    CPUINFO.parent.mkdir(parents=True)
    CPUINFO.write_text(Path("/proc/cpuinfo").read_text() + f"\nHardware\t: BCM2711\nRevision\t: {REVISION}\n")
    subprocess.run(["mount", "--bind", CPUINFO, "/proc/cpuinfo"], check=True)


def simulate(label: str, lines: int) -> None:
    """Make one chip."""
    bank = CONFIG / label / "bank"
    bank.mkdir(parents=True)
    (bank / "num_lines").write_text(str(lines))
    (bank / "label").write_text(label)
    (CONFIG / label / "live").write_text("1")


if __name__ == "__main__":
    main()
