"""Translated tasks: what may differ from English does, and nothing else."""

from collections.abc import Iterator
from typing import NamedTuple

from dragoman.conditions.language.artifacts import TASKS
from dragoman.conditions.language.coverage import has_words
from dragoman.conditions.language.database_names import differences, dotted
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.places import places
from dragoman.conditions.language.text_rules.kept import (
    lost_identifiers,
    lost_numbers,
    reformatted,
)
from dragoman.conditions.language.text_rules.scripts import has_letters, latin_share

_KEYWORDS = (
    ("scenario", "facts", "*", "keywords"),
    ("scenario", "deeds", "*", "keywords"),
)
"""Lists of a language's own words: neither their number nor their order is that of English."""
_FACT = ("scenario", "facts", "*", "value")
_MOSTLY = 0.7


class _Text(NamedTuple):
    place: str
    original: str
    translation: str


def changed_leaves(assets: LanguageAssets) -> Found:
    """Find task fields that must stay as in English and do not, and tasks that are absent."""
    for original, translation in assets.tasks or ():
        name = str(original.get("id"))
        if not translation:
            what = "the task is not in the translation"
            yield assets.defect("fixed-leaf-changed", TASKS, what, place=name)
            continue
        for difference in differences(original, translation):
            if not _may_differ(_pattern(difference.path), structure=difference.structure):
                place = f"{name}.{dotted(difference.path)}"
                yield assets.defect("fixed-leaf-changed", TASKS, "not as in English", place=place)


def untranslated_texts(assets: LanguageAssets) -> Found:
    """Find texts of tasks that are as in English."""
    for text in _texts(assets):
        is_meant = text.original in assets.same_as_english
        if text.original == text.translation and not is_meant:
            yield assets.defect("untranslated-leaf", TASKS, "as in English", place=text.place)


def lost_identifiers_of_tasks(assets: LanguageAssets) -> Found:
    """Find identifiers of English tasks that the translation does not repeat."""
    for text in _texts(assets):
        for name in lost_identifiers(text.original, text.translation):
            if name not in text.translation and not _is_named(name, assets):
                what = f"{name} is not repeated"
                yield assets.defect("identifier-lost", TASKS, what, place=text.place)


def lost_numbers_of_tasks(assets: LanguageAssets) -> Found:
    """Find numbers of English tasks that the translation writes otherwise, or not at all."""
    for text in _texts(assets):
        for number in lost_numbers(text.original, text.translation):
            other = reformatted(number, text.translation)
            if other and assets.english.declared.numbers_follow_language:
                continue
            what = f"{number} is written {other}" if other else f"{number} is not repeated"
            yield assets.defect("number-lost", TASKS, what, place=text.place)


def varying_texts(assets: LanguageAssets) -> Found:
    """Find English texts that have different translations."""
    translations: dict[str, dict[str, str]] = {}
    for text in _texts(assets):
        translations.setdefault(text.original, {}).setdefault(text.translation, text.place)
    for original, found in translations.items():
        if len(found) > 1:
            what = f"{original[:60]!r} has {len(found)} translations"
            place = next(iter(found.values()))
            yield assets.defect("one-text-two-translations", TASKS, what, place=place)


def latin_texts(assets: LanguageAssets) -> Found:
    """Find known facts that are mostly Latin letters in a language of another script."""
    texts = list(_texts(assets))
    whole = latin_share("".join(text.translation for text in texts))
    if whole is None or whole > _MOSTLY:
        return
    for text in texts:
        share = latin_share(text.translation)
        if text.place.endswith("known_info") and share is not None and share > _MOSTLY:
            what = f"{share:.0%} of the letters are Latin"
            yield assets.defect("text-mostly-latin", TASKS, what, place=text.place)


def _texts(assets: LanguageAssets) -> Iterator[_Text]:
    """Yield the texts of tasks that are to be translated: those that have letters.

    Keywords are not compared one by one, and facts are where they have words.
    """
    for original, translation in assets.tasks or ():
        for path in places().tasks:
            if path[:-1] in _KEYWORDS:
                continue
            is_told = has_words if path == _FACT else has_letters
            for place, text, other in _along(original, translation, path, ()):
                if is_told(text):
                    yield _Text(f"{original.get('id')}.{dotted(place)}", text, other)


def _along(
    original: object, translation: object, path: tuple[str, ...], done: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    if not path:
        if isinstance(original, str) and isinstance(translation, str):
            yield done, original, translation
    elif path[0] == "*":
        if isinstance(original, list) and isinstance(translation, list):
            for at, (old, new) in enumerate(zip(original, translation, strict=False)):
                yield from _along(old, new, path[1:], (*done, at))
    elif isinstance(original, dict) and isinstance(translation, dict):
        name = path[0]
        yield from _along(original.get(name), translation.get(name), path[1:], (*done, name))


def _may_differ(pattern: tuple[str, ...], *, structure: bool) -> bool:
    if pattern in _KEYWORDS or pattern[:-1] in _KEYWORDS:
        return True
    return not structure and pattern in places().tasks


def _is_named(text: str, assets: LanguageAssets) -> bool:
    """Whether a text is a name of the database, which translations have otherwise."""
    return any(text in names.labels for names in assets.names.values())


def _pattern(path: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple("*" if isinstance(step, int) else step for step in path)
