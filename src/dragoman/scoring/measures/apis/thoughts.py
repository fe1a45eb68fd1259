"""Language match: whether an agent thinks in the language of the query, by several detectors.

What was thought is the thought of an answer in text, and the words of any other reply. The detectors
stand side by side, since the figure depends on them.
"""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.core.apis.figures import THOUGHTS, language_match
from dragoman.core.apis.labels import LANGUAGE
from dragoman.core.apis.written.answers import read_answer
from dragoman.core.episodes import Move
from dragoman.core.errors import UsageError
from dragoman.core.language.rules import DEFAULT_LANGUAGE_RULES
from dragoman.core.measures import Counted, PlayedCase
from dragoman.core.scores import Scored, Unscored
from dragoman.scoring.language_correctness import SpokenTurn, turn_language
from dragoman.scoring.language_detection import Detector, label_of
from dragoman.scoring.measures.apis.made import answers, is_in_text, text_of
from dragoman.scoring.measures.counting import Counting

_RULES = msgspec.structs.replace(
    DEFAULT_LANGUAGE_RULES, name="dragoman-thoughts-1", words_must_be_delivered=False
)


def thoughts_measure(detectors: Mapping[str, Detector]) -> Counting:
    """Return the measure by detectors, which have names."""

    def count(case: PlayedCase) -> Iterator[Counted] | Unscored:
        if case.fault:
            return Unscored(case.fault)
        language = case.task.labels.get(LANGUAGE, "")
        if not language:
            return Unscored("its task does not say which language its query is in")
        return _counted(case, language, detectors)

    return Counting(THOUGHTS, "1", count, tuple(map(language_match, detectors)))


def _counted(
    case: PlayedCase, language: str, detectors: Mapping[str, Detector]
) -> Iterator[Counted]:
    for position, move in answers(case):
        thought = _thought(move)
        asked: dict[str, int | float] = {"answers": 1} if is_in_text(move) else {}
        if not thought:
            yield Counted(asked, position, "thought", "nothing was thought in words")
            continue
        yield Counted(asked, position, "thought")
        turn = SpokenTurn(position, "agent", thought)
        for name, detector in detectors.items():
            yield _detected(name, turn, language, detector)


def _thought(move: Move) -> str:
    text = text_of(move.reply)
    if not is_in_text(move):
        return text
    read = read_answer(text)
    return read.thought or ("" if read.calls is not None or read.fault else text)


def _detected(name: str, turn: SpokenTurn, language: str, detector: Detector) -> Counted:
    try:
        found = turn_language(turn, label_of(language, detector), _RULES, detector)
    except UsageError as error:
        return Counted({}, turn.position, name, str(error))
    if isinstance(found.verdict, Unscored):
        return Counted({}, turn.position, name, found.verdict.reason)
    counts: dict[str, int | float] = {
        f"{name} thoughts": 1,
        f"{name} matching": int(found.verdict == Scored(1.0)),
    }
    return Counted(counts, turn.position, name, f"{found.detected}, the query is in {language}")
