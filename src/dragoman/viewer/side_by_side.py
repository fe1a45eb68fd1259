"""Two conversations of one task side by side, aligned by the user's turns."""

from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal, TypeVar, get_args

import msgspec

from dragoman.core.tools import Role
from dragoman.scoring.speech_accuracy import earlier_normalize_for_scoring
from dragoman.viewer.conversation_view import ConversationView
from dragoman.viewer.transcript import ShownCall, Turn
from dragoman.viewer.word_diff import MarkedText

Difference = Literal["length", "heard", "calls", "results", "words"]
"""The difference in a step.

`length`: one conversation had ended. `heard`: the agent received the same words differently.
`calls`: other calls. `results`: other results of the same calls. `words`: other words.
"""

Read = TypeVar("Read", bound=Hashable)

LEGEND: dict[Difference, str] = {
    "calls": "different calls",
    "results": "different results",
    "words": "different words",
    "heard": "recognized differently",
    "length": "one has ended",
}


class AlignedStep(msgspec.Struct, frozen=True):
    """The turns from one user turn to the next, on both sides.

    Attributes:
        number: The number, from 0; step 0 is before the user's first words.
        a: The turns of A.
        b: The turns of B.
        differences: The differences; empty if both are alike.
    """

    number: int
    a: tuple[Turn, ...]
    b: tuple[Turn, ...]
    differences: tuple[Difference, ...]


class SideBySide(msgspec.Struct, frozen=True):
    """Two conversations in step.

    Attributes:
        alike: The steps before the first that differs.
        parted: That step and all after it.
        are_words_compared: Whether both speak one language, so that words can be compared.
    """

    alike: tuple[AlignedStep, ...]
    parted: tuple[AlignedStep, ...]
    are_words_compared: bool

    @property
    def firsts(self) -> tuple[tuple[int, Difference], ...]:
        """The number of the first step that differs in each way, in the order of the steps."""
        found: dict[Difference, int] = {}
        for step in self.parted:
            for difference in step.differences:
                found.setdefault(difference, step.number)
        return tuple((number, difference) for difference, number in found.items())


def side_by_side(a: ConversationView, b: ConversationView) -> SideBySide:
    """Align two conversations of one task."""
    are_words_compared = a.cell.condition.language == b.cell.condition.language
    pairs = zip_longest(_steps(a.turns), _steps(b.turns), fillvalue=())
    steps = [
        _step(number, one, other, are_words_compared=are_words_compared)
        for number, (one, other) in enumerate(pairs)
        if one or other
    ]
    parting = next((place for place, step in enumerate(steps) if step.differences), len(steps))
    return SideBySide(tuple(steps[:parting]), tuple(steps[parting:]), are_words_compared)


def _steps(turns: Sequence[Turn]) -> list[tuple[Turn, ...]]:
    """Return the turns grouped by the user turn that they follow."""
    found: list[list[Turn]] = [[]]
    for turn in turns:
        if turn.by == "user" and turn.texts is not None:
            found.append([])
        found[-1].append(turn)
    return [tuple(step) for step in found]


def _step(
    number: int, a: Sequence[Turn], b: Sequence[Turn], *, are_words_compared: bool
) -> AlignedStep:
    found: list[Difference] = []
    if bool(a) != bool(b):
        found.append("length")
    is_spoken_alike = are_words_compared and bool(a) and bool(b)
    if (
        is_spoken_alike
        and _intended_texts(a, "user") == _intended_texts(b, "user")
        and _heard_user_texts(a) != _heard_user_texts(b)
    ):
        found.append("heard")
    if _calls(a, _executed_call_key) != _calls(b, _executed_call_key):
        found.append("calls")
    elif _calls(a, _result_key) != _calls(b, _result_key):
        found.append("results")
    if is_spoken_alike and any(
        _intended_texts(a, side) != _intended_texts(b, side) for side in get_args(Role)
    ):
        found.append("words")
    return AlignedStep(
        number, _mark_unmatched_calls(a, b), _mark_unmatched_calls(b, a), tuple(found)
    )


def _executed_call_key(call: ShownCall) -> tuple[str, ...]:
    """Return a call as the world executed it, which is equal across languages."""
    name = call.executed_name or call.name
    return name, call.executed or call.arguments, call.positionals, call.written


def _result_key(call: ShownCall) -> tuple[object, ...]:
    return call.result, call.is_error


def _calls(turns: Sequence[Turn], read: Callable[[ShownCall], Read]) -> list[Read]:
    return [read(call) for turn in turns for call in turn.calls]


def _mark_unmatched_calls(turns: Sequence[Turn], others: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns with marks on the calls that the other side lacks."""
    own, theirs = _calls(turns, _executed_call_key), _calls(others, _executed_call_key)
    matched: set[int] = set()
    for block in SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks():
        matched.update(range(block.a, block.a + block.size))
    place = 0
    shown = []
    for turn in turns:
        calls = tuple(
            msgspec.structs.replace(call, is_other=at not in matched)
            for at, call in enumerate(turn.calls, start=place)
        )
        place += len(calls)
        shown.append(msgspec.structs.replace(turn, calls=calls))
    return tuple(shown)


def _intended_texts(turns: Sequence[Turn], side: Role) -> list[str]:
    return [
        _plain(turn.texts.intended) for turn in turns if turn.by == side and turn.texts is not None
    ]


def _heard_user_texts(turns: Sequence[Turn]) -> list[str]:
    """Return the user's texts as the agent received them."""
    texts = [turn.texts for turn in turns if turn.by == "user" and turn.texts is not None]
    return [_plain(text.intended if text.heard is None else text.heard) for text in texts]


def _plain(spans: Sequence[MarkedText]) -> str:
    return earlier_normalize_for_scoring(
        "".join(span.text for span in spans if span.mark != "sign")
    )
