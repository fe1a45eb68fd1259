"""The texts that calls must have: what of a question no language may have otherwise."""

from collections.abc import Iterator, Mapping

from dragoman.benchmarks.bfcl.single.suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.suite import BfclSuite
from dragoman.benchmarks.bfcl.turns.suite import MultiTurnSuite


def expected_texts(suite: BfclSuite) -> Mapping[str, frozenset[str]]:
    """Return the texts among the values that will do, by entry; none where calls are not judged."""
    match suite:
        case SingleTurnSuite():
            return {
                entry.task.id: frozenset(
                    text
                    for call in entry.question.expected
                    for text in _texts(list(call.arguments.values()))
                )
                for entry in suite.entries
            }
        case MultiTurnSuite():
            return {
                entry.task.id: frozenset(
                    text
                    for calls in entry.gold
                    for call in calls
                    for text in _texts([call.arguments, *call.positionals])
                )
                for entry in suite.entries
            }
        case _:
            return {}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
