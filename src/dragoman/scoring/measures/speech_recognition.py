"""Measures `hearing` and `values`: word errors, and misrecognized values of calls."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, get_args

import msgspec
from msgspec import UNSET

from dragoman.core.episodes import Message
from dragoman.core.measures import (
    CountedItem,
    MeasureSetting,
    MetricDefinition,
    Rate,
    ScoringContext,
    Total,
)
from dragoman.core.replies import ORACLE_ENGINE, WORDS, TextReply, ToolCallReply, Utterance
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Action
from dragoman.core.texts.entities import EntityKind, argument_texts, contains_entity, kind_of
from dragoman.core.value_matching.matcher import states
from dragoman.scoring.measures.count_measure import CountMeasure, transcribed_utterances
from dragoman.scoring.speech_accuracy import (
    EARLIER_NORMALIZATION,
    NORMALIZATION,
    AlignmentCounts,
    Normalization,
    SpeechAccuracy,
    earlier_entity_evidence,
    entity_evidence,
    separate_latin_words,
    speech_accuracy,
)

ValueKind = Literal[
    "name", "number", "id or code", "date or time", "address or file", "letter case", "other words"
]
VALUE_KINDS: tuple[ValueKind, ...] = get_args(ValueKind)
"""The kinds of a lost value; each is of one."""

_BY_FORM: dict[EntityKind, ValueKind] = {
    "number": "number",
    "amount": "number",
    "code": "id or code",
    "phone": "id or code",
    "acronym": "id or code",
    "date": "date or time",
    "time": "date or time",
    "email": "address or file",
    "file": "address or file",
}
_PATH = re.compile(r"\S*[/\\]\S*|(?:https?:|www\.)\S+")
_ONE_PIECE = re.compile(r"\S*[a-z][A-Z]\S*")


class SpokenValue(msgspec.Struct, frozen=True):
    """A value of an expected call that a user's words state, and the kind of its loss.

    The kind is "" if the value was recognized.
    """

    value: str
    lost: ValueKind | Literal[""] = ""

    @property
    def kinds(self) -> tuple[ValueKind, ...]:
        """The kinds of loss that the value may suffer.

        They are the kind of its form, and letter case if it is inaudible.
        """
        own = value_kind(self.value)
        return (own, "letter case") if _has_unheard_case(self.value) else (own,)


States = Callable[[str, str], bool]
"""Whether a value, the first text, is stated by the second."""


def spoken_values(
    case: ScoringContext, position: int, utterance: Utterance
) -> tuple[SpokenValue, ...]:
    """Return the values that one utterance of a user states, each once.

    An answer to the agent's question about one of them states no further value.

    Args:
        case: The conversation.
        position: The place of the words among its events.
        utterance: The words.
    """
    move = case.episode.events[position]
    if isinstance(move, Message) and isinstance(move.reply, TextReply) and move.reply.clarifies:
        return ()
    language = case.setting.language
    said, heard = utterance.intended, utterance.received or ""
    turn = move.turn if isinstance(move, Message) else 0
    found = entity_evidence(
        _find_needed_values(case, turn, said, _stating(language)), heard, language
    )
    return tuple(
        SpokenValue(each.subject, _loss(each.subject, heard, is_found=bool(each.met)))
        for each in found
    )


def earlier_spoken_values(
    case: ScoringContext, position: int, utterance: Utterance
) -> tuple[SpokenValue, ...]:
    """Return the values that one thing a user said states, as they were found before `values@3`."""
    move = case.episode.events[position]
    if isinstance(move, Message) and isinstance(move.reply, TextReply) and move.reply.clarifies:
        return ()
    language = case.setting.language
    said, heard = (
        separate_latin_words(utterance.intended, language),
        separate_latin_words(utterance.received or "", language),
    )
    turn = move.turn if isinstance(move, Message) else 0
    found = earlier_entity_evidence(_find_needed_values(case, turn, said, contains_entity), heard)
    return tuple(
        SpokenValue(each.subject, _loss(each.subject, heard, is_found=bool(each.met)))
        for each in found
    )


def _stating(language: str) -> States:
    return lambda value, text: states(value, text, language)


def count_values(case: ScoringContext) -> Iterable[CountedItem] | Unscored:
    """Return an entry for each user utterance that was transcribed."""
    heard = transcribed_utterances(case.episode)
    return heard if isinstance(heard, Unscored) else _value_entries(case, heard, spoken_values)


def count_earlier_values(case: ScoringContext) -> Iterable[CountedItem] | Unscored:
    """Return the entries of `values@2`."""
    heard = transcribed_utterances(case.episode)
    return (
        heard if isinstance(heard, Unscored) else _value_entries(case, heard, earlier_spoken_values)
    )


StatedBy = Callable[[ScoringContext, int, Utterance], tuple[SpokenValue, ...]]
"""Finds the values that one thing a user said states."""


def _value_entries(
    case: ScoringContext, heard: Iterable[tuple[int, Utterance]], stated_by: StatedBy
) -> Iterator[CountedItem]:
    for position, utterance in heard:
        stated = stated_by(case, position, utterance)
        lost = [each for each in stated if each.lost]
        back = [each for each in lost if _is_won_back(case, position, each.value)]
        yield CountedItem(
            {
                "values": len(stated),
                **{
                    f"said: {kind}": sum(kind in each.kinds for each in stated)
                    for kind in VALUE_KINDS
                },
                "lost": len(lost),
                **{
                    f"lost: {kind}": sum(each.lost == kind for each in lost) for kind in VALUE_KINDS
                },
                "won back": len(back),
                **{
                    f"won back: {kind}": sum(each.lost == kind for each in back)
                    for kind in VALUE_KINDS
                },
            },
            position,
            why="; ".join(f"{each.lost}: {each.value}" for each in lost),
        )


def value_kind(value: str) -> ValueKind:
    """Return the kind of a value by how it is written; never `letter case`."""
    if _PATH.fullmatch(value):
        return "address or file"
    if (kind := _BY_FORM.get(kind_of(value))) is not None:
        return kind
    if _ONE_PIECE.fullmatch(value):
        return "id or code"
    return "name" if any(word[:1].isupper() for word in value.split()) else "other words"


def _loss(value: str, heard: str, *, is_found: bool) -> ValueKind | Literal[""]:
    if not is_found:
        return value_kind(value)
    return "letter case" if _has_unheard_case(value) and value not in heard else ""


def _has_unheard_case(value: str) -> bool:
    """Return whether a value has capitals that cannot be recognized from speech."""
    return kind_of(value) != "email" and any(
        word not in {word.lower(), word.upper(), word.capitalize()} for word in value.split()
    )


def _find_needed_values(
    case: ScoringContext, turn: int, said: str, is_stated: States
) -> Sequence[str]:
    """Return the values in the user's words that calls need.

    They are those of the same turn if the suite states turns.
    """
    if case.expected:
        stated = (
            value
            for expected in case.expected
            if expected.turn == turn
            for value in max(
                (
                    [value for value in alternative if is_stated(value, said)]
                    for alternative in expected.alternatives
                ),
                key=len,
                default=(),
            )
        )
        return tuple(dict.fromkeys(stated))
    actions = () if case.task.criteria is None else case.task.criteria.actions or ()
    values = dict.fromkeys(value for action in actions for value in _texts(action))
    return tuple(value for value in values if is_stated(value, said))


def _texts(action: Action) -> Iterator[str]:
    return (value for argument in action.arguments.values() for value in argument_texts(argument))


def _is_won_back(case: ScoringContext, position: int, value: str) -> bool:
    """Return whether the user gave a value in an answer to the agent, which then called with it."""
    events = case.episode.events
    for entry in case.episode.clarifications:
        question = events[entry.at]
        is_of_turn = isinstance(question, Message) and _is_same_turn(case, position, question)
        if entry.is_allowed and entry.at > position and is_of_turn and value in entry.reply:
            later = events[entry.at + 2 :]
            return any(
                isinstance(event, Message)
                and _is_same_turn(case, position, event)
                and _calls_with(event, value)
                for event in later
            )
    return False


def _is_same_turn(case: ScoringContext, position: int, move: Message) -> bool:
    said = case.episode.events[position]
    return not case.task.turns or (isinstance(said, Message) and said.turn == move.turn)


def _calls_with(move: Message, value: str) -> bool:
    return isinstance(move.reply, ToolCallReply) and any(
        value in argument_texts([*call.positionals, call.arguments]) for call in move.reply.calls
    )


def _is_spoken(setting: MeasureSetting) -> bool:
    return setting.is_spoken


_VALUE_METRICS: tuple[MetricDefinition, ...] = (
    Total("values", ("values",)),
    Rate("lost", ("lost",), ("values",)),
    *(Total(f"lost: {kind}", (f"lost: {kind}",)) for kind in VALUE_KINDS),
    Rate("won back", ("won back",), ("lost",)),
)

VALUES = CountMeasure("values", "3", count_values, _VALUE_METRICS, _is_spoken)
"""Lost values, of which each is of one kind, and those that an answered question brought back."""

EARLIER_VALUES = CountMeasure("values", "2", count_earlier_values, _VALUE_METRICS, _is_spoken)
"""The same, with values found as they were written."""


def is_spoken(setting: MeasureSetting) -> bool:
    """Return whether a condition has speech."""
    return setting.is_spoken


def count_recognition(case: ScoringContext) -> Iterable[CountedItem] | Unscored:
    """Return an entry for each user utterance that was transcribed."""
    heard = transcribed_utterances(case.episode)
    if isinstance(heard, Unscored):
        return heard
    return _recognition_entries(case, heard, NORMALIZATION, spoken_values)


def count_earlier_recognition(case: ScoringContext) -> Iterable[CountedItem] | Unscored:
    """Return the entries of `hearing@3`."""
    heard = transcribed_utterances(case.episode)
    if isinstance(heard, Unscored):
        return heard
    return _recognition_entries(case, heard, EARLIER_NORMALIZATION, earlier_spoken_values)


def _recognition_entries(
    case: ScoringContext,
    heard: Iterable[tuple[int, Utterance]],
    normalization: Normalization,
    stated_by: StatedBy,
) -> Iterator[CountedItem]:
    for position, utterance in heard:
        found = _measure_raw_accuracy(utterance, case.setting.language, normalization)
        stated = stated_by(case, position, utterance)
        lost = [each.value for each in stated if each.lost]
        yield CountedItem(
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


def _measure_raw_accuracy(
    utterance: Utterance, language: str, normalization: Normalization
) -> SpeechAccuracy:
    raw = msgspec.structs.replace(utterance, heard=_recognized_words(utterance))
    return speech_accuracy(raw, language, normalization=normalization)


def _recognized_words(utterance: Utterance) -> str | None:
    """Return the words as recognized, before normalization.

    Without recognized words, the received text is returned. A listener that receives the intended
    words has no recognition errors.
    """
    if any(stage.engine == ORACLE_ENGINE for stage in utterance.stages):
        return None if utterance.spoken is UNSET else utterance.spoken
    words = next(
        (stage.settings[WORDS] for stage in utterance.stages if WORDS in stage.settings), None
    )
    if isinstance(words, str):
        return words
    return utterance.heard if isinstance(utterance.heard, str) else None


def _edits(unit: str, edits: AlignmentCounts | Unscored) -> dict[str, int | float]:
    if isinstance(edits, Unscored):
        return {}
    wrong = edits.substitutions + edits.deletions + edits.insertions
    return {f"{unit}s": edits.said, f"{unit} errors": wrong}


_RECOGNITION_METRICS = (
    Total("utterances", ("utterances",)),
    Rate("word errors", ("word errors",), ("words",), reads="percent"),
    Rate("character errors", ("character errors",), ("characters",), reads="percent"),
    Rate("values heard", ("values heard",), ("values",)),
)

RECOGNITION = CountMeasure("hearing", "4", count_recognition, _RECOGNITION_METRICS, is_spoken)
"""Words and characters are counted after the scoring normalization `dragoman-speech-2`."""

EARLIER_RECOGNITION = CountMeasure(
    "hearing", "3", count_earlier_recognition, _RECOGNITION_METRICS, is_spoken
)
"""Words and characters are counted after `dragoman-speech-1`, in which figures are other words."""
