"""One round at the table as it is installed: bets by buttons, the lock, a hand, its payment; then its journal.

The shortest part of the bench: `.ci/run` plays it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.hil.guest.report import note, tell
from tests.hil.guest.served import STATE, Served, hal, run
from tests.hil.guest.table import ElectricTable

MONEY = Path("examples/tables/draw-1.toml")


def money(path: Path) -> str:
    """An example's sections but ``[hal]``."""
    return path.read_text().partition("[hal]")[0]


async def main() -> None:
    """Play it."""
    served = Served(money(MONEY), hal(6, None))
    await served.fresh()
    electricity = ElectricTable(served.hardware.wiring, "credits")
    note("starting")
    await served.start()
    dealer = await served.login("ana")
    for seat in (1, 2, 5):
        assert (await dealer.command(f"load {seat} 5"))["ok"]
    electricity.turn_key("open")
    await electricity.quiet()
    electricity.press(1)
    electricity.press(2, 2)
    await electricity.quiet(0.5)
    bets = {seat["seat"]: seat["bet"] for seat in (await dealer.state())["state"]["seats"]}
    tell("a press is a bet", (bets[1], bets[2], bets[5]) == ("1000", "2000", "0"), str(bets))
    lit = {seat for seat in range(1, 7) if electricity.lamp_lit(seat)}
    tell("lamps are lit where there are bets", lit == {1, 2}, str(lit))
    electricity.turn_key("locked")
    await electricity.quiet(0.3)
    electricity.press(5)
    await electricity.quiet(0.5)
    state = (await dealer.state())["state"]
    tell("the lock seals", state["sealed"] and state["phase"] == "locked", state["phase"])
    tell("nothing is bet after the lock", state["seats"][4]["bet"] == "0" and not electricity.lamp_lit(5))
    for line in ("declare 1 flush", "settle", "paid 1"):
        said = await dealer.command(line)
        tell(line, said["ok"], str(said.get("refusal", "")))
    prizes = (await dealer.state())["state"]["prizes"]
    tell(
        "the prize is paid",
        [(p["seat"], p["amount"], p["status"]) for p in prizes] == [(1, "50000", "paid")],
        str(prizes),
    )
    await dealer.close()
    await served.stop()
    await electricity.quiet(0.2)
    tell("all lamps are dark when the table has stopped", not any(electricity.lamp_lit(n) for n in range(1, 7)))
    tell("the counter has pulsed once a credit", electricity.pulses == 3, f"{electricity.pulses} pulses")
    status, words = await run("runuser", "-u", "pozo", "--", "pozo", "journal", "verify", "--journal", str(STATE))
    tell("the journal's chain is whole", status == 0, words.strip()[-300:])
    await electricity.close()


if __name__ == "__main__":
    asyncio.run(main())
