"""Conditions of languages and scenarios, also for runs that other programs played.

For a condition that another program played, only the spoken language is known here. Its tools,
policy, names, audio channels and personas are not reproduced.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.conditions.language.languages import MOST_LANGUAGES, SHIPPED, Language, find_language
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import OwnRules
from dragoman.core.conditions import (
    ENGLISH,
    IN_ENGLISH,
    JOIN,
    PLAIN,
    RELEASED_SEED,
    SCENARIOS,
    SURFACES,
    Condition,
    Localized,
    Surface,
    condition_of,
)
from dragoman.core.errors import UsageError
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.rules import RULES, Rules
from dragoman.registry.suites import find_benchmark
from dragoman.simulation.phrasebooks import find_phrasebook

_SCENARIO_NAMES = f"{IN_ENGLISH}, {', '.join(SCENARIOS)}, or surfaces joined by {JOIN}"


class KnownLanguage(msgspec.Struct, frozen=True):
    """A language, and the phrases of participants that need no model.

    The phrases are None if nobody wrote them.
    """

    language: Language
    phrases: Phrasebook | None


def conditions_of(
    languages: Sequence[str], scenarios: Sequence[str], seeds: Sequence[int] = ()
) -> tuple[Condition, ...]:
    """Return the conditions of a grid: each language in each scenario.

    English is one condition whatever the scenarios are. It is the only condition if no language is
    named.

    Args:
        languages: Codes or files of languages; several that share tools are joined by `+`.
        scenarios: Names of scenarios, or surfaces joined by `+`.
        seeds: Seeds that deal tools to several languages; each is a condition. Empty for the
            released seed.

    Raises:
        UsageError: If a name does not exist, or names do not go together.
        DataError: If a file does not describe a language.
    """
    if not scenarios and set(languages) <= {ENGLISH}:
        return (PLAIN,)
    if not scenarios:
        raise UsageError(f"a language needs a --scenario: {_SCENARIO_NAMES}")
    if not languages and set(scenarios) != {IN_ENGLISH}:
        raise UsageError("a scenario needs a --language (`dragoman list languages`)")
    found: dict[Condition, None] = {}
    for scenario in scenarios:
        for entry in languages or (ENGLISH,):
            found.update(dict.fromkeys(_conditions(entry, scenario, seeds or (RELEASED_SEED,))))
    return tuple(found)


def languages_of(languages: Sequence[str]) -> dict[str, KnownLanguage]:
    """Return the languages that a grid names by code, and English.

    Raises:
        UsageError: If a language does not exist.
        DataError: If a file does not describe a language, or its phrases are damaged.
    """
    names = (ENGLISH, *(name for entry in languages for name in entry.split(JOIN)))
    found = map(_known_language, dict.fromkeys(names))
    return {known.language.code: known for known in found}


def rules_of(name: str, suite: str, conditions: Sequence[Condition]) -> Rules:
    """Return the rule set of that name, adapted to a grid's conditions.

    Raises:
        UsageError: If the name does not exist.
    """
    rules, benchmark = RULES.find(name), find_benchmark(suite)
    if benchmark is not None and isinstance(benchmark, OwnRules):
        return benchmark.rules_under(suite, rules, conditions)
    return rules


def surfaces_of(scenario: str) -> tuple[Surface, ...]:
    """Return the surfaces of a scenario: those of its name, or those that it joins.

    Raises:
        UsageError: If the name is neither a scenario nor joined surfaces.
    """
    if scenario in SCENARIOS:
        return SCENARIOS[scenario]
    named = set(scenario.split(JOIN))
    unknown = sorted(named.difference(SURFACES))
    if unknown:
        raise UsageError(
            f"unknown scenario {unknown[0]!r}: choose {_SCENARIO_NAMES} ({', '.join(SURFACES)})"
        )
    return tuple(surface for surface in SURFACES if surface in named)


def _known_language(name: str) -> KnownLanguage:
    language = find_language(name)
    file = Path(name) if name.endswith(".toml") else None
    return KnownLanguage(language, find_phrasebook(language.code, file))


def _conditions(entry: str, scenario: str, seeds: Sequence[int]) -> Iterator[Condition]:
    codes = tuple(find_language(name).code for name in entry.split(JOIN))
    if scenario == IN_ENGLISH or set(codes) == {ENGLISH}:
        yield PLAIN
        return
    surfaces = surfaces_of(scenario)
    if len(codes) == 1:
        yield condition_of(Localized(codes, surfaces).axes)
        return
    if surfaces != SCENARIOS["tools"]:
        raise UsageError(f"{entry}: several languages share tools only: --scenario tools")
    if len(set(codes)) < len(codes) or len(codes) > MOST_LANGUAGES:
        raise UsageError(f"{entry}: name 2 to {MOST_LANGUAGES} different languages")
    for seed in seeds:
        yield condition_of(Localized(codes, surfaces, seed).axes)


def scoring_condition(condition: Condition) -> Condition:
    """Return the condition under which a conversation is scored: its spoken language alone."""
    spoken = condition.language
    if spoken == ENGLISH or spoken not in SHIPPED:
        return PLAIN
    return condition_of(Localized((spoken,), ("conversation",)).axes)


def scored_conditions(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return the conditions under which conversations are scored, each once."""
    return tuple(dict.fromkeys(map(scoring_condition, conditions)))


def config_of_scoring(config: RunConfig, conditions: Sequence[Condition]) -> RunConfig:
    """Return a configuration that names the spoken languages of these conditions."""
    spoken = dict.fromkeys(each.language for each in conditions if each.is_localized)
    return msgspec.structs.replace(config, languages=tuple(spoken))


def imported_localizations(conditions: Sequence[Condition]) -> dict[str, LocalizationRecord]:
    """Return what language detection needs for conditions in another language, by label."""
    return {
        condition.label: _imported_localization(condition.language)
        for condition in conditions
        if condition.is_localized
    }


def _imported_localization(spoken: str) -> LocalizationRecord:
    if spoken in SHIPPED:
        language = find_language(spoken)
        detector = "" if spoken == ENGLISH else language.detector
        return LocalizationRecord(detector=detector, relatives=language.relatives)
    return LocalizationRecord(detector=spoken.partition("-")[0])
