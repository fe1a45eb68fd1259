"""Audio set card: values, word error rates and lost values by category and recognizer."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.recordings import SPEAKER
from dragoman.core.scores import Unscored
from dragoman.core.texts.entities import EntityKind, kind_of
from dragoman.core.usage import Usage, total_usage
from dragoman.curation.audio_sets.messages import How, StatedValue, ValueReader, has_unheard_case
from dragoman.curation.audio_sets.rewrite import SetLine
from dragoman.curation.audio_sets.settings import SetVersions
from dragoman.curation.audio_sets.value_readers import reader_of
from dragoman.scoring.speech_accuracy import (
    EARLIER_NORMALIZATION,
    NORMALIZATION,
    AlignmentCounts,
    Normalization,
    word_edits,
)
from dragoman.store.audio_set_format import SpeechLine, TranscriptLine

LostKind = EntityKind | Literal["case"]
"""The kind of a lost value.

It is `case` if everything except the case of letters arrived, which cannot be guessed.
"""


class SpokenLine(NamedTuple):
    """A message of a complete set: its text, its speech, and its transcripts by recognizer."""

    text: SetLine
    speech: SpeechLine
    heard: Mapping[str, TranscriptLine]


class RecognitionCounts(msgspec.Struct, frozen=True):
    """The recognition counts of one recognizer in one category.

    Attributes:
        words: Said words for which errors could be counted.
        word_errors: Deletions, insertions and substitutions of words.
        word_error_rate: The ratio of errors to words; None if no words were counted.
        uncounted: Messages whose words could not be counted: nothing was said, or too much.
        values: Values that messages state.
        heard: Values in the transcripts that agents read, by form.
        lost: The other values; heard and lost values are all values.
        lost_by_kind: Lost values by kind, or `case`.
    """

    words: int
    word_errors: int
    word_error_rate: float | None
    uncounted: int
    values: int
    heard: dict[str, int]
    lost: int
    lost_by_kind: dict[str, int]


class SpeechCounts(msgspec.Struct, frozen=True):
    """The speech counts of one category.

    Attributes:
        seconds: Duration of the audio of its messages, in seconds.
        voices: Messages by the voice that spoke them.
        unsaid: Values that are not found in the words for the voice: lost before the channel.
        recognizers: Counts by recognizer.
    """

    seconds: float
    voices: dict[str, int]
    unsaid: int
    recognizers: dict[str, RecognitionCounts]


class CountingRules(NamedTuple):
    """The rules for counting a set.

    Attributes:
        language: The spoken language.
        reader: Finds values in the words for voices and in transcripts.
        normalization: Normalization of texts before their words are compared.
    """

    language: str
    reader: ValueReader
    normalization: Normalization


def counting_rules(versions: SetVersions, language: str) -> CountingRules:
    """Return the rules for counting a set of some versions.

    Raises:
        UsageError: If its matcher is unknown here.
    """
    is_earlier = versions.normalization == EARLIER_NORMALIZATION
    return CountingRules(
        language,
        reader_of(versions.matcher, language),
        EARLIER_NORMALIZATION if is_earlier else NORMALIZATION,
    )


def speech_counts(lines: Sequence[SpokenLine], rules: CountingRules) -> SpeechCounts:
    """Return the speech counts of the messages of one category."""
    names = dict.fromkeys(name for line in lines for name in line.heard)
    return SpeechCounts(
        seconds=round(sum(line.speech.audio.seconds for line in lines if line.speech.audio), 3),
        voices=dict(sorted(Counter(_voices(lines)).items())),
        unsaid=sum(
            _how(line.speech.said, each.value, rules.reader) is None
            for line in lines
            for each in _values(line)
        ),
        recognizers={name: _recognition(lines, name, rules) for name in names},
    )


def _voices(lines: Sequence[SpokenLine]) -> Sequence[str]:
    return [
        str(stage.settings[SPEAKER])
        for line in lines
        for stage in line.speech.stages
        if SPEAKER in stage.settings
    ]


def _recognition(lines: Sequence[SpokenLine], name: str, rules: CountingRules) -> RecognitionCounts:
    edits = [_edits(line.speech.said, line.heard[name].words, rules) for line in lines]
    counted = [each for each in edits if isinstance(each, AlignmentCounts)]
    words = sum(each.said for each in counted)
    errors = sum(each.substitutions + each.deletions + each.insertions for each in counted)
    fates = Counter(
        _fate(line.heard[name].text, each.value, rules.reader)
        for line in lines
        for each in _values(line)
    )
    lost = {fate.lost: count for fate, count in fates.items() if fate.lost is not None}
    return RecognitionCounts(
        words=words,
        word_errors=errors,
        word_error_rate=round(errors / words, 6) if words else None,
        uncounted=len(edits) - len(counted),
        values=fates.total(),
        heard=dict(
            sorted((fate.how, count) for fate, count in fates.items() if fate.how is not None)
        ),
        lost=sum(lost.values()),
        lost_by_kind=dict(sorted(lost.items())),
    )


def _values(line: SpokenLine) -> Sequence[StatedValue]:
    return line.text.spoken.message.values


class _Fate(NamedTuple):
    """The form in which a value arrived, or its kind if it was lost."""

    how: How | None
    lost: LostKind | None


@lru_cache(maxsize=16_384)
def _fate(heard: str, value: str, reader: ValueReader) -> _Fate:
    how = _how(heard, value, reader)
    if how is None:
        return _Fate(None, kind_of(value))
    if has_unheard_case(value) and value not in heard:
        return _Fate(None, "case")
    return _Fate(how, None)


@lru_cache(maxsize=16_384)
def _how(text: str, value: str, reader: ValueReader) -> How | None:
    return reader.how_said(value, text)


@lru_cache(maxsize=16_384)
def _edits(said: str, heard: str, rules: CountingRules) -> AlignmentCounts | Unscored:
    return word_edits(said, heard, rules.language, rules.normalization)


class CategoryCounts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The counts of one category.

    Attributes:
        messages: Number of messages.
        grades: Messages by grade of rewriting.
        values: Values that messages state.
        found: Values found again in the rewritten text, by form.
        lost: Values that are not found again.
        case_unheard: Values whose capital letters are not identified in the rewritten text.
        unstated: Values of expected calls that no message of their turn states.
        phenomena: Occurrences of each phenomenon in texts rewritten by rules.
        topics: Topics of whitelists.
        speech: The speech counts; None in a set of texts.
    """

    messages: int
    grades: dict[str, int]
    values: int
    found: dict[str, int]
    lost: int
    case_unheard: int
    unstated: int
    phenomena: dict[str, int]
    topics: int
    speech: SpeechCounts | None = None


class AudioSetCard(msgspec.Struct, frozen=True):
    """The contents of a set.

    Attributes:
        made: The settings that it was made with.
        digest: The SHA-256 of its texts.
        categories: Counts by category.
        reasons: Reasons for rewriting messages less boldly than possible, by task and place.
        usage: Usage of models and services.
        recorded: The content key of everything that is played; "" in a set of texts.
        sounds: Number of different sounds.
        seconds: Total duration of these, in seconds.
    """

    made: dict[str, object]
    digest: str
    categories: dict[str, CategoryCounts]
    reasons: dict[str, tuple[str, ...]]
    usage: tuple[Usage, ...]
    recorded: str = ""
    sounds: int = 0
    seconds: float = 0.0


def audio_set_card(made: dict[str, object], digest: str, lines: Sequence[SetLine]) -> AudioSetCard:
    """Return the card of a set of texts."""
    categories = {
        name: _counts([line for line in lines if line.spoken.message.suite == name])
        for name in _categories(lines)
    }
    reasons = {line.spoken.message.address: line.spoken.reasons for line in lines}
    used = (usage for line in lines for usage in (*line.spoken.usage, *line.usage))
    return AudioSetCard(
        made,
        digest,
        categories,
        {address: why for address, why in reasons.items() if why},
        tuple(total_usage(used)),
    )


def add_speech_counts(
    card: AudioSetCard, lines: Sequence[SpokenLine], recorded: str, rules: CountingRules
) -> AudioSetCard:
    """Add the speech counts to a card.

    Args:
        card: The card of the set's texts.
        lines: All messages.
        recorded: The content key of everything recorded.
        rules: The rules for counting.
    """
    categories = {
        name: msgspec.structs.replace(
            counts,
            speech=speech_counts(
                [line for line in lines if line.text.spoken.message.suite == name], rules
            ),
        )
        for name, counts in card.categories.items()
    }
    sounds = {
        line.speech.audio.sha256: line.speech.audio.seconds for line in lines if line.speech.audio
    }
    used = [usage for line in lines for usage in line.speech.usage]
    used += [usage for line in lines for each in line.heard.values() for usage in each.usage]
    return msgspec.structs.replace(
        card,
        categories=categories,
        usage=tuple(total_usage((*card.usage, *used))),
        recorded=recorded,
        sounds=len(sounds),
        seconds=round(sum(sounds.values()), 3),
    )


def _categories(lines: Sequence[SetLine]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.spoken.message.suite for line in lines))


def _counts(lines: Sequence[SetLine]) -> CategoryCounts:
    spoken = [line.spoken for line in lines]
    proofs = [each for one in spoken for each in one.proof]
    return CategoryCounts(
        messages=len(lines),
        grades=_count_names(one.grade for one in spoken),
        values=len(proofs),
        found=_count_names(each.how for each in proofs if each.how is not None),
        lost=sum(each.how is None for each in proofs),
        case_unheard=sum(each.is_case_unheard for each in proofs),
        unstated=sum(one.message.unstated for one in spoken),
        phenomena=_count_names(
            name for one in spoken for name in Counter(one.phenomena).elements()
        ),
        topics=sum(len(line.whitelist.allowed) for line in lines),
    )


def _count_names(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
