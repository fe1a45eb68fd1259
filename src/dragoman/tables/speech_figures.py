"""What was heard of what users said, per cell of a run: words, characters, and values of calls."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET

from dragoman.core.episodes import Episode, Move
from dragoman.core.said_values import said_values
from dragoman.core.scores import Unscored
from dragoman.core.speech import UNDERSTOOD, WORDS, Said, Utterance
from dragoman.core.tasks import Task
from dragoman.core.tools import Role
from dragoman.runs.jobs import read_manifest
from dragoman.scoring.clarity import clarity_findings
from dragoman.scoring.speech_accuracy import (
    NORMALIZATION,
    Edits,
    SpeechAccuracy,
    entity_accuracy,
    pooled,
    speech_accuracy,
)
from dragoman.store.run import RunStore


class HeardFigure(msgspec.Struct, frozen=True):
    """What was heard in one cell of the grid; a rate is None where nothing was counted.

    Attributes:
        condition: The cell's condition.
        agent: The cell's agent.
        utterances: What users said.
        word_error_rate: Words lost, put in or taken for others, for each word spoken.
        character_error_rate: The same of characters.
        values: How often a value that a call needs was said.
        values_heard: The share of these that arrived exactly, as they are written in the end.
        replies: What agents said themselves.
        clear: The share of these that break no rule of clarity (letters and numbers set apart, short
            sentences, no marks, the user's language).
        normalization: How texts were treated before they were counted.
    """

    condition: str
    agent: str
    utterances: int
    word_error_rate: float | None
    character_error_rate: float | None
    values: int
    values_heard: float | None
    replies: int
    clear: float | None
    normalization: str = NORMALIZATION


def heard_figures(store: RunStore) -> tuple[HeardFigure, ...]:
    """Return the figures of the cells in which users spoke, in the order of the plan."""
    places, tasks = {cell.key: cell for cell in store.cells()}, store.tasks()
    voices = read_manifest(store).voices
    found: dict[tuple[str, str], list[SpeechAccuracy]] = {}
    replies: dict[tuple[str, str], list[bool]] = {}
    for key, _, episode in store.episodes():
        cell = places[key]
        label = cell.condition.label
        if label not in voices:
            continue
        language = str(voices[label]["language"])
        place = (label, cell.agent)
        rows = list(_compared(episode, tasks[cell.task], language))
        if rows:
            found.setdefault(place, []).extend(rows)
            replies.setdefault(place, []).extend(_clear(episode, language))
    return tuple(_figure(place, rows, replies[place]) for place, rows in found.items())


def _compared(episode: Episode, task: Task, language: str) -> Iterator[SpeechAccuracy]:
    for utterance in _spoken(episode, "user"):
        values = _values(task, utterance.intended)
        heard = utterance.heard if isinstance(utterance.heard, str) else None
        raw = msgspec.structs.replace(utterance, heard=_recognized(utterance))
        yield speech_accuracy(raw, language, values, heard)


def _clear(episode: Episode, language: str) -> Iterator[bool]:
    """Yield of each reply of the agent whether it breaks no rule."""
    for utterance in _spoken(episode, "agent"):
        findings = clarity_findings(utterance.intended, language)
        yield all(finding.met is not False for finding in findings)


def _spoken(episode: Episode, side: Role) -> Iterator[Utterance]:
    for event in episode.events:
        if isinstance(event, Move) and event.by == side and isinstance(event.reply, Said):
            utterance, is_greeting = event.reply.utterance, event.scripted and side == "agent"
            if utterance.spoken is not UNSET and not is_greeting:
                yield utterance


def _recognized(utterance: Utterance) -> str | None:
    """Return the words as they were recognized, before values were written; else what was heard.

    Who understands what was meant has misheard no word.
    """
    if any(stage.engine == UNDERSTOOD for stage in utterance.stages):
        return None if utterance.spoken is UNSET else utterance.spoken
    words = next(
        (stage.settings[WORDS] for stage in utterance.stages if WORDS in stage.settings), None
    )
    if isinstance(words, str):
        return words
    return utterance.heard if isinstance(utterance.heard, str) else None


def _values(task: Task, said: str) -> tuple[str, ...]:
    """Return the values of planned calls that an utterance says."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    values = (value.value for action in actions for value in said_values(action.arguments, said))
    return tuple(dict.fromkeys(values))


def _figure(
    place: tuple[str, str], rows: Sequence[SpeechAccuracy], replies: Sequence[bool]
) -> HeardFigure:
    condition, agent = place
    evidence = [entry for row in rows for entry in row.entities if entry.met is not None]
    share = entity_accuracy(evidence)
    return HeardFigure(
        condition,
        agent,
        len(rows),
        _rate(pooled(row.words for row in rows)),
        _rate(pooled(row.characters for row in rows)),
        len(evidence),
        None if isinstance(share, Unscored) else share,
        len(replies),
        sum(replies) / len(replies) if replies else None,
    )


def _rate(edits: Edits | Unscored) -> float | None:
    return None if isinstance(edits, Unscored) else edits.rate
