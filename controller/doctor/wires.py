"""What hangs on the computer: the GPIO factory and its chips, I2C, SPI, serial ports."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.messages import msg
from controller.doctor.computer import PI_5_FAMILY, board_type
from controller.doctor.facts import Device, Facts, GpioChip, I2cBus, SerialPort, numbers
from controller.doctor.finding import Check, Finding, Level, found

LEAST = {"gpiozero": (2, 0, 1), "lgpio": (0, 2, 2)}
"""The oldest versions that are known to work; those of the extra "gpio" in pyproject.toml."""

WRONG_ON_PI_5 = ("2.0.1.post1", "2.0.1.post2")
"""Releases of gpiozero that chose RPi.GPIO on a Pi 5 (gpiozero#1229)."""

CHIP_MOVED = (6, 6, 45)
"""The kernel since which a Pi 5's header is gpiochip0; it was gpiochip4 (gpiozero#1166)."""

HEADERS = frozenset({"pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"})
"""The header's chip by its label: Pi 5, Pi 4, Pi 3 and Zero 2 W."""

KNOWN_ADDRESSES = {
    **dict.fromkeys(range(32, 40), "MCP23017"),
    0x3C: "OLED",
    0x3D: "OLED",
    0x51: "RTC",
    0x68: "RTC",
}

LGPIO = "lg"
"""The name under which lgpio claims lines."""

NEED_GROUP = msg("Run this as the table's user, or add it to the group: sudo usermod -aG {group} {user}")


NEED_RULES = msg("No group may use it: install the udev rules (make install) and restart.")


def allow(device: Device) -> str:
    """What to do about a device that may not be used."""
    return NEED_RULES if device.group in ("root", "?") else NEED_GROUP


def factory(facts: Facts) -> Iterator[Finding]:
    table, opened = facts.table, facts.factory
    if table is None or table.backend != "gpio":
        return
    name = table.factory
    if name == "mock":
        remedy = msg('Write factory = "lgpio" in [hal] for a table that people play at.')
        yield found("warn", "factory", msg("mock: a board without wires, for tests only"), remedy)
        return
    if name == "rpigpio":
        yield from _rpigpio(facts)
    yield from _versions(facts)
    if opened is not None and not opened.loads:
        yield found("fail", "factory", msg("{name} does not open: {said}"), "", name=name, said=opened.said)
    elif opened is not None:
        version = facts.packages.get("lgpio" if name == "lgpio" else "RPi.GPIO", "?")
        values = {"name": name, "version": version, "gpiozero": facts.packages.get("gpiozero", "?")}
        yield found("ok", "factory", msg("{name} {version} opens, gpiozero {gpiozero}"), **values)


def _rpigpio(facts: Facts) -> Iterator[Finding]:
    if board_type(facts.machine) in PI_5_FAMILY:
        remedy = msg('Write factory = "lgpio" in [hal].')
        yield found("fail", "factory", msg("rpigpio cannot run on a Pi 5"), remedy)
    else:
        remedy = msg('It has no time stamps of the kernel. Write factory = "lgpio" in [hal] as soon as it can be had.')
        yield found("warn", "factory", msg("rpigpio: degraded, for old systems only"), remedy)


def _versions(facts: Facts) -> Iterator[Finding]:
    wanted = ("gpiozero", "lgpio") if facts.table and facts.table.factory == "lgpio" else ("gpiozero",)
    for package in wanted:
        there = facts.packages.get(package, "")
        values = {"package": package, "there": there, "least": ".".join(map(str, LEAST[package]))}
        if package == "lgpio" and (not there or numbers(there) < LEAST["lgpio"]):
            remedy = msg("sudo apt install python3-lgpio, in an environment with --system-site-packages; pip has none.")
        else:
            remedy = msg("pip install '{package}>={least}' in pozo's environment, or apt install python3-{package}.")
        if not there:
            yield found("fail", "factory", msg("{package} is not installed"), remedy, **values)
        elif numbers(there) < LEAST[package]:
            yield found("fail", "factory", msg("{package} {there} is too old: {least} is needed"), remedy, **values)
        elif package == "gpiozero" and there in WRONG_ON_PI_5 and board_type(facts.machine) in PI_5_FAMILY:
            yield found(
                "warn", "factory", msg("{package} {there} chooses wrongly on a Pi 5 by itself"), remedy, **values
            )


def gpio(facts: Facts) -> Iterator[Finding]:
    machine = facts.machine
    if not facts.on_header:
        for chip in machine.chips:
            yield found("note", "gpio", msg("{path}: {label}, {lines} lines"), **_chip(chip))
        return
    header = [chip for chip in machine.chips if chip.label in HEADERS]
    if not machine.chips:
        remedy = msg(
            "Is this the board's own kernel (uname -r has rpi in it)? Reinstall it: apt install raspi-firmware."
        )
        yield found("fail", "gpio", msg("there is no /dev/gpiochip"), remedy)
    elif not header and all(chip.usable for chip in machine.chips):
        remedy = msg("Use a kernel for this board: without its pinctrl driver nothing on the header works.")
        yield found("fail", "gpio", msg("no chip is the header's"), remedy)
    yield from _number(facts, header)
    for chip in machine.chips:
        values = {**_chip(chip), "user": machine.user}
        if not chip.usable:
            yield found("fail", "gpio", msg("{path} may not be used by {user}"), allow(chip), **values)
        else:
            yield found("ok", "gpio", msg("{path}: {label}, {lines} lines"), **values)
    yield from _expander(facts)
    yield from _pins(facts)


def _chip(chip: GpioChip) -> dict[str, object]:
    return {"path": chip.path, "label": chip.label or "?", "lines": chip.lines, "group": chip.group}


def _number(facts: Facts, header: list[GpioChip]) -> Iterator[Finding]:
    """Since 6.6.45 the header of a Pi 5 is gpiochip0; a gpiozero before 2.0.1 only looks at gpiochip4."""
    if board_type(facts.machine) not in PI_5_FAMILY or not header:
        return
    path = header[0].path
    wanted = "/dev/gpiochip4" if facts.machine.kernel_version < CHIP_MOVED else "/dev/gpiochip0"
    if wanted not in {chip.path for chip in header}:
        remedy = msg("Its number moved at kernel 6.6.45. Update gpiozero and kernel, and compare with gpiodetect.")
        yield found(
            "warn", "gpio", msg("the header is {path}, and not {wanted} as usual"), remedy, path=path, wanted=wanted
        )


def _expander(facts: Facts) -> Iterator[Finding]:
    wanted, chips = facts.table.expander if facts.table else "", facts.machine.chips
    barred = any(not chip.usable and not chip.label for chip in chips)  # it may be one of these: they are told already
    if wanted and not barred and not any(_is_expander(chip, wanted) for chip in chips):
        remedy = msg(
            "Is its dtoverlay in /boot/firmware/config.txt (docs/wiring.md)? Does --probe see 0x20? Look at its plug."
        )
        yield found("fail", "gpio", msg("the expander {wanted} is not there"), remedy, wanted=wanted)


def _pins(facts: Facts) -> Iterator[Finding]:
    """Lines that the table needs and somebody else has. While the table runs they are its own, under lgpio's name."""
    if facts.table is None:
        return
    running = facts.ledger is not None and facts.ledger.writer is not None
    for key, place, line in facts.table.pins:
        for chip in facts.machine.chips:
            wanted = chip.label in HEADERS if place == "header" else _is_expander(chip, facts.table.expander)
            who = chip.held.get(line)
            if wanted and who is not None and not (running and who == LGPIO):
                remedy = msg("End that program, or remove its overlay from config.txt; gpioinfo lists all lines.")
                name = f"GPIO{line}" if place == "header" else f"x{line}"
                text = msg("{pin}, the table's {key}, is in use by {who}")
                yield found("fail", "gpio", text, remedy, pin=name, key=key, who=who or "?")


def _is_expander(chip: GpioChip, wanted: str) -> bool:
    return bool(wanted) and wanted in (chip.label, chip.path.removeprefix("/dev/gpiochip"))


def i2c(facts: Facts) -> Iterator[Finding]:
    if not facts.machine.buses and facts.on_header:
        remedy = msg("If displays or an expander hang on it, write dtparam=i2c_arm=on in config.txt and restart.")
        yield found("note", "i2c", msg("there is no bus"), remedy)
    for bus in facts.machine.buses:
        yield from _bus(bus, facts)


def _bus(bus: I2cBus, facts: Facts) -> Iterator[Finding]:
    values = {"path": bus.path, "name": bus.name or "?", "group": bus.group, "user": facts.machine.user}
    values["bound"] = ", ".join(f"0x{address:02x} {name}" for address, name in sorted(bus.bound.items())) or "–"
    if not bus.usable:
        level: Level = "warn" if facts.on_header else "note"
        yield found(level, "i2c", msg("{path} may not be used by {user}"), allow(bus), **values)
    elif bus.answering is None:
        yield found("ok", "i2c", msg("{path} ({name}); the kernel drives: {bound}; not probed"), **values)
    else:
        there = [f"0x{address:02x} {KNOWN_ADDRESSES.get(address, '?')}" for address in bus.answering]
        values["there"] = ", ".join(there) or "–"
        yield found(
            "ok" if there or bus.bound else "note",
            "i2c",
            msg("{path} ({name}); the kernel drives: {bound}; answering: {there}"),
            **values,
        )


def spi(facts: Facts) -> Iterator[Finding]:
    if not facts.machine.spi and facts.on_header:
        remedy = msg("If displays hang on it, write dtparam=spi=on in /boot/firmware/config.txt and restart.")
        yield found("note", "spi", msg("there is no device"), remedy)
    barred = [device for device in facts.machine.spi if not device.usable]
    for device in barred:
        values = {"path": device.path, "group": device.group, "user": facts.machine.user}
        level: Level = "warn" if facts.on_header else "note"
        yield found(level, "spi", msg("{path} may not be used by {user}"), allow(device), **values)
    if usable := [device.path for device in facts.machine.spi if device.usable]:
        yield found("ok", "spi", "{paths}", paths=", ".join(usable))


def serial(facts: Facts) -> Iterator[Finding]:
    wanted = facts.backend == "serial"
    if not facts.machine.ports and wanted:
        remedy = msg("Plug the RS-485 adapter in; on the header's own UART write enable_uart=1 in config.txt.")
        yield found("fail", "serial", msg("there is no port"), remedy)
    for port in facts.machine.ports:
        yield _port(port, facts, wanted)


def _port(port: SerialPort, facts: Facts, wanted: bool) -> Finding:
    values = {"path": port.path, "group": port.group, "user": facts.machine.user, "who": ", ".join(port.holders)}
    if port.console:
        remedy = msg("Take it from the console: raspi-config, Interface, Serial Port, login shell: no.")
        return found("warn" if wanted else "note", "serial", msg("{path} is the system's console"), remedy, **values)
    if len(port.holders) > 1:
        remedy = msg("Two readers steal each other's bytes: end all but the table's.")
        return found("fail" if wanted else "warn", "serial", msg("{path} is open in {who}"), remedy, **values)
    if not port.usable:
        return found(
            "fail" if wanted else "note", "serial", msg("{path} may not be used by {user}"), allow(port), **values
        )
    if port.holders:
        text = msg("{path} is held by {who}, exclusively") if port.locked else msg("{path} is open in {who}")
        return found("ok", "serial", text, **values)
    return found("ok", "serial", msg("{path} is free"), **values)


CHECKS: tuple[Check, ...] = (factory, gpio, i2c, spi, serial)
