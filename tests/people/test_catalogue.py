"""Every sentence that a person may read exists in Spanish, and says the same things."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from controller.i18n import DOMAIN, LOCALE

CONTROLLER = LOCALE.parent


def marked_sentences() -> dict[str, str]:
    """Every sentence given to `msg`, with the place where it stands first."""
    found: dict[str, str] = {}
    for file, line, sentence, _, _ in extract_from_dir(CONTROLLER, keywords={"msg": None}):
        assert isinstance(sentence, str)
        found.setdefault(sentence, f"controller/{file}:{line}")
    return found


def placeholders(sentence: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}


def faults_in_spanish() -> Iterator[str]:
    with (LOCALE / "es" / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as po:
        spanish = read_po(po, locale="es")
    for sentence, place in marked_sentences().items():
        entry = spanish.get(sentence)
        if entry is None or not entry.string:
            yield f"{place}: not in the catalogue (make messages, then translate): {sentence!r}"
        elif entry.fuzzy:
            yield f"{place}: marked fuzzy, a person has to look at it: {sentence!r}"
        elif placeholders(str(entry.string)) != placeholders(sentence):
            yield f"{place}: other placeholders in {entry.string!r} than in {sentence!r}"


def calls_without_a_literal(module: Path) -> Iterator[int]:
    """Lines where `msg` gets something that the extractor cannot see."""
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "msg":
            literal = len(node.args) == 1 and isinstance(node.args[0], ast.Constant)
            if not literal or node.keywords:
                yield node.lineno


def calls_within_f_strings(module: Path) -> Iterator[int]:
    """Lines where `msg` stands in an f-string, which is one token for the extractor."""
    for text in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(text, ast.JoinedStr):
            for node in ast.walk(text):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "msg":
                    yield node.lineno


def test_every_sentence_is_translated() -> None:
    faults = list(faults_in_spanish())
    assert not faults, "\n".join(faults)


def test_the_marker_is_only_given_literals() -> None:
    faults = [
        f"{module.relative_to(CONTROLLER.parent)}:{line}: give msg() one plain literal; values go to text()"
        for module in sorted(CONTROLLER.rglob("*.py"))
        for line in calls_without_a_literal(module)
    ]
    assert not faults, "\n".join(faults)


def test_the_marker_never_stands_in_an_f_string() -> None:
    faults = [
        f"{module.relative_to(CONTROLLER.parent)}:{line}: take msg() out of the f-string"
        for module in sorted(CONTROLLER.rglob("*.py"))
        for line in calls_within_f_strings(module)
    ]
    assert not faults, "\n".join(faults)
