"""luma's real drivers over our wires, into controllers that are modelled after their datasheets."""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from pytest_mock import MockerFixture

from hal.display import care, counters, dealer, meter, vendor
from hal.display.device import Device, DisplayError
from hal.display.spidev import SpiDev
from hal.display.wires import I2c, Serial, Spi
from tests.hal.display_models import Chain, Sh1106, Ssd1306
from tests.hal.display_scenes import BETTING, BUSY, PESOS, SPANISH


class Wire:
    """A place where a model hangs, or nothing."""

    def __init__(self, there: Serial) -> None:
        self.there = there
        self.opened = 0

    def open(self) -> Serial:
        self.opened += 1
        return self.there

    def __str__(self) -> str:
        return "a wire"


def same(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and ImageChops.logical_xor(one, other).getbbox() is None


def of_dealer() -> Image.Image:
    picture = dealer.render(BETTING, care.OLED.room((128, 64)), SPANISH, PESOS)
    return care.OLED.place(picture, (128, 64), 4 * care.SHIFT_EVERY)


# --- OLEDs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "model"), [("ssd1306", Ssd1306), ("sh1106", Sh1106)])
def test_the_panel_shows_what_was_rendered(kind: vendor.Oled, model: type[Ssd1306]) -> None:
    panel = model()
    device = vendor.oled(kind, Wire(panel))
    device.open()
    device.contrast(0x50)
    device.draw(of_dealer())
    assert same(panel.picture(), of_dealer())
    assert (panel.on, panel.level, panel.frames) == (True, 0x50, 1)


def test_a_panel_hung_upside_down_is_turned() -> None:
    panel = Ssd1306()
    device = vendor.oled("ssd1306", Wire(panel), upside_down=True)
    device.open()
    device.draw(of_dealer())
    assert same(panel.picture(), of_dealer().rotate(180))


def test_making_a_device_touches_no_wire_and_settling_leaves_the_picture() -> None:
    panel = Ssd1306()
    wire = Wire(panel)
    device = vendor.oled("ssd1306", wire)
    assert (wire.opened, panel.commands) == (0, [])
    device.open()
    device.draw(of_dealer())
    device.contrast(0x08)
    panel.on = False  # a spike on the supply
    device.settle()
    assert panel.level == 0x08  # no flash every ten seconds
    assert same(panel.picture(), of_dealer())
    assert panel.frames == 1


@pytest.mark.parametrize("dark", [True, False])
def test_closing_darkens_only_when_asked_to(dark: bool) -> None:
    panel = Ssd1306()
    device = vendor.oled("ssd1306", Wire(panel))
    device.open()
    device.draw(of_dealer())
    device.close(dark=dark)
    device.close(dark=True)  # twice is harmless, and says nothing to a wire that is not ours any more
    assert panel.on is not dark
    assert same(panel.picture(), Image.new("1", (128, 64)) if dark else of_dealer())
    with pytest.raises(DisplayError, match="closed"):
        device.draw(of_dealer())


def test_lumas_exit_hook_finds_nothing_to_do(mocker: MockerFixture) -> None:
    hooks = mocker.patch("atexit.register")
    panel = Ssd1306()
    device = vendor.oled("ssd1306", Wire(panel))
    for _ in range(50):
        device.open()
        device.draw(of_dealer())
        device.close(dark=False)
    device.open()
    assert hooks.call_count == 1  # however often a display went away
    said = len(panel.commands)
    hooks.call_args.args[0]()
    assert len(panel.commands) == said
    assert same(panel.picture(), of_dealer())
    assert atexit.register is hooks


# --- MAX7219 ---------------------------------------------------------------------------------------------


def test_the_matrix_shows_what_was_rendered() -> None:
    chain = Chain(8)
    device = vendor.matrix(Wire(chain), (64, 8), block_orientation=0)
    device.open()
    device.contrast(0x70)
    picture = meter.render(BUSY, device.size, BUSY.pot, SPANISH, PESOS, 0)
    device.draw(picture)
    image = Image.new("1", (64, 8))
    for chip, register, bit in chain.lit():
        image.putpixel((8 * chip + register, bit), 1)
    assert same(image, picture)
    assert {chip.intensity for chip in chain.chips} == {7}


def test_the_seats_modules_show_credits_and_bet() -> None:
    chain = Chain(6)
    device = vendor.digits(Wire(chain), 6)
    device.open()
    shown = counters.render(BETTING, range(1, 7), SPANISH, PESOS, 0)
    device.draw(counters.picture(shown))
    assert len(list(chain.lit())) > 0
    read = [bytes(reversed(chip.digits)) for chip in chain.chips]  # DIG7 is the leftmost
    assert read == [vendor.segments(text).ljust(8, b"\0") for text in shown]
    assert read[0] == bytes([0x33, 0, 0, 0, 0x6D, 0x7E, 0x7E, 0x7E])  # "4   2000"
    device.close(dark=True)
    assert list(chain.lit()) == []


def test_a_chip_that_lost_its_registers_is_set_up_again() -> None:
    chain = Chain(2)
    device = vendor.digits(Wire(chain), 2)
    device.open()
    device.draw(counters.picture(("12345678", "87654321")))
    before = list(chain.lit())
    chain.chips[1].test, chain.chips[0].limit, chain.chips[0].awake = True, 0, False
    device.settle()
    assert list(chain.lit()) == before


def test_what_seven_segments_cannot_say_is_an_error() -> None:
    with pytest.raises(ValueError, match="'í'"):
        vendor.segments("tardía")
    assert vendor.segments("12.50") == bytes([0x30, 0xED, 0x5B, 0x7E])


# --- buses -----------------------------------------------------------------------------------------------


class Bus:
    """An SMBus with one device on it, as smbus2 has it."""

    def __init__(self, panel: Ssd1306 | None) -> None:
        self.panel = panel
        self.closed = 0

    def write_i2c_block_data(self, address: int, control: int, data: list[int]) -> None:
        assert len(data) <= 32, "an SMBus block"
        if self.panel is None or address != 0x3C:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        if control == 0x00:
            self.panel.command(*data)
        else:
            assert control == 0x40
            self.panel.data(data)

    def close(self) -> None:
        self.closed += 1


def test_an_oled_on_i2c(mocker: MockerFixture) -> None:
    bus = Bus(Ssd1306())
    smbus = mocker.patch("smbus2.SMBus", return_value=bus)
    device = vendor.oled("ssd1306", I2c(port=1, address=0x3C))
    device.open()
    device.draw(of_dealer())
    assert bus.panel is not None
    assert same(bus.panel.picture(), of_dealer())
    bus.panel = None  # its plug is pulled
    with pytest.raises(DisplayError, match=r"SSD1306 on I2C bus 1, address 0x3c: nothing answers; look at its plug"):
        device.draw(of_dealer())
    device.close(dark=False)
    assert bus.closed == 1
    smbus.assert_called_once_with(1)


def test_a_device_that_cannot_be_opened_is_told_with_the_remedy(mocker: MockerFixture) -> None:
    device = vendor.oled("sh1106", I2c(port=3, address=0x3D))
    for error, remedy in ((errno.ENOENT, "dtparam=i2c_arm=on"), (errno.EACCES, "group"), (errno.EIO, "plug")):
        mocker.patch("smbus2.SMBus", side_effect=OSError(error, os.strerror(error)))
        with pytest.raises(DisplayError, match=rf"SH1106 on I2C bus 3, address 0x3d: .*{remedy}"):
            device.open()
    device.close(dark=True)


def spi_file(tmp_path: Path, mocker: MockerFixture) -> tuple[Path, Callable[[], SpiDev], list[tuple[int, bytes]]]:
    """A file in the place of a chip select, with what the kernel would have been asked."""
    asked: list[tuple[int, bytes]] = []
    mocker.patch.object(fcntl, "ioctl", side_effect=lambda file, request, arg: asked.append((request, arg)))
    path = tmp_path / "spidev0.1"
    path.touch()
    return path, lambda: SpiDev(tmp_path), asked


def test_a_max7219_on_spi(tmp_path: Path, mocker: MockerFixture) -> None:
    path, spidev, asked = spi_file(tmp_path, mocker)
    device: Device = vendor.digits(Spi(0, 1, hertz=2_000_000, spidev=spidev), 2)
    device.open()
    assert asked == [(0x40016B01, b"\0"), (0x40046B04, struct.pack("=I", 2_000_000))]
    assert path.read_bytes() == bytes.fromhex("0b070b07 09000900 0f000f00 0c010c01")
    device.close(dark=False)
    device.close(dark=False)


def test_an_oled_on_spi_has_its_lines_driven(tmp_path: Path, mocker: MockerFixture) -> None:
    path, spidev, _ = spi_file(tmp_path, mocker)
    driven: list[tuple[int, bool, int]] = []
    spi = Spi(
        0, 1, hertz=8_000_000, dc=24, reset=25, drive=lambda *a: driven.append((*a, path.stat().st_size)), spidev=spidev
    )
    device = vendor.oled("ssd1306", spi)
    device.open()
    assert driven[:2] == [(25, False, 0), (25, True, 0)]
    assert {(line, level) for line, level, _ in driven[2:]} == {(24, False)}  # nothing but commands so far
    before = path.stat().st_size
    device.draw(of_dealer())
    assert driven[-2:] == [(24, False, before), (24, True, before + 6)]
    assert path.stat().st_size == before + 6 + 1024
    device.close(dark=False)


def test_an_oled_whose_lines_are_not_driven_is_not_told_as_one_without_a_plug(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    def drive(line: int, level: bool) -> None:
        raise OSError("GPIO25 cannot be driven: 25")

    _, spidev, _ = spi_file(tmp_path, mocker)
    device = vendor.oled("ssd1306", Spi(0, 1, dc=24, reset=25, drive=drive, spidev=spidev))
    with pytest.raises(DisplayError, match=r"SSD1306 on SPI 0\.1: .*not driven; mend what the log says .*GPIO25"):
        device.open()


def test_lines_need_somebody_who_drives_them() -> None:
    with pytest.raises(ValueError, match=r"SPI 0\.0: the lines dc and reset"):
        Spi(dc=24)


def test_a_chip_select_that_is_not_there_is_told_with_the_remedy(tmp_path: Path) -> None:
    device = vendor.matrix(Spi(0, 0, spidev=lambda: SpiDev(tmp_path)), (64, 8))
    with pytest.raises(DisplayError, match=r"MAX7219 matrix on SPI 0\.0: there is no such bus; .*dtparam=spi=on"):
        device.open()


def test_a_transfer_that_stops_half_way_is_an_error(tmp_path: Path, mocker: MockerFixture) -> None:
    _, spidev, _ = spi_file(tmp_path, mocker)
    device = vendor.digits(Spi(0, 1, spidev=spidev), 1)
    device.open()
    mocker.patch.object(os, "write", return_value=1)
    with pytest.raises(DisplayError, match="only 1 of 2 bytes"):
        device.contrast(0)
