"""Code uses the words of the glossary: no old name is left outside the listed exceptions."""

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOTS = ("src/dragoman", "tests", "bench")
LISTED = tomllib.loads((ROOT / "tests" / "old_names.toml").read_text("utf-8"))

_HINT = re.compile("|".join([*LISTED["names"], *LISTED["words"]]), re.IGNORECASE)
"""Pattern that every file with an old name matches: other files need not be parsed."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@pytest.mark.slow
def test_no_old_name_is_left() -> None:
    found = old_names_in_code()
    excepted = {(each["file"], each["name"]) for each in LISTED["exceptions"]}

    assert sorted(found - excepted) == []


@pytest.mark.slow
def test_every_exception_is_still_needed() -> None:
    found = old_names_in_code()

    unused = [each for each in LISTED["exceptions"] if (each["file"], each["name"]) not in found]
    assert unused == []


def test_every_exception_has_a_reason() -> None:
    assert [each for each in LISTED["exceptions"] if not each["reason"]] == []


def test_an_old_name_and_an_old_word_are_found() -> None:
    code = ast.parse("class Purse: ...\ndef f(crew_size): return a.is_sealed\n")

    found = find_old_names(("x.py", name) for name in identifiers_of(code))

    assert found == {("x.py", "Purse"), ("x.py", "crew_size"), ("x.py", "is_sealed")}


def test_words_of_other_meaning_are_not_found() -> None:
    code = ast.parse("def f(screw, operation, decorate): return conductivity\n")

    assert find_old_names(("x.py", name) for name in identifiers_of(code)) == set()


@functools.cache
def old_names_in_code() -> frozenset[tuple[str, str]]:
    """Return the old names that are left, by file."""
    return frozenset(find_old_names(read_identifiers()))


def find_old_names(identifiers: Iterator[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the identifiers that are an old name, or hold an old word, by file."""
    names, words = frozenset(LISTED["names"]), frozenset(LISTED["words"])
    return {
        (file, name)
        for file, name in identifiers
        if name in names or not words.isdisjoint(words_of(name))
    }


def words_of(name: str) -> list[str]:
    """Return the words of an identifier, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def read_identifiers() -> Iterator[tuple[str, str]]:
    """Yield file and name of every identifier, and of every module and folder."""
    for root in ROOTS:
        for path in sorted((ROOT / root).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            yield from ((file, part) for part in path.relative_to(ROOT).with_suffix("").parts)
            text = path.read_text("utf-8")
            if _HINT.search(text):
                yield from ((file, name) for name in identifiers_of(ast.parse(text)))


def identifiers_of(tree: ast.AST) -> set[str]:
    """Return the names that code defines or uses."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(node.name)
            case ast.Name():
                found.add(node.id)
            case ast.Attribute():
                found.add(node.attr)
            case ast.arg() | ast.keyword():
                found.add(node.arg or "")
            case ast.alias():
                found.update((*node.name.split("."), node.asname or ""))
            case _:
                pass
    return found
