"""`pozo hand`: what it answers, as text and as JSON, and what it says to nonsense."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cli import main as pozo
from controller.core.cards import DECK, card_name
from controller.core.games.catalogue import GAMES
from controller.hand import main

TABLES = Path(__file__).parents[2] / "examples" / "tables"
GO, CARIBBEAN = str(TABLES / "go-1.toml"), str(TABLES / "caribbean-1.toml")


def asked(capsys: pytest.CaptureFixture[str], line: str) -> object:
    """The JSON object that answers the question."""
    assert main([*line.split(), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == "" or "example" in err or "ejemplo" in err
    return json.loads(out)


def told(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """The English text that answers it."""
    assert main([*line.split(), "--language", "en"]) == 0
    return capsys.readouterr().out


# --- rank ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "hand", "five"),
    [
        ("As Ks Qs Js Ts", "royal-flush", "As Ks Qs Js Ts"),
        ("2c 7d Kh 2s 9c", "pair", "2c 7d Kh 2s 9c"),
        ("Ks Kd Kh 9c 9d 2c", "full-house", "Ks Kd Kh 9c 9d"),
        ("Ks Kd 2c Kh 9c 2d 9d", "full-house", "Ks Kd Kh 9c 9d"),
        ("as kd QH jc 10s", "straight", "As Kd Qh Jc Ts"),
        ("As,2d,3h,4c,5s", "straight", "As 2d 3h 4c 5s"),
    ],
)
def test_rank_names_the_best_five(capsys: pytest.CaptureFixture[str], cards: str, hand: str, five: str) -> None:
    assert asked(capsys, f"rank {cards}") == {"hand": hand, "cards": five.split()}
    assert main(["rank", cards, "--json"]) == 0  # also as one text
    assert json.loads(capsys.readouterr().out)["hand"] == hand


@pytest.mark.parametrize(
    ("cards", "text"),
    [
        ("9c Kd 9d Kh Ks", "a full house: Ks Kh Kd 9d 9c\n"),
        ("5s As 2d 4c 3h", "a straight: 5s 4c 3h 2d As\n"),
        ("Ks As Qd Jc Th", "a straight: As Ks Qd Jc Th\n"),
        ("2c 7d Kh 2s 9c", "a pair: 2s 2c Kh 9c 7d\n"),
    ],
)
def test_rank_tells_the_cards_by_their_weight(capsys: pytest.CaptureFixture[str], cards: str, text: str) -> None:
    assert told(capsys, f"rank {cards}") == text


# --- dealer ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "opens", "change", "clause"),
    [
        ("draw-poker 8c 8d Kh 5s 2d", True, "2d 5s", "7.2"),
        ("draw-poker 7c 7d Kh 5s 2d", False, "2d 5s", "7.2"),
        ("draw-poker 2c 3c 4c 5c Kd", False, "Kd", "7.2"),
        ("draw-poker Ac 2d 3h 4s 5c", True, "", "7.2"),
        ("draw-poker 2c 2d 3h 3s 9c", True, "9c", "7.2"),
        ("texas-holdem-plus 4c 4d 2c 5d 8h Js Kd", True, "", "7"),
        ("texas-holdem-plus 3c 3d 2c 5d 8h Js Kd", False, "", "7"),
        ("caribbean-poker Ac Kd 4h 3s 2c", True, "", "7"),
        ("caribbean-poker Ac Qd 4h 3s 2c", False, "", "7"),
    ],
)
def test_7_2_what_the_dealer_must_do(
    capsys: pytest.CaptureFixture[str], line: str, opens: bool, change: str, clause: str
) -> None:
    assert asked(capsys, f"dealer {line}") == {"opens": opens, "change": change.split(), "clause": clause}


def test_the_dealer_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "dealer draw-poker 7c 7d Kh 5s 2d") == (
        "a pair: 7d 7c Kh 5s 2d\n"
        "a pair: change two, keep the pair and the highest other card → 2d 5s\n"
        "As it stands the dealer does not open; the draw decides.\n"
    )
    assert told(capsys, "dealer draw-poker Ac 2d 3h 4s 5c").endswith("stand\nThe dealer opens.\n")
    assert told(capsys, "dealer caribbean-poker Ac Qd 4h 3s 2c").endswith("\nThe dealer does not open.\n")


# --- base ------------------------------------------------------------------------------------------------


def stakes(ante: str, bet: str) -> dict[str, dict[str, str]]:
    """``win 1000`` and the like."""
    return {
        name: dict(zip(("result", "pays"), text.split(), strict=True)) for name, text in (("ante", ante), ("bet", bet))
    }


@pytest.mark.parametrize(
    ("line", "ante", "bet"),
    [
        ("draw-poker --dealer 7c 7d Ah Kd Qh --player 2s 3s 5s 7s 9c --ante 1000", "win 1000", "return 0"),
        ("draw-poker --dealer 8c 8d 2h 3s 4c --player 2d 4d 6d 9d Jd --ante 1000", "win 1000", "win 10000"),
        ("draw-poker --dealer 8c 8d 2h 3s 4c --player Ad Kd Qd Jd 9c --ante 1000", "lose 0", "lose 0"),
        ("draw-poker --dealer 8c 8d As Kd 2h --player 8s 8h Ah Kc 2c --ante 1000", "return 0", "return 0"),
        ("caribbean-poker --dealer Ac Kd 4h 3s 2c --player 9s Ts Js Qs Ks --ante 12.50", "win 12.50", "win 625.00"),
        (
            "texas-holdem-plus --dealer 4c 4h --player Ad Td --board Qd 5d 8h Jd Kd --ante 1000",
            "win 100000",
            "win 2000",
        ),
        (f"go-poker --player 2h 4h 6h --board 8h Th --ante 1000 --config {GO}", "win 1000", "win 10000"),
        ("go-poker --player 2h 2d 6h --board 8h Th --ante 1000", "return 0", "return 0"),
        ("go-poker --player 2h 4d 6h --board 8h Th --ante 1000", "lose 0", "lose 0"),
        (
            f"caribbean-poker --dealer Ac Kd 4h 3s 2c --player 9s 9h 3h 2h 4d --ante 5 --config {CARIBBEAN}",
            "win 5.00",
            "win 10.00",
        ),
    ],
)  # fmt: skip
def test_7_what_happens_to_ante_and_bet(capsys: pytest.CaptureFixture[str], line: str, ante: str, bet: str) -> None:
    assert asked(capsys, f"base {line}") == stakes(ante, bet)


def test_the_showdown_is_told_with_the_line_that_applies(capsys: pytest.CaptureFixture[str]) -> None:
    line = "base draw-poker --dealer 8c 8d 2h 3s 4c --player 2d 4d 6d 9d Jd --ante 1000"
    assert told(capsys, line) == (
        "Player: a flush: Jd 9d 6d 4d 2d\n"
        "Dealer: a pair: 8d 8c 4c 3s 2h\n"
        "The player wins. [7]\n"
        "The line for a flush: ANTE 1 to 1, BET 5 to 1.\n"
        "ANTE of 1000: wins 1000, and keeps its stake.\n"
        "BET of 2000: wins 10000, and keeps its stake.\n"
    )


def test_an_example_of_a_pay_table_says_that_it_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    line = "base go-poker --player 2h 2d 6h --board 8h Th --ante 1000 --language en"
    assert main(line.split()) == 0
    assert "this is an example" in capsys.readouterr().err
    assert main([*line.split(), "--config", GO]) == 0
    assert capsys.readouterr().err == ""


def test_where_the_ante_plays_alone_there_is_no_bet(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    alone = '[base]\nbet = false\n[[base.pays]]\nhand = "pair"\nante = 2\n'
    file = tmp_path / "go.toml"
    file.write_text((TABLES / "go-1.toml").read_text().partition("[base]")[0] + alone)
    line = f"base go-poker --player 2h 2d 6h --board 8h Th --ante 1000 --config {file}"
    assert asked(capsys, line) == {"ante": {"result": "win", "pays": "2000"}, "bet": None}
    assert "BET" not in told(capsys, line)


# --- nonsense --------------------------------------------------------------------------------------------

DRAW = "draw-poker --dealer 8c 8d 2h 3s 4c --player 2d 4d 6d 9d Jd"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("rank As Ks Qs Js", "4 cards are no hand"),
        ("rank As Ks Qs Js Ts 9s 8s 7s", "8 cards are no hand"),
        ("rank As Ks Qs Js As", "As is there twice"),
        ("rank As Ks Qs Js Joker", "Joker: there is no joker"),
        ("rank As Ks Qs Js 1s", "1s is not a card"),
        ("rank As Ks Qs Js ♠T", "♠T is not a card"),
        ("dealer omaha As Ks Qs Js Ts", "omaha is no game"),
        ("dealer draw-pocker As Ks Qs Js Ts", "Did you mean draw-poker?"),
        ("dealer go-poker As Ks Qs", "The dealer of go-poker has no hand"),
        ("dealer draw-poker As Ks Qs Js", "needs 5 cards"),
        ("dealer texas-holdem-plus As Ks", "needs 7 cards"),
        (f"base {DRAW} --ante 0", "0 is not an amount"),
        (f"base {DRAW} --ante -5", "-5 is not an amount"),
        (f"base {DRAW} --ante=-5", "-5 is not an amount"),
        (f"base {DRAW} --ante 1e3", "with at most 4 decimals"),
        (f"base {DRAW} --ante 1.00001", "1.00001 is not an amount"),
        (f"base {DRAW} --ante 99999999999999999", "is not an amount"),
        (f"base {DRAW} --ante ٣", "is not an amount"),
        (f"base {DRAW} --ante 0.5 --config {TABLES}/draw-1.toml", "at most 0 decimals"),
        (f"base {DRAW} --ante 1000 --config {TABLES}/texas-1.toml", "is a table of texas-holdem-plus"),
        (f"base {DRAW} --ante 1000 --config nowhere.toml", "cannot be read"),
        (f"base {DRAW} --ante 1000 --board As", "0 shared cards, not 1"),
        ("base draw-poker --dealer 8c 8d 2h 3s 4c --player 2d 4d 6d 9d 8c --ante 1000", "8c is there twice"),
        ("base draw-poker --dealer 8c 8d 2h 3s 4c --player 2d 4d 6d 9d --ante 1000", "has 5 cards, not 4"),
        ("base draw-poker --player 2d 4d 6d 9d Jd --ante 1000", "dealer of this game has 5 cards, not 0"),
        (
            "base go-poker --dealer As --player 2d 4d 6d --board 9d Jd --ante 1",
            "dealer of this game has 0 cards, not 1",
        ),
        ("base texas-holdem-plus --dealer 4c 4h --player Ad Td --board Qd 5d 8h --ante 1", "5 shared cards, not 3"),
        ("base draw-poker --ante 1000", ""),
        ("rank", ""),
        ("", ""),
        ("bank As", ""),
    ],
)
def test_nonsense_gets_a_sentence_and_exit_status_2(
    capsys: pytest.CaptureFixture[str], line: str, sentence: str
) -> None:
    words = [*line.split(), *(["--language", "en"] if sentence else [])]
    if sentence:
        assert main(words) == 2
    else:  # argparse says it
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert "Traceback" not in err


def test_a_go_table_without_a_pay_table_says_what_to_add(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "go.toml"
    file.write_text((TABLES / "go-1.toml").read_text().partition("[base]")[0])
    line = f"base go-poker --player 2h 2d 6h --board 8h Th --ante 1000 --config {file} --language en"
    assert main(line.split()) == 2
    assert "add a section [base]" in capsys.readouterr().err


@given(
    st.lists(
        st.sampled_from([*map(card_name, DECK), *GAMES, "--json", "joker", "", "2", "\x00", "--ante"]), max_size=12
    )
)
def test_whatever_is_typed_ends_with_0_or_2(words: list[str]) -> None:
    for what in ("rank", "dealer", "base"):
        try:
            status = main([what, *words])
        except SystemExit as ended:
            status = int(ended.code or 0)
        assert status in (0, 2)


def test_it_is_a_command_of_pozo(capsys: pytest.CaptureFixture[str]) -> None:
    assert pozo(["hand", "rank", "As", "Ks", "Qs", "Js", "Ts", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hand"] == "royal-flush"
