"""``pozo doctor``: what is there, what is wrong, and what to do about it. Changes nothing.

Exit status 0 when nothing fails, 1 when something does, 2 when it cannot look.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.config import Config, ConfigError, load
from controller.core.messages import msg
from controller.doctor.facts import Facts, Table
from controller.doctor.report import as_json, as_text, count, examine
from controller.doctor.senses import Senses
from controller.doctor.table import collect, described
from controller.i18n import Language, spoken, translator


def main(argv: Sequence[str], senses: Senses | None = None) -> int:
    """Run ``pozo doctor`` with the arguments after the word. Returns the exit status."""
    options = _parser().parse_args(argv)
    senses = senses or Senses()
    if not senses.text("/proc/sys/kernel/osrelease"):
        text = msg("There is no /proc to look into: pozo doctor runs on Linux, and outside of a sandbox.")
        print(translator(options.language or spoken()).text(text), file=sys.stderr)
        return 2
    try:
        facts = _look(options, senses)
    except ConfigError as error:
        print(error.report(options.language), file=sys.stderr)
        return 2
    findings = examine(facts)
    print((as_json if options.json else as_text)(findings, facts.language))
    return 1 if count(findings, "fail") else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "pozo doctor", description="Say what is there, what is wrong, and what to do about it. Nothing is changed."
    )
    parser.add_argument("--config", type=Path, metavar="TABLE.toml", help="the table that is to run here")
    parser.add_argument(
        "--probe", action="store_true", help="ask every address of the I2C buses (reads a byte of each)"
    )
    parser.add_argument("--verify", action="store_true", help="check the whole journal, which may take a minute")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--language", choices=("es", "en"), help="of the answer; the table's own by default")
    return parser


def _look(options: argparse.Namespace, senses: Senses) -> Facts:
    """Raises ConfigError when the file cannot be read at all."""
    table, config, language = _table(options.config, options.language, senses)
    if config is not None and config.journal.exists():
        senses.stand_in_for(config.journal.stat().st_uid)
    return collect(senses, language, table, config, probe=options.probe, whole=options.verify)


SERVICE = Path("/etc/pozo")
"""Where the service's configurations are; systemd gives a table of that name its directories."""


def service_environment(file: Path, senses: Senses) -> dict[str, str]:
    """The environment in which the service reads `file`: by hand, the journal would be looked for in one's own home."""
    environment = dict(os.environ)
    if Path(os.path.abspath(file)).parent != SERVICE:
        return environment
    for name, place in (("STATE_DIRECTORY", f"/var/lib/pozo/{file.stem}"), ("RUNTIME_DIRECTORY", "/run/pozo")):
        if senses.at(place).exists():
            environment.setdefault(name, place)
    return environment


def _table(file: Path | None, wanted: Language | None, senses: Senses) -> tuple[Table | None, Config | None, Language]:
    if file is None:
        return None, None, wanted or spoken()
    try:
        config = load(file, service_environment(file, senses))
    except ConfigError as error:
        if not os.access(file, os.R_OK) or file.is_dir():
            raise
        return described(file, None, error.report(wanted)), None, wanted or error.language
    return described(file, config), config, wanted or config.language
