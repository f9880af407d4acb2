"""How a language writes numbers where a currency is money, from CLDR (rules 3.1)."""

from __future__ import annotations

from babel import Locale, UnknownLocaleError
from babel.core import get_global

from controller.i18n import Language


def locale_of(language: Language, currency: str) -> Locale:
    """The language as it is written where the currency is money; English as such."""
    countries: list[str] = list(get_global("all_currencies").get(currency, ())) if language == "es" else []
    for country in sorted(countries, key=lambda country: country != "ES"):
        try:
            return Locale.parse(f"{language}_{country}")
        except UnknownLocaleError:
            continue
    return Locale.parse(language)
