"""What was heard of what users said: words, characters, and the values that calls need."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET

from dragoman.core.measures import Counted, PlayedCase, Rate, Setting, Total
from dragoman.core.scores import Unscored
from dragoman.core.speech import UNDERSTOOD, WORDS, Utterance
from dragoman.scoring.measures.counting import Counting
from dragoman.scoring.measures.spoken import written_down
from dragoman.scoring.measures.values import StatedBy, earlier_values_stated, values_stated
from dragoman.scoring.speech_accuracy import (
    EARLIER_NORMALIZATION,
    NORMALIZATION,
    Edits,
    Normalization,
    SpeechAccuracy,
    speech_accuracy,
)


def is_spoken(setting: Setting) -> bool:
    """Whether anybody speaks aloud."""
    return setting.is_spoken


def count_hearing(case: PlayedCase) -> Iterable[Counted] | Unscored:
    """Return an entry for each thing that the user said and that was written down as it was heard."""
    heard = written_down(case.episode)
    if isinstance(heard, Unscored):
        return heard
    return _counted(case, heard, NORMALIZATION, values_stated)


def count_earlier_hearing(case: PlayedCase) -> Iterable[Counted] | Unscored:
    """Return the entries of `hearing@3`."""
    heard = written_down(case.episode)
    if isinstance(heard, Unscored):
        return heard
    return _counted(case, heard, EARLIER_NORMALIZATION, earlier_values_stated)


def _counted(
    case: PlayedCase,
    heard: Iterable[tuple[int, Utterance]],
    normalization: Normalization,
    stated_by: StatedBy,
) -> Iterator[Counted]:
    for position, utterance in heard:
        found = _compared(utterance, case.setting.language, normalization)
        stated = stated_by(case, position, utterance)
        lost = [each.value for each in stated if each.lost]
        yield Counted(
            {
                "utterances": 1,
                **_edits("word", found.words),
                **_edits("character", found.characters),
                "values": len(stated),
                "values heard": len(stated) - len(lost),
            },
            position,
            why=f"not heard: {', '.join(lost)}" if lost else "",
        )


def _compared(utterance: Utterance, language: str, normalization: Normalization) -> SpeechAccuracy:
    raw = msgspec.structs.replace(utterance, heard=_recognized(utterance))
    return speech_accuracy(raw, language, normalization=normalization)


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


def _edits(unit: str, edits: Edits | Unscored) -> dict[str, int | float]:
    if isinstance(edits, Unscored):
        return {}
    wrong = edits.substitutions + edits.deletions + edits.insertions
    return {f"{unit}s": edits.said, f"{unit} errors": wrong}


_FIGURES = (
    Total("utterances", ("utterances",)),
    Rate("word errors", ("word errors",), ("words",), reads="percent"),
    Rate("character errors", ("character errors",), ("characters",), reads="percent"),
    Rate("values heard", ("values heard",), ("values",)),
)

HEARING = Counting("hearing", "4", count_hearing, _FIGURES, is_spoken)
"""Words and characters are counted after the scoring normalization `dragoman-speech-2`."""

EARLIER_HEARING = Counting("hearing", "3", count_earlier_hearing, _FIGURES, is_spoken)
"""Words and characters are counted after `dragoman-speech-1`, in which figures are other words."""
