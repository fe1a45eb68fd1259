"""Did each side speak its language? An entry for every turn that was put into words."""

from collections.abc import Iterator

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.language.rules import DEFAULT_LANGUAGE_RULES, LanguageRules, tolerant
from dragoman.core.language.use import TurnLanguage
from dragoman.core.measures import Counted, Derived, PlayedCase, Rate, Setting, Trend
from dragoman.core.scores import Scored, Unscored
from dragoman.core.tools import Role
from dragoman.scoring.language_correctness import language_use
from dragoman.scoring.language_detection import Detector
from dragoman.scoring.measures.counting import Counting

_SIDES: tuple[Role, ...] = ("agent", "user")


def language_measure(detector: Detector) -> Counting:
    """Return the measure by a detector.

    A turn is correct where the detector gives the label of the language, and tolerated where it gives
    that of a relative. Turns of the benchmark itself are left out (`dragoman-language-1`).
    """

    def count(case: PlayedCase) -> Iterator[Counted] | Unscored:
        if case.fault:
            return Unscored(case.fault)
        return _counted(case, detector)

    figures = tuple(figure for side in _SIDES for figure in _figures(side))
    return Counting("language", "1", count, figures)


def _counted(case: PlayedCase, detector: Detector) -> Iterator[Counted]:
    expected = dict.fromkeys(_SIDES, case.setting.label)
    strict, relaxed = (
        language_use(case.task, case.episode, expected, rules, detector)
        for rules in (DEFAULT_LANGUAGE_RULES, _accepting(case.setting))
    )
    for use, accepting in zip(strict, relaxed, strict=True):
        for turn, tolerated in zip(use.turns, accepting.turns, strict=True):
            yield _turn(use.by, use.expected, turn, tolerated)


def _accepting(setting: Setting) -> LanguageRules:
    rules = tolerant(DEFAULT_LANGUAGE_RULES)
    accepted = frozenset({setting.label, *setting.relatives})
    return msgspec.structs.replace(rules, tolerated=(accepted,))


def _turn(by: Role, expected: str, turn: TurnLanguage, tolerated: TurnLanguage) -> Counted:
    if isinstance(turn.verdict, Unscored):
        return Counted({}, turn.position, by, turn.verdict.reason)
    counts: dict[str, int | float] = {
        f"{by} turns": 1,
        f"{by} correct": int(turn.verdict.value),
        f"{by} wrong": int(not turn.verdict.value),
        f"{by} tolerated": int(tolerated.verdict == Scored(1.0)),
        f"{by} English": int(turn.detected == ENGLISH),
    }
    return Counted(counts, turn.position, by, f"{turn.detected}, expected {expected}")


def _figures(side: Role) -> tuple[Derived, ...]:
    turns = (f"{side} turns",)
    return (
        Rate("in its language", (f"{side} correct",), turns, part=side),
        Rate("by conversation", (f"{side} correct",), turns, "macro", side),
        Rate("with relatives", (f"{side} tolerated",), turns, part=side),
        Rate("English", (f"{side} English",), turns, part=side),
        Trend("drift r", (f"{side} wrong",), turns, side),
    )
