"""When two values count as the same."""

from collections.abc import Iterable

from dragoman.benchmarks.bfcl.rules import BfclRules

_LISTS = (list, tuple)


def standard_form(text: str) -> str:
    """Return a text as the reference compares it: no case, no spaces, less punctuation."""
    # Eight searches for one character each take half as long as one table or pattern.
    bare = text.replace(" ", "").replace(",", "").replace(".", "").replace("/", "")
    bare = bare.replace("-", "").replace("_", "").replace("*", "").replace("^", "")
    return bare.lower().replace("'", '"')


def comparable(value: object, rules: BfclRules) -> object:
    """Return a value as the rules compare it; what stands inside it is left as it is."""
    if isinstance(value, str) and not rules.strings_match_exactly:
        return standard_form(value)
    return value


def is_among(value: object, alternatives: Iterable[object], rules: BfclRules) -> bool:
    """Whether a value is the same as one of the alternatives."""
    if not rules.booleans_are_not_numbers:
        return value in alternatives
    return any(is_same(value, alternative) for alternative in alternatives)


def is_same(one: object, other: object) -> bool:
    """Whether two values are equal without taking True for 1, at any depth."""
    if isinstance(one, _LISTS) and isinstance(other, _LISTS):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other
