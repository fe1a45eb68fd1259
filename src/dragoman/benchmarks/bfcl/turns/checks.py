"""Verdicts on conversations of several turns: states and results beside the expected ones.

Pure: what is compared was executed before.
"""

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.benchmarks.bfcl.checking.standard_form import is_same
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError, check_bounds
from dragoman.benchmarks.bfcl.turns.records import TurnRecord
from dragoman.benchmarks.bfcl.verdicts import CallFault, Judged
from dragoman.core.texts.decoding import UNREADABLE

FORCED_END = "multi_turn:force_terminated"
EMPTY_TURN = "multi_turn:empty_turn_model_response"
OTHER_STATE = "multi_turn:instance_state_mismatch"
MISSING_RESULT = "multi_turn:execution_response_mismatch"

MAX_SHOWN = 4
"""Of the missing results that a fault lists."""

MAX_CHARACTERS = 160
"""Of each of them."""


class Course(msgspec.Struct, frozen=True):
    """How far a conversation came: turns begun, turns there are, and whether it ended by itself."""

    begun: int
    turns: int
    is_complete: bool = True


def check_turns(course: Course, records: Sequence[TurnRecord], rules: BfclRules) -> Judged:
    """Return the verdict on a conversation: the first turn with a fault decides.

    Args:
        course: How far it came.
        records: What each turn led to, beside what was expected.
        rules: The rule set.
    """
    is_cut = rules.forced_ends_always_count and not course.is_complete
    if course.begun != course.turns or is_cut:
        why = f"ended in turn {course.begun} of {course.turns}"
        return Judged(CallFault(FORCED_END, why))
    results: list[str] = []
    for number, record in enumerate(records):
        results += record.results
        fault = _fault(record, results, rules)
        if fault is not None:
            return Judged(msgspec.structs.replace(fault, turn=number))
    return Judged()


def _fault(record: TurnRecord, results: Sequence[str], rules: BfclRules) -> CallFault | None:
    if not record.expected.results:
        return _state_fault(record) if rules.idle_turns_are_checked else None
    if not record.results:
        return CallFault(EMPTY_TURN, "no calls where some are expected")
    return _state_fault(record) or _result_fault(record, results, rules)


def _state_fault(record: TurnRecord) -> CallFault | None:
    differing = record.difference
    if differing is None:
        return None
    why = f"{differing.of_class}: not the expected {', '.join(differing.attributes)}"
    return CallFault(OTHER_STATE, why, of_class=differing.of_class, attributes=differing.attributes)


def _result_fault(record: TurnRecord, results: Sequence[str], rules: BfclRules) -> CallFault | None:
    wanted = record.expected.results
    if record.results == wanted:
        return None
    missing = _missing(wanted, results, rules)
    if not missing:
        return None
    shown = tuple(text[:MAX_CHARACTERS] for text in missing[:MAX_SHOWN])
    why = f"{len(missing)} expected results are missing, the first: {shown[0]}"
    return CallFault(MISSING_RESULT, why, missing=shown)


def _missing(wanted: Sequence[str], found: Iterable[str], rules: BfclRules) -> list[str]:
    """Return the wanted results that have no equal of their own among those found, in order."""
    left, missing = list(found), []
    for text in wanted:
        if text in left:
            left.remove(text)
        else:
            missing.append(text)
    if not missing or not rules.results_match_by_value:
        return missing
    values = [_value(text) for text in left]
    return [text for text in missing if not _taken(_value(text), values)]


def _taken(value: object, values: list[object]) -> bool:
    """Whether a value is among others; the one that it is goes."""
    for position, other in enumerate(values):
        if is_same(value, other):
            del values[position]
            return True
    return False


def _value(text: str) -> object:
    """Return what a result holds: an object or list as such, anything else as its text."""
    if text[:1] not in {"{", "["}:
        return text
    try:
        check_bounds(text)
        return msgspec.json.decode(text)
    except (UnreadableError, *UNREADABLE):
        return text
