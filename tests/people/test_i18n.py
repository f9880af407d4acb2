"""The translator: a person's language, or English, but never a stopped table."""

import gettext
import logging
from pathlib import Path
from typing import cast

import pytest

from controller import i18n
from controller.i18n import Language, Translator, translator


class OneSentence(gettext.NullTranslations):
    """A catalogue that translates everything to the same sentence."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._sentence = sentence

    def gettext(self, message: str) -> str:
        return self._sentence


def test_placeholders_are_filled_after_translating() -> None:
    spanish = Translator("es", OneSentence("la posición {seat} está cerrada"))
    assert spanish.text("seat {seat} is closed", seat=3) == "la posición 3 está cerrada"


def test_the_source_language_needs_no_catalogue() -> None:
    assert translator("en").text("seat {seat} is closed", seat=3) == "seat 3 is closed"


def test_a_sentence_without_translation_stays_english() -> None:
    assert translator("es").text("no such sentence {n}", n=1) == "no such sentence 1"


def test_an_empty_sentence_is_not_the_catalogue_header() -> None:
    assert translator("es").text("") == ""


@pytest.mark.parametrize("broken", ["falta {other}", "llave { abierta", "posición {}"])
def test_a_broken_translation_falls_back_to_english(broken: str, caplog: pytest.LogCaptureFixture) -> None:
    assert Translator("es", OneSentence(broken)).text("seat {seat}", seat=3) == "seat 3"
    assert "bad placeholder" in caplog.text


def test_a_value_that_the_caller_forgot_is_an_error() -> None:
    with pytest.raises(KeyError, match="seat"):
        translator("en").text("seat {seat}")


def test_a_language_is_loaded_once() -> None:
    assert translator("es") is translator("es")


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'de' is unknown; use one of es, en"):
        translator(cast(Language, "de"))


def test_a_checkout_without_compiled_catalogue_speaks_english_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    uncached = translator.__wrapped__
    with caplog.at_level(logging.WARNING):
        assert uncached("es").text("seat {seat}", seat=3) == "seat 3"
    assert "no compiled catalogue for 'es'" in caplog.text
