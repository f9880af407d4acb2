"""Everything static is in pyproject.toml; this compiles the catalogues that an installation has to carry.

`pybabel compile` would not do: it takes "100% of" for a printf placeholder and refuses its translation.
"""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import Command, setup
from setuptools.command.build_py import build_py

LOCALE = Path(__file__).parent / "controller" / "locale"


class CompileCatalogues(Command):
    """Each pozo.po into the pozo.mo beside it."""

    user_options = []  # noqa: RUF012 - setuptools' own interface

    def initialize_options(self) -> None: ...

    def finalize_options(self) -> None: ...

    def run(self) -> None:
        for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
            with source.open("rb") as po:
                catalogue = read_po(po, locale=source.parent.parent.name, abort_invalid=True)
            with source.with_suffix(".mo").open("wb") as mo:
                write_mo(mo, catalogue)


class BuildWithCatalogues(build_py):
    def run(self) -> None:
        self.run_command("compile_catalogues")
        super().run()


setup(cmdclass={"build_py": BuildWithCatalogues, "compile_catalogues": CompileCatalogues})
