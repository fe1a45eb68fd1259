"""Plans that are as right as gold: made, they must give every value that gold's calls give."""

from collections.abc import Iterator, Mapping, Sequence

from dragoman.benchmarks.itc.gold import planned
from dragoman.benchmarks.itc.records import Replies
from dragoman.core.apis.references import result_of
from dragoman.core.apis.same_values import canonical
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.errors import DataError
from dragoman.core.tasks import Action


def equal_plans(
    task: ApiTask, names: Mapping[str, str], replies: Replies
) -> tuple[tuple[Action, ...], ...]:
    """Return a task's other plans as actions, each made and compared with gold.

    Args:
        task: The task.
        names: Of operations, by which they are called natively.
        replies: What APIs answer.

    Raises:
        DataError: Where a plan is refused by an API, or does not give what gold gives; it names both.
    """
    if not task.plans:
        return ()
    own = {wire: name for name, wire in names.items()}
    wanted = _values(planned(task.gold, names, replies), own, replies, "its gold")
    found = []
    for number, plan in enumerate(task.plans, 1):
        where = f"its plan {number}"
        actions = planned(plan, names, replies)
        lacking = sorted(map(str, wanted - _values(actions, own, replies, where)))
        if lacking:
            raise DataError(f"{where} does not give what gold gives: {', '.join(lacking)[:200]}")
        found.append(actions)
    return tuple(found)


def _values(
    actions: Sequence[Action], own: Mapping[str, str], replies: Replies, where: str
) -> frozenset[tuple[str, object]]:
    """Return the values that calls give, by the names of their fields."""
    found: set[tuple[str, object]] = set()
    for action in actions:
        reply = replies(own.get(action.name, action.name), action.arguments)
        if reply.is_error:
            raise DataError(f"{where} is refused: {action.name}: {reply.text[:120]}")
        found |= set(_leaves(result_of(reply.text), ""))
    return frozenset(found)


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    match value:
        case dict():
            for key, each in value.items():
                yield from _leaves(each, str(key))
        case list():
            for each in value:
                yield from _leaves(each, name)
        case _:
            yield name, canonical(value)
