"""Gold calls as a plan: names that native calls have, and values that earlier results give."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.records import Replies
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.errors import DataError
from dragoman.core.tasks import Action
from dragoman.core.texts.decoding import UNREADABLE

_REFERENCE = re.compile(r"\$([1-9][0-9]?)((?:\.[^.\s]+)*)")

_PLACE = re.compile(r"[0-9]{1,9}")


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
                _result(call.tool, arguments, replies)
            ]
        name = names.get(call.tool, call.tool)
        actions.append(Action(str(number), name, arguments, also=call.also))
    return tuple(actions)


def takes_results(call: ApiCall) -> bool:
    """Whether a call takes values from the results of others."""
    return any(_reference(value) is not None for value in call.arguments.values())


def _reference(value: object) -> re.Match[str] | None:
    match value:
        case {"from": str() as path, **others} if not others:
            return _REFERENCE.fullmatch(path)
        case _:
            return None


def _refers(call: ApiCall, number: int) -> bool:
    found = map(_reference, call.arguments.values())
    return any(each is not None and int(each[1]) == number for each in found)


def _result(tool: str, arguments: Mapping[str, object], replies: Replies) -> object:
    reply = replies(tool, arguments)
    try:
        return msgspec.json.decode(reply.text)
    except UNREADABLE:
        return reply.text


def _resolved(value: object, results: Sequence[object], is_answered: bool) -> object:
    reference = _reference(value)
    if reference is None or not is_answered:
        return value
    number, path = int(reference[1]), reference[2].removeprefix(".")
    found: object = results[number - 1] if number <= len(results) else None
    for part in filter(None, path.split(".")):
        found = _inside(found, part)
    if found is None:
        raise DataError(f"{reference[0]}: the result of call {number} does not hold it")
    return found


def _inside(value: object, part: str) -> object:
    match value:
        case dict():
            return value.get(part)
        case list() if _PLACE.fullmatch(part) and int(part) < len(value):
            return value[int(part)]
        case _:
            return None
