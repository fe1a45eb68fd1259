"""Whether a value, its type being right, is one that the answer takes."""

from collections.abc import Mapping, Sequence

from dragoman.benchmarks.bfcl.checking.answers import Answers, answers_of
from dragoman.benchmarks.bfcl.checking.schema_types import TypeSlot, typed
from dragoman.benchmarks.bfcl.checking.standard_form import comparable, is_among, is_same
from dragoman.benchmarks.bfcl.questions import OMISSION
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault, UndecidableError

Entries = Mapping[object, object]


def value_fault(value: object, answers: Answers, slot: TypeSlot) -> CallFault | None:
    """Return what is wrong with a value that has the schema's type, or None."""
    expected = slot.expected
    if expected is dict and isinstance(value, dict):
        return _object_fault(value, answers.values, slot)
    if expected is list and isinstance(value, list):
        elements = slot.elements
        if elements is not None and elements.expected is dict:
            return _objects_fault(value, answers, elements)
        return _list_fault(value, answers, slot.rules)
    if expected is str and isinstance(value, str):
        return _string_fault(value, answers, slot.rules)
    return exact_fault(value, answers, slot)


def exact_fault(value: object, answers: Answers, slot: TypeSlot) -> CallFault | None:
    """Return a fault unless a value is one of the alternatives as they stand."""
    if is_among(value, answers.values, slot.rules):
        return None
    return CallFault("value_error:others", f"{value!r:.100} is not among the expected values")


def _string_fault(value: str, answers: Answers, rules: BfclRules) -> CallFault | None:
    if comparable(value, rules) in answers.texts:
        return None
    return CallFault("value_error:string", f"{value!r:.100} is not among the expected texts")


def _list_fault(value: list[object], answers: Answers, rules: BfclRules) -> CallFault | None:
    given = [comparable(element, rules) for element in value]
    if is_among(given, answers.comparable_lists, rules):
        return None
    return CallFault("value_error:list/tuple", f"{value!r:.100} is not among the expected lists")


def _objects_fault(value: list[object], answers: Answers, slot: TypeSlot) -> CallFault | None:
    fault = CallFault("list_dict_checker:unclear", "no list of objects is expected")
    for wanted in answers.lists:
        if len(value) != len(wanted):
            fault = CallFault(
                "value_error:list_dict_count", f"{len(value)} objects, not {len(wanted)}"
            )
            continue
        found = _first_fault(value, wanted, slot)
        if found is None:
            return None
        fault = found
    return fault


def _first_fault(value: list[object], wanted: Sequence[object], slot: TypeSlot) -> CallFault | None:
    for given, alternative in zip(value, wanted, strict=True):
        if not isinstance(given, dict):
            raise UndecidableError("the reference breaks on a list of objects with something else")
        fault = _object_fault(given, [alternative], slot)
        if fault is not None:
            return fault
    return None


def _object_fault(value: Entries, alternatives: list[object], slot: TypeSlot) -> CallFault | None:
    fault = CallFault("dict_checker:unclear", "no object is expected")
    for alternative in alternatives:
        if alternative == OMISSION:
            continue
        if not isinstance(alternative, dict):
            fault = CallFault(
                "value_error:dict_key", f"no object is expected but {alternative!r:.50}"
            )
            continue
        found = _entries_fault(value, alternative, slot)
        if found is None:
            return None
        fault = found
    return fault


def _entries_fault(value: Entries, wanted: Entries, slot: TypeSlot) -> CallFault | None:
    for key, alternatives in wanted.items():
        if key not in value and not _may_be_omitted(alternatives):
            return CallFault("value_error:dict_key", f"key {key!r:.50} is missing")
    for key, given in value.items():
        if key not in wanted:
            return CallFault("value_error:dict_key", f"key {key!r:.50} is not expected")
        if not _entry_is_right(given, _listed(wanted[key]), slot.of_key(key), slot.rules):
            return CallFault(
                "value_error:dict_value", f"{given!r:.100} is not expected at {key!r:.50}"
            )
    return None


def _may_be_omitted(alternatives: object) -> bool:
    return isinstance(alternatives, str) or OMISSION in _listed(alternatives)


def _listed(alternatives: object) -> list[object]:
    """Return the alternatives of a key; text is its characters, as the reference has it."""
    if isinstance(alternatives, list | str):
        return list(alternatives)
    raise UndecidableError(f"the reference breaks on {alternatives!r:.50} as alternatives")


def _entry_is_right(
    given: object, alternatives: list[object], slot: TypeSlot | None, rules: BfclRules
) -> bool:
    answers = answers_of(alternatives, rules)
    if rules.elements_follow_the_schema and slot is not None:
        fault = typed(given, answers, slot).fault
        if fault is not None:
            return False
    wanted = [comparable(one, rules) for one in answers.values]
    if is_among(comparable(given, rules), wanted, rules):
        return True
    return rules.nested_objects_hold_alternatives and any(
        _nested_is_right(given, alternative) for alternative in answers.values
    )


def _nested_is_right(given: object, wanted: object) -> bool:
    """Whether an object inside an object has for every key one of the values listed there."""
    if not (isinstance(given, dict) and isinstance(wanted, dict)):
        return False
    return all(
        _may_be_omitted(wanted[key]) if key not in given else _is_listed(given[key], wanted, key)
        for key in wanted
    ) and all(key in wanted for key in given)


def _is_listed(given: object, wanted: Entries, key: object) -> bool:
    listed = wanted[key]
    if not isinstance(listed, list):
        return is_same(given, listed)
    return any(is_same(given, one) for one in listed)
