"""Sentences in the language of whoever reads them.

English is the language of the source and needs no catalogue; Spanish comes from `controller/locale`. A text
is never worth a stopped table: what has no translation is shown in English.
"""

import gettext
import logging
import os
from functools import cache
from pathlib import Path
from typing import Literal, get_args

Language = Literal["es", "en"]
SOURCE_LANGUAGE: Language = "en"
DOMAIN = "pozo"
LOCALE = Path(__file__).parent / "locale"

_log = logging.getLogger(__name__)


class Translator:
    """Turns marked sentences (see `controller.core.messages.msg`) into one language."""

    def __init__(self, language: Language, catalogue: gettext.NullTranslations) -> None:
        self.language = language
        self._catalogue = catalogue

    def text(self, msgid: str, /, **args: object) -> str:
        """Translate `msgid`, then fill its `{name}` placeholders from `args`.

        A translation that asks for a value the source sentence does not offer falls back to English. KeyError
        when the English sentence itself lacks a value: that is the caller's mistake.
        """
        if not msgid:  # gettext answers "" with the catalogue's own header
            return ""
        translated = self._catalogue.gettext(msgid)
        try:
            return translated.format_map(args)
        except (KeyError, IndexError, ValueError):
            if translated == msgid:
                raise
        _log.error("%s: bad placeholder in the translation %r of %r", self.language, translated, msgid)
        return msgid.format_map(args)


@cache
def translator(language: Language) -> Translator:
    """The translator into `language`, loaded once. ValueError for a language that pozo does not speak."""
    if language not in get_args(Language):
        raise ValueError(f"language {language!r} is unknown; use one of {', '.join(get_args(Language))}")
    if language == SOURCE_LANGUAGE:
        return Translator(language, gettext.NullTranslations())
    try:
        catalogue: gettext.NullTranslations = gettext.translation(DOMAIN, LOCALE, [language])
    except FileNotFoundError:
        _log.warning(
            "no compiled catalogue for %r under %s: texts stay in English; run `make venv`",
            language,
            LOCALE,
        )
        catalogue = gettext.NullTranslations()
    return Translator(language, catalogue)


def spoken() -> Language:
    """English for whoever asks for it in the environment; else Spanish, the language of the tables."""
    wanted = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "en" if wanted.startswith("en") else "es"
