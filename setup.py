"""Everything static is in pyproject.toml; this only compiles the catalogues that a wheel or an editable
install has to carry."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import setup
from setuptools.command.build_py import build_py

LOCALE = Path(__file__).parent / "controller" / "locale"


class BuildWithCatalogues(build_py):
    def run(self) -> None:
        for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
            with source.open("rb") as po:
                catalogue = read_po(po, locale=source.parent.parent.name)
            with source.with_suffix(".mo").open("wb") as mo:
                write_mo(mo, catalogue)
        super().run()


setup(cmdclass={"build_py": BuildWithCatalogues})
