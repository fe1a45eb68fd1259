"""Translated question suites: questions and offered functions in other languages."""

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.composition.conditions.languages import KnownLanguage
from dragoman.composition.conditions.localization import language_instructions
from dragoman.conditions.language.artifacts import AssetFolder, domains_root, languages_of
from dragoman.conditions.language.localization import Localization
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.conditions.language.question_tasks import LocalizedQuestions, label_trees
from dragoman.conditions.language.tool_view_rules import DEFAULT_VIEW_RULES
from dragoman.config.environment import data_folder
from dragoman.core.capabilities import HasQuestions
from dragoman.core.conditions import Condition, Surface, made_by_label
from dragoman.core.errors import UnplayableConditionError
from dragoman.core.language.question_texts import TranslatedQuestions, Use
from dragoman.core.protocols import Suite
from dragoman.registry.suites import find_benchmark

_READ: frozenset[Surface] = frozenset({"tools", "tasks"})
_ABSENT: frozenset[Surface] = frozenset({"greeting", "policy", "database"})
_USES: Mapping[Surface, Mapping[Use, str]] = {
    "tasks": {"said": "texts of questions"},
    "tools": {"described": "descriptions of functions", "choice": "values of functions"},
}


def question_source(conditions: Sequence[Condition], suite: Suite) -> HasQuestions | None:
    """Return the source of the translated questions that a suite's conditions need.

    It covers the conditions that apply to the suite. It is None if no questions are needed.
    """
    needed = any(
        condition.localized is not None and not _READ.isdisjoint(condition.localized.surfaces)
        for condition in conditions
        if not suite.not_applicable(condition)
    )
    if not needed:
        return None
    benchmark = find_benchmark(suite.name)
    if benchmark is None or not isinstance(benchmark, HasQuestions):
        return None
    return benchmark


def question_localizations(  # noqa: PLR0913, PLR0917 - what a condition is made of
    conditions: Sequence[Condition],
    languages: Mapping[str, KnownLanguage],
    suite: Suite,
    benchmark: HasQuestions,
    assets: str,
    unplayable: dict[str, str] | None = None,
) -> dict[str, Localization]:
    """Return the localization of each condition of a suite of questions, by label.

    Conditions that do not apply to the suite have none.

    Args:
        conditions: Conditions in other languages.
        languages: Their languages by code, English among them.
        suite: The suite that is played.
        benchmark: The benchmark of the suite.
        assets: The folder that holds `BENCHMARK/LANGUAGE`.
        unplayable: Receives, by label, the reason why a condition lacks questions; None raises an
            error.

    Raises:
        UnplayableConditionError: If no folder is named, or it has no such language.
        DataError: If files are missing or damaged, or labels cannot be inverted.
    """
    read = functools.cache(functools.partial(_questions, suite, benchmark, assets))

    def localization(condition: Condition) -> Localization:
        said = language_instructions(condition, languages)
        return _localization(condition, said, suite.name, *read(condition.axis("language")))

    applicable = (each for each in conditions if each.localized and not suite.not_applicable(each))
    return made_by_label(applicable, localization, unplayable)


def _questions(
    suite: Suite, benchmark: HasQuestions, assets: str, code: str
) -> tuple[TranslatedQuestions, dict[str, str]]:
    """Return the questions of a suite in a language, and the hashes of their files."""
    name = suite.name.partition(":")[0]
    if not assets:
        raise UnplayableConditionError(
            f"{suite.name} has no translated artifacts to pull",
            f"--assets with a folder that holds {name}/LANGUAGE (`dragoman translate "
            f"{suite.name}` makes one)",
        )
    root = domains_root(Path(assets)) / name
    there = languages_of(root)
    if code not in there:
        raise UnplayableConditionError(
            f"{root} has no language {code!r}: choose {', '.join(there) or 'another folder'}"
        )
    folder = AssetFolder(root / code)
    questions = benchmark.in_language(suite.name, folder.read, data_folder())
    for task in suite.tasks:
        label_trees(questions.labels(task.id))
    hashes = {
        f"{name}/{code}/{file}": hashlib.sha256(folder.read(file)).hexdigest()
        for file in questions.files
    }
    return questions, hashes


def _localization(
    condition: Condition,
    said: LocalizationRecord,
    suite: str,
    questions: TranslatedQuestions,
    hashes: dict[str, str],
) -> Localization:
    localized = condition.localized
    surfaces = () if localized is None else localized.surfaces
    return Localization(
        condition=condition,
        record=msgspec.structs.replace(
            said,
            assets=hashes,
            view_rules=DEFAULT_VIEW_RULES.name if "tools" in surfaces else "",
            notes=tuple(_notes(condition.axis("language"), surfaces, suite, questions)),
        ),
        questions=LocalizedQuestions(questions, surfaces),
    )


def _notes(
    code: str, surfaces: Sequence[Surface], suite: str, questions: TranslatedQuestions
) -> Iterator[str]:
    """Yield a note on texts that stay English, and one on surfaces that do not exist."""
    left = ", ".join(_describe_untranslated(surfaces, questions))
    if left:
        yield f"{code}: of {suite} are as in English: {left}"
    absent = [surface for surface in surfaces if surface in _ABSENT]
    if absent:
        yield f"{code}: {suite} has no {' and no '.join(absent)} that could be in a language"


def _describe_untranslated(
    surfaces: Sequence[Surface], questions: TranslatedQuestions
) -> Iterator[str]:
    for surface in surfaces:
        for use, what in _USES.get(surface, {}).items():
            left, texts = questions.left_in_english(use)
            if left:
                yield f"{left:,} of {texts:,} {what}"
