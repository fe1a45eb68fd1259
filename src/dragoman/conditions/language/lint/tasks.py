"""Translated tasks: what may differ from English does, and nothing else."""

from collections.abc import Iterator
from typing import NamedTuple

from dragoman.conditions.language.artifacts import TASKS
from dragoman.conditions.language.database_names import differences, dotted
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.places import places
from dragoman.conditions.language.text_rules.kept import (
    lost_identifiers,
    lost_numbers,
    reformatted,
)
from dragoman.conditions.language.text_rules.scripts import has_letters, latin_share

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
            if difference.structure or _pattern(difference.path) not in places().tasks:
                place = f"{name}.{dotted(difference.path)}"
                yield assets.defect("fixed-leaf-changed", TASKS, "not as in English", place=place)


def untranslated_texts(assets: LanguageAssets) -> Found:
    """Find texts of tasks that are as in English."""
    for text in _texts(assets):
        if text.original == text.translation:
            yield assets.defect("untranslated-leaf", TASKS, "as in English", place=text.place)


def lost_identifiers_of_tasks(assets: LanguageAssets) -> Found:
    """Find identifiers of English tasks that the translation does not repeat."""
    for text in _texts(assets):
        for name in lost_identifiers(text.original, text.translation):
            if name not in text.translation:
                what = f"{name} is not repeated"
                yield assets.defect("identifier-lost", TASKS, what, place=text.place)


def lost_numbers_of_tasks(assets: LanguageAssets) -> Found:
    """Find numbers of English tasks that the translation writes otherwise, or not at all."""
    for text in _texts(assets):
        for number in lost_numbers(text.original, text.translation):
            other = reformatted(number, text.translation)
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
    """Yield the texts of tasks that are to be translated: those that have letters."""
    for original, translation in assets.tasks or ():
        for path in places().tasks:
            for place, text, other in _along(original, translation, path, ()):
                if has_letters(text):
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


def _pattern(path: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple("*" if isinstance(step, int) else step for step in path)
