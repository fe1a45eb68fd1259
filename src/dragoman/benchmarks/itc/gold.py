"""Gold calls as a plan: names that native calls have, and values that earlier results give."""

from collections.abc import Mapping, Sequence

from dragoman.benchmarks.itc.records import Replies
from dragoman.core.apis.references import given_by, reference_in, result_of
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.errors import DataError
from dragoman.core.tasks import Action


def planned(
    gold: Sequence[ApiCall], names: Mapping[str, str], replies: Replies | None
) -> tuple[Action, ...]:
    """Return gold calls as actions, what they take from earlier results put in.

    Args:
        gold: The calls.
        names: Of operations, by which they are called natively.
        replies: What APIs answer; None leaves references as they are written.

    Raises:
        DataError: Where an earlier result does not hold what a call takes from it.
    """
    results: list[object] = []
    actions = []
    for number, call in enumerate(gold, 1):
        arguments = {
            name: _resolved(value, results, replies is not None)
            for name, value in call.arguments.items()
        }
        if replies is not None and any(_refers(later, number) for later in gold):
            results += [None] * (number - 1 - len(results)) + [
                result_of(replies(call.tool, arguments).text)
            ]
        name = names.get(call.tool, call.tool)
        actions.append(Action(str(number), name, arguments, also=call.also))
    return tuple(actions)


def takes_results(call: ApiCall) -> bool:
    """Whether a call takes values from the results of others."""
    return any(reference_in(value) is not None for value in call.arguments.values())


def _refers(call: ApiCall, number: int) -> bool:
    found = map(reference_in, call.arguments.values())
    return any(each is not None and each.call == number for each in found)


def _resolved(value: object, results: Sequence[object], is_answered: bool) -> object:
    reference = reference_in(value)
    if reference is None or not is_answered:
        return value
    found = given_by(reference, results)
    if found is None:
        raise DataError(
            f"{reference.written}: the result of call {reference.call} does not hold it"
        )
    return found
