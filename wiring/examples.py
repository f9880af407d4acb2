"""Text that a Pi reads, made from the pin table: the `[hal]` of an example table, and lines for ``config.txt``."""

from __future__ import annotations

from wiring.data import Pins, TableName

MADE = "# Made from wiring/pins.toml by `make wiring`: change that, not this."


def hal_section(pins: Pins, table: TableName) -> str:
    """The ``[hal]`` section for one of the tables."""
    out = [
        MADE,
        f"# The hardware of a table with {pins.tables[table].seats} seats that take {table}: docs/wiring.md.",
        "",
        "[hal]",
        'backend = "gpio"',
        'factory = "lgpio"',
        f'expander = "{pins.expander.label}"',
    ]
    lines = [line for line in pins.of(table) if line.name != pins.expander.interrupt]
    plain = [line for line in lines if not line.seat and "." not in line.name]
    out += [f'{line.name} = "{line.at}"' for line in plain]
    out += ["", "[hal.dealer_keys]"]
    out += [f'{line.name.partition(".")[2]} = "{line.at}"' for line in lines if line.name.startswith("dealer_keys.")]
    for seat in range(1, pins.tables[table].seats + 1):
        out += ["", f"[[hal.seats]]{' ' * 20}# seat {seat}"]
        out += [f'{line.name} = "{line.at}"' for line in lines if line.seat == seat]
    return "\n".join(out) + "\n"


def boot_lines(pins: Pins) -> str:
    """Lines for ``/boot/firmware/config.txt``: buses, the expander, and the watchdog."""
    interrupt = pins.line(pins.expander.interrupt, "credits")
    sda, scl = (
        next(at for at, what in pins.reserved.items() if what.startswith(f"{wire} of I2C3")) for wire in ("SDA", "SCL")
    )
    return "\n".join(
        [
            MADE,
            "# For /boot/firmware/config.txt, in its [all] section.",
            "dtparam=i2c_arm=on",
            "dtparam=spi=on",
            "dtparam=watchdog=on",
            f"dtoverlay=mcp23017,addr=0x{pins.expander.address:02x},gpiopin={interrupt.number}",
            f"dtoverlay=i2c-gpio,bus=3,i2c_gpio_sda={sda.removeprefix('GPIO')},i2c_gpio_scl={scl.removeprefix('GPIO')}",
            "",
        ]
    )
