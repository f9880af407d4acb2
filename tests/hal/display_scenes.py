"""What displays are tested with: words in both languages, and evenings' panels."""

from __future__ import annotations

from hal.display.money import Money
from hal.display.texts import Texts
from hal.port import Banner, Panel, Said, SeatPanel, SeatText

SPANISH = Texts(
    banners={
        "open": "Apuestas abiertas",
        "locked": "Apuestas cerradas",
        "paying": "Pagando premios",
        "idle": "En espera",
        "pending": "Pendiente",
        "out-of-service": "Fuera de servicio",
    },
    phases={
        "open": "Abierta",
        "locked": "Cerrada",
        "paying": "Pagando",
        "idle": "En espera",
        "pending": "Pendiente",
    },
    seats={
        "closed": "cerrada",
        "no-credits": "sin saldo",
        "late": "tardía",
        "excess": "exceso",
        "returned": "devolver",
        "forfeit": "perdida",
        "winner": "premio",
        "approval": "¡aprobar!",
    },
    digits={
        "closed": "CErrAdA",
        "no-credits": "Sin CrEd",
        "late": "tArdE",
        "excess": "SObrA",
        "returned": "dEvUELtA",
        "forfeit": "PErdIdA",
        "winner": "GAnA",
        "approval": "ESPErE",
    },
    pot="POZO",
    round="pase",
    bets="apuestas",
    wins="Gana posición {seats}",
    approval="Premio en revisión",
    silent="no responde",
)
ENGLISH = Texts(
    banners={
        "open": "Place your bets",
        "locked": "Betting closed",
        "paying": "Paying prizes",
        "idle": "Waiting",
        "pending": "Pending",
        "out-of-service": "Out of service",
    },
    phases={
        "open": "Open",
        "locked": "Locked",
        "paying": "Paying",
        "idle": "Waiting",
        "pending": "Pending",
    },
    seats={
        "closed": "closed",
        "no-credits": "no credit",
        "late": "late",
        "excess": "excess",
        "returned": "hand back",
        "forfeit": "forfeited",
        "winner": "prize",
        "approval": "approve!",
    },
    digits={
        "closed": "CLOSEd",
        "no-credits": "no CrEd",
        "late": "LAtE",
        "excess": "EXtrA",
        "returned": "rEtUrn",
        "forfeit": "ForFEit",
        "winner": "Hit",
        "approval": "HoLd",
    },
    pot="JACKPOT",
    round="round",
    bets="bets",
    wins="Seat {seats} wins",
    approval="Prize under review",
    silent="no answer",
)
PESOS = Money(0, ".", ",", "CLP")
BOLIVIANOS = Money(2, ".", ",", "BOB")
EUROS = Money(2, ",", ".", "EUR")


def seat(
    number: int, *texts: SeatText, lamp: bool = False, credits: int | None = 4, bet: int = 0, owed: int = 0
) -> SeatPanel:
    """A seat's panel, which says `texts`; what is `owed` belongs to those about chips to be handed back."""
    chips = ("late", "excess", "returned")
    return SeatPanel(
        number, lamp, credits, bet, tuple(Said(text, owed if text in chips else 0) for text in texts if text)
    )


def panel(
    *seats: SeatPanel, banner: Banner = "open", pot: int = 10_004_200, round: int = 127, reason: str = ""
) -> Panel:
    """A table's panel of six seats, or of seven; those that are not named have nothing to say."""
    named = {seat.seat: seat for seat in seats}
    all_seats = tuple(
        named.get(n, seat(n, "" if banner == "open" else "locked")) for n in range(1, max(6, *named, 0) + 1)
    )
    return Panel(all_seats, banner, pot, round, sum(1 for seat in all_seats if seat.bet), reason)


BETTING = panel(
    seat(1, lamp=True, bet=2_000),
    seat(2, "no-credits", credits=0),
    seat(4, lamp=True, bet=1_000, credits=117),
    seat(5, "closed", credits=0),
)
CHIPS = panel(
    seat(1, "locked", lamp=True, credits=None, bet=5_000),
    seat(2, "late", credits=None, owed=25_000),
    seat(3, "excess", lamp=True, credits=None, bet=3_000, owed=1_000),
    *(seat(n, "locked", credits=None) for n in (4, 5, 6)),
    banner="locked",
)
BUSY = panel(
    seat(1, "winner", lamp=True, bet=2_000, credits=3),
    seat(2, "late", credits=2, owed=1_000),
    seat(3, "closed", lamp=True, bet=1_000),
    seat(4, "returned", credits=0, owed=2_000),
    seat(5, "winner", lamp=True, bet=3_000),
    seat(6, "forfeit", bet=1_000),
    banner="paying",
    pot=999_999_999_999,
)
REVIEW = panel(
    seat(2, "approval", lamp=True, bet=3_000, credits=17),
    seat(5, "forfeit", bet=1_000),
    banner="paying",
    pot=9_004_200,
)
CROWDED = panel(
    seat(1, "approval", "late", lamp=True, credits=None, bet=3_000, owed=1_000),
    seat(2, "closed", "returned", credits=None, owed=2_000),
    seat(3, "winner", "closed", "excess", lamp=True, credits=None, bet=3_000, owed=1_000),
    seat(4, "closed", "forfeit", credits=None, bet=1_000),
    seat(5, "forfeit", credits=None, bet=1_000),
    seat(6, "winner", lamp=True, credits=None, bet=2_000),
    seat(7, "closed", "late", credits=None, owed=24_950_049_000),
    banner="paying",
)
"""A word a seat would hide most of this."""
LUCKY = panel(*(seat(n, "winner", lamp=True, bet=1_000) for n in range(1, 8)), banner="paying", pot=24_950_049_000)
BROKEN = panel(banner="out-of-service", reason="El diario no se puede escribir: disco lleno")
STOPPED = panel(banner="out-of-service", reason="The journal cannot be written: disk full")
MISWIRED = panel(
    banner="out-of-service",
    reason="There is no gpiochip labelled mcp23017 (there: gpiochip0 pinctrl-bcm2711): is its dtoverlay in config.txt, "
    "and does i2cdetect see it?",
)
PENDING = panel(banner="pending", pot=123_456_789)
IDLE = panel(banner="idle", round=0, pot=0)
MENU = ("Puesto 3", "  Cargar créditos", "> Cobrar", "  Irregularidad", "  Cerrar puesto", "  Volver")
LONG_MENU = ("A title that is too long for it", *(f"  entry number {n} of many" for n in range(1, 4)), "> last", "no")
