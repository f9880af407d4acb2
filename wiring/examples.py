"""Text that a Pi reads, made from the pin table: the `[hal]` of an example table, and lines for ``config.txt``."""

from __future__ import annotations

from msgspec import to_builtins

from wiring.data import Display, Pins, TableName

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
        f"expander_bus = {pins.expander.bus.removeprefix('I2C')}",
    ]
    lines = [line for line in pins.of(table) if line.name != pins.expander.interrupt]
    plain = [line for line in lines if not line.seat and "." not in line.name]
    out += [f'{line.name} = "{line.at}"' for line in plain]
    out += ["", "[hal.dealer_keys]"]
    out += [f'{line.name.partition(".")[2]} = "{line.at}"' for line in lines if line.name.startswith("dealer_keys.")]
    for seat in range(1, pins.tables[table].seats + 1):
        out += ["", f"[[hal.seats]]{' ' * 20}# seat {seat}"]
        out += [f'{line.name} = "{line.at}"' for line in lines if line.seat == seat]
    for display in pins.displays:
        out += ["", "[[hal.displays]]", *_display(display)]
    return "\n".join(out) + "\n"


def _display(display: Display) -> list[str]:
    """The keys of one display, an address as boards and ``i2cdetect`` have it."""
    keys: dict[str, str | int] = to_builtins(display)
    written = {key: f'"{value}"' if isinstance(value, str) else str(value) for key, value in keys.items()}
    if display.address:
        written["address"] = f"0x{display.address:02x}"
    return [f"{key} = {value}" for key, value in written.items()]


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
