"""Did the sides of a run speak their languages? Per cell of the grid and side, with its drift."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.correlation import Correlation
from dragoman.analysis.language_drift import (
    ENGLISH,
    LanguageFigure,
    drift,
    language_figure,
    shares_by_position,
)
from dragoman.core.language_rules import DEFAULT_LANGUAGE_RULES, LanguageRules, tolerant
from dragoman.core.language_use import LanguageUse
from dragoman.core.tools import Role
from dragoman.runs.jobs import read_manifest
from dragoman.scoring.language_correctness import language_use
from dragoman.scoring.language_detection import Detector
from dragoman.store.run import RunStore, StoredCell

_SIDES: tuple[Role, ...] = ("agent", "user")


class SideFigure(msgspec.Struct, frozen=True):
    """How one side of one cell of the grid kept to its language.

    Attributes:
        condition: The cell's condition.
        agent: The cell's agent, also where the side is the user.
        side: Who spoke.
        expected: The detector's label of its language.
        strict: Correctness where only that label counts.
        tolerant: Correctness where labels of the language's relatives count too.
        english: How many of the turns that count were English.
        drift: How position and share of other languages go together.
    """

    condition: str
    agent: str
    side: Role
    expected: str
    strict: LanguageFigure
    tolerant: LanguageFigure
    english: int
    drift: Correlation


def is_localized(store: RunStore) -> bool:
    """Whether a run has conditions in another language than English."""
    return bool(read_manifest(store).realised)


def language_figures(store: RunStore, detector: Detector) -> tuple[SideFigure, ...]:
    """Return the figures of a run's cells, in the order of the plan; sides that said nothing have none.

    Conversations that infrastructure ended are left out.
    """
    places = {cell.key: cell for cell in store.cells()}
    spoken = {
        label: (each.detector or ENGLISH, each.relatives)
        for label, each in read_manifest(store).realised.items()
    }
    uses: dict[tuple[str, str, Role], list[tuple[LanguageUse, LanguageUse]]] = {}
    for cell, pairs in _uses(store, places, spoken, detector):
        for strict, accepting in pairs:
            place = (cell.condition.label, cell.agent, strict.by)
            uses.setdefault(place, []).append((strict, accepting))
    order = dict.fromkeys((cell.condition.label, cell.agent) for cell in places.values())
    return tuple(
        _figure((*place, side), spoken_by)
        for place in order
        for side in _SIDES
        if (spoken_by := uses.get((*place, side))) and any(use.turns for use, _ in spoken_by)
    )


def _uses(
    store: RunStore,
    places: Mapping[str, StoredCell],
    spoken: Mapping[str, tuple[str, tuple[str, ...]]],
    detector: Detector,
) -> Iterator[tuple[StoredCell, tuple[tuple[LanguageUse, LanguageUse], ...]]]:
    """Yield each conversation's languages by side, under the strict definition and the tolerant one."""
    tasks = store.tasks()
    for key, _, episode in store.episodes():
        if episode.is_fault:
            continue
        cell = places[key]
        label, relatives = spoken.get(cell.condition.label, (ENGLISH, ()))
        expected = dict.fromkeys(_SIDES, label)
        judged = (
            language_use(tasks[cell.task], episode, expected, rules, detector)
            for rules in (DEFAULT_LANGUAGE_RULES, _accepting(label, relatives))
        )
        yield cell, tuple(zip(*judged, strict=True))


def _accepting(label: str, relatives: Sequence[str]) -> LanguageRules:
    rules = tolerant(DEFAULT_LANGUAGE_RULES)
    return msgspec.structs.replace(rules, tolerated=(frozenset({label, *relatives}),))


def _figure(
    place: tuple[str, str, Role], pairs: Sequence[tuple[LanguageUse, LanguageUse]]
) -> SideFigure:
    condition, agent, side = place
    strict = [use for use, _ in pairs]
    return SideFigure(
        condition,
        agent,
        side,
        strict[0].expected,
        language_figure(strict),
        language_figure([use for _, use in pairs]),
        sum(turn.detected == ENGLISH for use in strict for turn in use.scored),
        drift(shares_by_position(strict)),
    )
