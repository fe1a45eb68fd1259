"""Did each side speak its language? A record per turn, by a definition that is passed in."""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.language.rules import MIN_CHARACTERS, LanguageRules
from dragoman.core.language.use import LanguageUse, TurnLanguage
from dragoman.core.scores import Scored, Unscored
from dragoman.core.speech import Called, Said
from dragoman.core.tasks import Task
from dragoman.core.tools import Role
from dragoman.scoring.language_detection import Detection, Detector, label_of
from dragoman.scoring.plain_words import has_letters, lower_capitals, plain_words

_MARK = "###"


class SpokenTurn(msgspec.Struct, frozen=True):
    """Words of one side: their place among the events, who wrote them, and whom they reached."""

    position: int
    by: Role
    text: str
    harness: bool = False
    beside_calls: bool = False


def language_use(
    task: Task,
    episode: Episode,
    expected: Mapping[Role, str],
    rules: LanguageRules,
    detector: Detector,
) -> tuple[LanguageUse, ...]:
    """Return how each side kept to its language.

    Args:
        task: The task, for the history that came before the conversation.
        episode: The conversation.
        expected: The tag of the language that a side has to speak; a side that is not named is
            not judged.
        rules: The definition.
        detector: What tells a language.

    Raises:
        UsageError: Where the detector does not know an expected language.
    """
    turns = tuple(spoken_turns(task, episode))
    labels = {side: label_of(tag, detector) for side, tag in expected.items()}
    return tuple(
        LanguageUse(
            rules.name,
            side,
            label,
            tuple(turn_language(turn, label, rules, detector) for turn in turns if turn.by == side),
        )
        for side, label in labels.items()
    )


def spoken_turns(task: Task, episode: Episode) -> Iterator[SpokenTurn]:
    """Yield everything that was put into words; replies that are neither words nor calls are not."""
    for position, event in enumerate(episode.events):
        if isinstance(event, Move) and (text := _words(event)) is not None:
            yield SpokenTurn(
                position,
                event.by,
                text,
                harness=event.scripted or position < len(task.history),
                beside_calls=isinstance(event.reply, Called),
            )


def turn_language(
    turn: SpokenTurn, expected: str, rules: LanguageRules, detector: Detector
) -> TurnLanguage:
    """Judge one turn against the label of the expected language."""
    if why := left_out(turn, rules):
        return TurnLanguage(turn.position, Unscored(why))
    text = plain_words(turn.text) if rules.opaque_is_stripped else turn.text
    if rules.opaque_is_stripped and (why := _nothing_left(text)):
        return TurnLanguage(turn.position, Unscored(why))
    found = detector.detect(lower_capitals(text) if rules.capitals_are_lowered else text)
    label = found.label if found else None
    probability = found.probability if found else None
    if found is None or found.probability < rules.least_probability:
        return TurnLanguage(turn.position, _undetected(found, rules), label, probability)
    verdict = Scored(float(rules.accepts(expected, found.label)))
    return TurnLanguage(turn.position, verdict, label, probability)


def left_out(turn: SpokenTurn, rules: LanguageRules) -> str:
    """Return why a turn is not judged at all, or "" where it is."""
    stripped = turn.text.strip()
    if len(stripped) < MIN_CHARACTERS:
        return f"shorter than {MIN_CHARACTERS} characters"
    if not rules.opaque_is_stripped and stripped.startswith(_MARK) and stripped.endswith(_MARK):
        return "begins and ends with ###"
    if turn.harness and not rules.harness_turns_count:
        return "written by the benchmark"
    if turn.beside_calls and rules.words_must_be_delivered:
        return "beside tool calls, where it reaches nobody"
    return ""


def _words(event: Event) -> str | None:
    match event:
        case Move(reply=Said(utterance=utterance)):
            return utterance.intended
        case Move(reply=Called(text=text)):
            return text
        case _:
            return None


def _nothing_left(text: str) -> str:
    if not has_letters(text):
        return "nothing but ids, quoted values, code, numbers and symbols"
    if len(text) < MIN_CHARACTERS:
        return f"shorter than {MIN_CHARACTERS} characters without ids, quoted values and numbers"
    return ""


def _undetected(found: Detection | None, rules: LanguageRules) -> Scored | Unscored:
    if rules.undetected_is_wrong:
        return Scored(0.0)
    if found is None:
        return Unscored("no language detected")
    return Unscored(f"no language is likelier than {rules.least_probability:g}")
