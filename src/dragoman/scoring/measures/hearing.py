"""What was heard of what users said: words, characters, and the values that calls need."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET

from dragoman.core.measures import Counted, PlayedCase, Rate, Setting, Total
from dragoman.core.scores import Unscored
from dragoman.core.speech import UNDERSTOOD, WORDS, Utterance
from dragoman.core.tasks import Task
from dragoman.core.texts.said_values import said_values
from dragoman.scoring.measures.counting import Counting
from dragoman.scoring.measures.spoken import spoken_aloud
from dragoman.scoring.speech_accuracy import Edits, SpeechAccuracy, spaced, speech_accuracy


def is_spoken(setting: Setting) -> bool:
    """Whether anybody speaks aloud."""
    return setting.is_spoken


ITSELF_HEARD = "the agent was given the audio itself: nobody knows which words it heard"


def count_hearing(case: PlayedCase) -> Iterable[Counted] | Unscored:
    """Return an entry for each thing that the user said and that was written down as it was heard."""
    said = list(spoken_aloud(case.episode, "user"))
    heard = [(place, utterance) for place, utterance in said if utterance.received is not None]
    return Unscored(ITSELF_HEARD) if said and not heard else _counted(case, heard)


def _counted(case: PlayedCase, heard: Iterable[tuple[int, Utterance]]) -> Iterator[Counted]:
    for position, utterance in heard:
        found = _compared(utterance, case.task, case.setting.language)
        decided = [entry for entry in found.entities if entry.met is not None]
        lost = [entry.subject for entry in decided if not entry.met]
        yield Counted(
            {
                "utterances": 1,
                **_edits("word", found.words),
                **_edits("character", found.characters),
                "values": len(decided),
                "values heard": len(decided) - len(lost),
            },
            position,
            why=f"not heard: {', '.join(lost)}" if lost else "",
        )


def _compared(utterance: Utterance, task: Task, language: str) -> SpeechAccuracy:
    values = _values(task, spaced(utterance.intended, language))
    heard = spaced(utterance.heard, language) if isinstance(utterance.heard, str) else None
    raw = msgspec.structs.replace(utterance, heard=_recognized(utterance))
    return speech_accuracy(raw, language, values, heard)


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


def _edits(unit: str, edits: Edits | Unscored) -> dict[str, int | float]:
    if isinstance(edits, Unscored):
        return {}
    wrong = edits.substitutions + edits.deletions + edits.insertions
    return {f"{unit}s": edits.said, f"{unit} errors": wrong}


HEARING = Counting(
    "hearing",
    "2",
    count_hearing,
    (
        Total("utterances", ("utterances",)),
        Rate("word errors", ("word errors",), ("words",), reads="percent"),
        Rate("character errors", ("character errors",), ("characters",), reads="percent"),
        Rate("values heard", ("values heard",), ("values",)),
    ),
    is_spoken,
)
"""Words and characters are treated as `dragoman-speech-1` says before they are counted."""
