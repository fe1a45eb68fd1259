"""Conditions of conversations that were played by other programs: how they are scored and counted.

Of what such a condition names, only the language that was spoken is ours to know. Tools, policy and
names in the language, lines and callers were the other program's: nothing of ours makes them real.
"""

from collections.abc import Sequence

import msgspec

from dragoman.conditions.language.languages import SHIPPED, find_language
from dragoman.conditions.language.localization import LocalizationRecord
from dragoman.core.conditions import ENGLISH, PLAIN, Condition, Localized, condition_of
from dragoman.wiring.grid.config import RunConfig


def scored_as(condition: Condition) -> Condition:
    """Return the condition that a conversation is scored under: the language that was spoken."""
    spoken = condition.language
    if spoken == ENGLISH or spoken not in SHIPPED:
        return PLAIN
    return condition_of(Localized((spoken,), ("conversation",)).axes)


def scored_conditions(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return the conditions that conversations are scored under, each once."""
    return tuple(dict.fromkeys(map(scored_as, conditions)))


def config_of_scoring(config: RunConfig, conditions: Sequence[Condition]) -> RunConfig:
    """Return a configuration that names the languages of these conditions."""
    spoken = dict.fromkeys(each.language for each in conditions if each.is_localized)
    return msgspec.structs.replace(config, languages=tuple(spoken))


def realised_elsewhere(conditions: Sequence[Condition]) -> dict[str, LocalizationRecord]:
    """Return by label what is known of conditions in another language: what detection calls it."""
    return {
        condition.label: _realised(condition.language)
        for condition in conditions
        if condition.is_localized
    }


def _realised(spoken: str) -> LocalizationRecord:
    if spoken in SHIPPED:
        language = find_language(spoken)
        detector = "" if spoken == ENGLISH else language.detector
        return LocalizationRecord(detector=detector, relatives=language.relatives)
    return LocalizationRecord(detector=spoken.partition("-")[0])
