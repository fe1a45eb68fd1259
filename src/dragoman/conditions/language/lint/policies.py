"""Policies and manuals: parts that were lost, and values that they advertise."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.surface import build_value_sets
from dragoman.conditions.language.text_rules.kept import lost_numbers, reformatted
from dragoman.conditions.language.text_rules.markdown import (
    code_spans_of,
    headings_of,
    lines_of,
    list_items_of,
    quoted_in,
    without_code,
)
from dragoman.conditions.language.value_maps import ValueSet, fold

_PARTS: tuple[tuple[str, Callable[[str], list[str]]], ...] = (
    ("heading-lost", headings_of),
    ("list-item-lost", list_items_of),
    ("code-span-lost", code_spans_of),
)
_QUOTES = "\"'\u201c\u201d\u300c\u300d"
_ARGUMENT = re.compile(r'=\s*"([^"]+)"')
_HAN_SPACE = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


def lost_parts(assets: LanguageAssets) -> Found:
    """Find texts with fewer headings, list items or code spans than the English ones."""
    for name, (original, translation) in assets.policies.items():
        for code, parts_of in _PARTS:
            had, has = len(parts_of(original)), len(parts_of(translation))
            if has < had:
                what = f"{had} in English, {has} in the translation"
                yield assets.defect(code, name, what, count=had - has)


def lost_numbers_of_policies(assets: LanguageAssets) -> Found:
    """Find numbers of English policies that the translation does not have."""
    for name, (original, translation) in assets.policies.items():
        follows = assets.english.declared.numbers_follow_language
        for number in dict.fromkeys(lost_numbers(original, translation)):
            if not (follows and reformatted(number, translation)):
                yield assets.defect("number-lost", name, f"{number} is not repeated")


def unaccepted_values(assets: LanguageAssets) -> Found:
    """Find code spans that quote a value of no value set where the English text quotes one.

    Translations are compared line by line with the English line that names the same functions.
    """
    value_sets = build_value_sets(
        assets.schemas,
        assets.english.declared,
        "",
        f"{assets.domain}/{assets.language}",
    )
    for name, (original, translation) in assets.policies.items():
        wrong: Counter[tuple[str, str]] = Counter()
        for pair in _pairs(original, translation):
            for value, shown in zip(
                _literals(pair.english), _literals(pair.translated), strict=False
            ):
                known = _owner(value, value_sets)
                if known is not None and fold(shown) not in known.spellings:
                    wrong[value, shown] += 1
        for (value, shown), count in wrong.items():
            what = f"{shown!r} stands for {value!r} and belongs to no value set"
            yield assets.defect("label-outside-value-set", name, what, count=count)


def translated_arguments(assets: LanguageAssets) -> Found:
    """Find prose that quotes an argument translated which the calls beside it give in English."""
    for name, (original, translation) in assets.policies.items():
        for pair in _pairs(original, translation):
            arguments = {
                text for span in code_spans_of(pair.english) for text in _ARGUMENT.findall(span)
            }
            quoted = quoted_in(without_code(pair.english))
            shown = quoted_in(without_code(pair.translated))
            for value in quoted:
                if value in arguments and value not in shown:
                    what = f"{value!r} is quoted translated; calls need it as it is"
                    yield assets.defect("argument-translated", name, what)


def spaces_between_han(assets: LanguageAssets) -> Found:
    """Find spaces between Chinese characters, which Chinese does not write."""
    for name in assets.folder.names:
        if name.endswith((".md", ".json", ".toml")):
            count = len(_HAN_SPACE.findall(assets.folder.text(name)))
            if count:
                what = "spaces between Chinese characters"
                yield assets.defect("space-between-han", name, what, count=count)


class _Pair(NamedTuple):
    english: str
    translated: str


def _pairs(original: str, translation: str) -> Iterator[_Pair]:
    """Pair lines that hold code: those whose calls are the same, in order."""
    waiting: dict[tuple[str, ...], list[str]] = {}
    for line in lines_of(translation):
        waiting.setdefault(_calls(line), []).append(line)
    for line in lines_of(original):
        lines = waiting.get(_calls(line))
        if _calls(line) and lines:
            yield _Pair(line, lines.pop(0))


def _calls(line: str) -> tuple[str, ...]:
    """Return the code spans of a line that are calls."""
    return tuple(span for span in code_spans_of(line) if "(" in span)


def _literals(line: str) -> list[str]:
    """Return the literals that code spans of a line consist of, without their quotes."""
    return [span.strip(_QUOTES) for span in code_spans_of(line) if "(" not in span]


def _owner(value: str, value_sets: dict[str, ValueSet]) -> ValueSet | None:
    owners = (each for each in value_sets.values() if value in each.labels)
    return next(owners, None)
