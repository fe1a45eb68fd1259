"""Measure `language`: use of the expected language by each side, turn by turn.

Ids, quoted values, code, JSON, numbers and symbols are language-neutral and are excluded.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.language.correctness import (
    DEFAULT_LANGUAGE_RULES,
    MIN_CHARACTERS,
    LanguageRules,
    LanguageUse,
    TurnLanguage,
    tolerant_rules,
)
from dragoman.core.measures import (
    CountedItem,
    MeasureSetting,
    MetricDefinition,
    Rate,
    ScoringContext,
    Trend,
)
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.scores import Scored, Unscored
from dragoman.core.stop_tokens import MARKER
from dragoman.core.tasks import Task
from dragoman.core.tools import Role
from dragoman.scoring.language_detection import Detection, Detector, detector_label
from dragoman.scoring.measures.count_measure import CountMeasure

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|«[^»\n]{1,60}»|「[^」\n]{1,60}」|(?<!\w)'[^'\n]{1,60}'(?!\w)"
)
_RUN = re.compile(r"[!-~]+")
_IN_IDS = re.compile(r"[0-9@_\\]|://")
# Airports and currencies; longer words in capitals may be words.
_LETTER_CODE = re.compile(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])")
_MARKUP = "#*"
_SYMBOLS_AND_NUMBERS = "SN"


def natural_language_text(text: str) -> str:
    """Return what a text says in a language, in one line.

    Taken out are: code between backticks; braces with all they hold; stop markers (`###STOP###`);
    up to 60 characters in quotation marks, since more is likelier to be speech; runs of ASCII
    characters with a digit, `@`, `_`, a backslash or `://` in them; three capital letters alone
    (JFK, USD); digits, symbols and emoji.
    """
    for pattern in (_CODE, MARKER):
        text = pattern.sub(" ", text)
    text = _QUOTED.sub(" ", _without_braces(text))
    text = _RUN.sub(_unless_id, text)
    text = _LETTER_CODE.sub(" ", text)
    return " ".join("".join(map(_unless_symbol, text)).split())


def has_letters(text: str) -> bool:
    """Return whether any letter of any script stands in a text."""
    return any(map(str.isalpha, text))


def lower_capitals(text: str) -> str:
    """Return a text in small letters where all its letters are capitals, else as it is."""
    return text.lower() if text.isupper() else text


def _without_braces(text: str) -> str:
    """Take out every pair of braces that closes, with all between."""
    opened: list[int] = []
    spans: list[tuple[int, int]] = []
    for at, character in enumerate(text):
        if character == "{":
            opened.append(at)
        elif character == "}" and opened:
            start = opened.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, at + 1))
    kept, end = [], 0
    for start, stop in spans:
        kept.append(text[end:start])
        end = stop
    return " ".join((*kept, text[end:]))


def _unless_id(run: re.Match[str]) -> str:
    return " " if _IN_IDS.search(run.group()) else run.group()


def _unless_symbol(character: str) -> str:
    is_dropped = character in _MARKUP or unicodedata.category(character)[0] in _SYMBOLS_AND_NUMBERS
    return " " if is_dropped else character


_MARK = "###"


class WordedTurn(msgspec.Struct, frozen=True):
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
    """Return the language use of each side.

    Args:
        task: The task, for the history before the conversation.
        episode: The conversation.
        expected: The tag of the language that a side has to speak; a side that is not named is
            not judged.
        rules: The definition.
        detector: Detector of languages.

    Raises:
        UsageError: If the detector does not know an expected language.
    """
    turns = tuple(worded_turns(task, episode))
    labels = {side: detector_label(tag, detector) for side, tag in expected.items()}
    return tuple(
        LanguageUse(
            rules.name,
            side,
            label,
            tuple(turn_language(turn, label, rules, detector) for turn in turns if turn.by == side),
        )
        for side, label in labels.items()
    )


def worded_turns(task: Task, episode: Episode) -> Iterator[WordedTurn]:
    """Yield everything that was put into words.

    Replies that are neither words nor calls are not included.
    """
    for position, event in enumerate(episode.events):
        if isinstance(event, Message) and (text := _words(event)) is not None:
            yield WordedTurn(
                position,
                event.by,
                text,
                harness=event.scripted or position < len(task.history),
                beside_calls=isinstance(event.reply, ToolCallReply),
            )


def turn_language(
    turn: WordedTurn, expected: str, rules: LanguageRules, detector: Detector
) -> TurnLanguage:
    """Judge one turn against the label of the expected language."""
    if why := exclusion_reason(turn, rules):
        return TurnLanguage(turn.position, Unscored(why))
    text = natural_language_text(turn.text) if rules.opaque_is_stripped else turn.text
    if rules.opaque_is_stripped and (why := _nothing_left(text)):
        return TurnLanguage(turn.position, Unscored(why))
    found = detector.detect(lower_capitals(text) if rules.capitals_are_lowered else text)
    label = found.label if found else None
    probability = found.probability if found else None
    if found is None or found.probability < rules.least_probability:
        return TurnLanguage(turn.position, _undetected_verdict(found, rules), label, probability)
    verdict = Scored(float(rules.accepts(expected, found.label)))
    return TurnLanguage(turn.position, verdict, label, probability)


def exclusion_reason(turn: WordedTurn, rules: LanguageRules) -> str:
    """Return why a turn is not judged at all, or "" if it is."""
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
        case Message(reply=TextReply(utterance=utterance)):
            return utterance.intended
        case Message(reply=ToolCallReply(text=text)):
            return text
        case _:
            return None


def _nothing_left(text: str) -> str:
    if not has_letters(text):
        return "nothing but ids, quoted values, code, numbers and symbols"
    if len(text) < MIN_CHARACTERS:
        return f"shorter than {MIN_CHARACTERS} characters without ids, quoted values and numbers"
    return ""


def _undetected_verdict(found: Detection | None, rules: LanguageRules) -> Scored | Unscored:
    if rules.undetected_is_wrong:
        return Scored(0.0)
    if found is None:
        return Unscored("no language detected")
    return Unscored(f"no language is likelier than {rules.least_probability:g}")


_SIDES: tuple[Role, ...] = ("agent", "user")


def language_measure(detector: Detector) -> CountMeasure:
    """Return the measure by a detector.

    A turn is correct if the detector gives the label of the language, and tolerated if it gives
    that of a related language. Turns of the benchmark itself are excluded (`dragoman-language-1`).
    """

    def count(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
        if case.fault:
            return Unscored(case.fault)
        return _count_language_use(case, detector)

    figures = tuple(figure for side in _SIDES for figure in _figures(side))
    return CountMeasure("language", "1", count, figures)


def _count_language_use(case: ScoringContext, detector: Detector) -> Iterator[CountedItem]:
    expected = dict.fromkeys(_SIDES, case.setting.label)
    strict, relaxed = (
        language_use(case.task, case.episode, expected, rules, detector)
        for rules in (DEFAULT_LANGUAGE_RULES, _accepting(case.setting))
    )
    for use, accepting in zip(strict, relaxed, strict=True):
        for turn, tolerated in zip(use.turns, accepting.turns, strict=True):
            yield _turn(use.by, use.expected, turn, tolerated)


def _accepting(setting: MeasureSetting) -> LanguageRules:
    rules = tolerant_rules(DEFAULT_LANGUAGE_RULES)
    accepted = frozenset({setting.label, *setting.relatives})
    return msgspec.structs.replace(rules, tolerated=(accepted,))


def _turn(by: Role, expected: str, turn: TurnLanguage, tolerated: TurnLanguage) -> CountedItem:
    if isinstance(turn.verdict, Unscored):
        return CountedItem({}, turn.position, by, turn.verdict.reason)
    counts: dict[str, int | float] = {
        f"{by} turns": 1,
        f"{by} correct": int(turn.verdict.value),
        f"{by} wrong": int(not turn.verdict.value),
        f"{by} tolerated": int(tolerated.verdict == Scored(1.0)),
        f"{by} English": int(turn.detected == ENGLISH),
    }
    return CountedItem(counts, turn.position, by, f"{turn.detected}, expected {expected}")


def _figures(side: Role) -> tuple[MetricDefinition, ...]:
    turns = (f"{side} turns",)
    return (
        Rate("in its language", (f"{side} correct",), turns, part=side),
        Rate("by conversation", (f"{side} correct",), turns, "macro", side),
        Rate("with relatives", (f"{side} tolerated",), turns, part=side),
        Rate("English", (f"{side} English",), turns, part=side),
        Trend("drift r", (f"{side} wrong",), turns, side),
    )
