"""Measure `modes`: failure modes of tool calls, by tool and argument, against the plan.

Each planned action is paired with one call of its tool by its side, the most similar unpaired one:
calls that succeeded come first, and among them those with the most correct arguments. No call is
paired with two actions.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.measures import CountedItem, MetricDefinition, Rate, ScoringContext, Total
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Action, RiskProfile
from dragoman.core.texts.entities import MAX_DEPTH
from dragoman.core.tools import Role
from dragoman.scoring.measures.count_measure import CountMeasure, PositionedCall, positioned_calls

Difference = Literal["missing", "added", "type", "format", "other language", "other value"]
"""The kind of difference between the plan and a call.

`missing` and `added`: only the plan, or only the call, has the argument. `type`: a value of
another JSON type. `format`: the same letters and digits, written differently. `other language`:
the equivalent of the value in another language, or letters of another script. `other value`:
anything else.
"""

DIFFERENCES: tuple[Difference, ...] = (
    "missing",
    "added",
    "type",
    "format",
    "other language",
    "other value",
)

Labels = Mapping[str, Sequence[str]]
"""Labels of a value in another language, by the value."""


def argument_difference(wanted: object, given: object, labels: Labels) -> Difference | None:
    """Return the difference of a value from the planned one; None if they are equal.

    Of lists and objects of one shape it is what all their differing parts have in common.
    """
    kinds = set(_differences(wanted, given, labels, 0))
    if not kinds:
        return None
    return kinds.pop() if len(kinds) == 1 else "other value"


def _differences(wanted: object, given: object, labels: Labels, depth: int) -> Iterator[Difference]:
    if _json_type(wanted) != _json_type(given):
        yield "type"
    elif isinstance(wanted, str) and isinstance(given, str):
        if wanted != given:
            yield _between_texts(wanted, given, labels)
    elif wanted != given:
        parts = _parts(wanted, given) if depth < MAX_DEPTH else None
        if parts is None:
            yield "other value"
        else:
            for left, right in parts:
                yield from _differences(left, right, labels, depth + 1)


def _json_type(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(type(value))
    return "number" if isinstance(value, int | float) else type(value).__name__


def _parts(wanted: object, given: object) -> Sequence[tuple[object, object]] | None:
    """Return the parts of two values that stand in the same places; None if shapes differ."""
    if isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        return list(zip(wanted, given, strict=True))
    if isinstance(wanted, dict) and isinstance(given, dict) and wanted.keys() == given.keys():
        return [(wanted[name], given[name]) for name in wanted]
    return None


def _between_texts(wanted: str, given: str, labels: Labels) -> Difference:
    if given in labels.get(wanted, ()) or wanted in labels.get(given, ()):
        return "other language"
    if _bare(wanted) == _bare(given) != "":
        return "format"
    scripts = _scripts(wanted), _scripts(given)
    if all(scripts) and scripts[0].isdisjoint(scripts[1]):
        return "other language"
    return "other value"


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters, as the names of letters begin."""
    return frozenset(
        unicodedata.name(letter, "").split(" ", maxsplit=1)[0]
        for letter in text
        if letter.isalpha()
    )


PLANNED = "planned"
COMPARED = "compared arguments"

NOT_CALLED, WRONG, FAILED, EXTRA = "not called", "wrong arguments", "failed", "not in the plan"
CALL_MODES = (NOT_CALLED, WRONG, FAILED, EXTRA)
"""Failure modes of calls.

A planned call was not made, was made only with other arguments, or was made but refused; a change
or a handover to a person was made, or a call was refused, that matches no action of the plan.
"""

_ABSENT = object()
_SHOWN = 80


class _Wanted(msgspec.Struct, frozen=True):
    """A planned action with the arguments that satisfy it.

    They are given in the world's own words and in the tools' language.
    """

    action: Action
    localized: Action

    @property
    def compared(self) -> Sequence[str]:
        action = self.action
        return tuple(action.arguments) if action.compare is None else action.compare

    def fits(self, made: PositionedCall) -> bool:
        return made.call.name == self.action.name and made.call.by == self.action.by

    def differences(self, made: PositionedCall, labels: Labels) -> dict[str, Difference | None]:
        """Return the differences of compared arguments, and the further arguments of the call."""
        found = {name: self._difference(name, made, labels) for name in self.compared}
        if self.action.compare is None:
            for name, value in made.call.arguments.items():
                if name not in found and value is not None:
                    found[name] = "added"
        return found

    def value(self, name: str) -> object:
        return self.action.arguments.get(name)

    def _difference(self, name: str, made: PositionedCall, labels: Labels) -> Difference | None:
        given = made.call.arguments.get(name, _ABSENT)
        wanted = self.action.arguments.get(name, _ABSENT)
        if given is _ABSENT or wanted is _ABSENT:
            return None if given is wanted or wanted is None else _absent(given)
        if given == self.localized.arguments.get(name, _ABSENT):
            return None
        return argument_difference(wanted, given, labels)


def _absent(given: object) -> Difference:
    return "missing" if given is _ABSENT else "added"


class _Pair(NamedTuple):
    """An action and a call that may stand for it, and how its arguments differ."""

    wanted: int
    made: int
    differences: dict[str, Difference | None]
    succeeded: bool

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """Key of the order of pairing: success, then fewest differences, then position."""
        wrong = sum(each is not None for each in self.differences.values())
        return not self.succeeded, wrong, self.wanted, self.made


def count_failure_modes(
    case: ScoringContext, risk_profile: RiskProfile
) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for each planned action, compared argument, and stray call."""
    return _count(case, risk_profile.escalation_tool)


def count_earlier_failure_modes(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield the same, with an unplanned hand-over where the suite's tool changes data alone."""
    return _count(case, "")


def _count(case: ScoringContext, hand_over: str) -> Iterator[CountedItem] | Unscored:
    if case.fault:
        return Unscored(case.fault)
    actions = None if case.task.criteria is None else case.task.criteria.actions
    if actions is None:
        return Unscored("the task has no plan that calls could be set against")
    if case.expected:
        return Unscored("more than one value would do, so that no call can be set against the plan")
    return _count_failure_modes(case, actions, hand_over)


def _count_failure_modes(
    case: ScoringContext, actions: Sequence[Action], hand_over: str
) -> Iterator[CountedItem]:
    localized = case.wording.plan or {}
    wanted = [_Wanted(each, localized.get(each.id, each)) for each in actions]
    made = [each for each in positioned_calls(case.episode.events) if each.result is not None]
    pairs = _match_calls_to_actions(wanted, made, case.wording.labels)
    for number, each in enumerate(wanted):
        pair = pairs.get(number)
        yield from _count_planned_call(each, pair, None if pair is None else made[pair.made])
    kind = case.factory(case.task).kind
    stands_for_one = {pair.made for pair in pairs.values()}
    for number, stray in enumerate(made):
        if number in stands_for_one:
            continue
        if not stray.succeeded:
            yield _stray(stray, FAILED)
        elif kind(stray.call.name) == "write" or stray.call.name == hand_over:
            yield _stray(stray, EXTRA)


def _match_calls_to_actions(
    wanted: Sequence[_Wanted], made: Sequence[PositionedCall], labels: Labels
) -> dict[int, _Pair]:
    """Return the call that is paired with each action, if it has one."""
    fitting = [
        _Pair(at, place, each.differences(call, labels), call.succeeded)
        for at, each in enumerate(wanted)
        for place, call in enumerate(made)
        if each.fits(call)
    ]
    pairs: dict[int, _Pair] = {}
    taken: set[int] = set()
    for pair in sorted(fitting, key=lambda each: each.rank):
        if pair.wanted not in pairs and pair.made not in taken:
            pairs[pair.wanted] = pair
            taken.add(pair.made)
    return pairs


def _count_planned_call(
    wanted: _Wanted, pair: _Pair | None, made: PositionedCall | None
) -> Iterator[CountedItem]:
    tool = _tool(wanted.action.name, wanted.action.by)
    if pair is None or made is None:
        yield CountedItem({PLANNED: 1, NOT_CALLED: 1}, subject=tool, why=NOT_CALLED)
        return
    wrong = [name for name, found in pair.differences.items() if found is not None]
    mode = FAILED if not pair.succeeded else WRONG if wrong else ""
    counts: dict[str, int | float] = {PLANNED: 1, **({mode: 1} if mode else {})}
    why = f"{mode}: {', '.join(wrong)}" if wrong else mode
    yield CountedItem(counts, made.position, tool, why)
    for name, found in pair.differences.items():
        compared: dict[str, int | float] = {COMPARED: 1, **({found: 1} if found else {})}
        why = (
            (
                f"{found}: {_format_given_argument(made, name)} for "
                f"{_format_truncated(wanted.value(name))}"
            )
            if found
            else ""
        )
        yield CountedItem(compared, made.position, f"{tool}.{name}", why)


def _stray(made: PositionedCall, mode: str) -> CountedItem:
    why = f"{mode}: {_format_truncated(made.call.arguments)}"
    return CountedItem({mode: 1}, made.position, _tool(made.call.name, made.call.by), why)


def _tool(name: str, by: Role) -> str:
    return name if by == "agent" else f"{name} ({by})"


def _format_given_argument(made: PositionedCall, name: str) -> str:
    arguments = made.call.arguments
    return _format_truncated(arguments[name]) if name in arguments else "nothing"


def _format_truncated(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_FIGURES: tuple[MetricDefinition, ...] = (
    Total("planned calls", (PLANNED,)),
    Rate(NOT_CALLED, (NOT_CALLED,), (PLANNED,)),
    Rate(WRONG, (WRONG,), (PLANNED,)),
    Total(f"{FAILED} calls", (FAILED,)),
    Total(f"changes {EXTRA}", (EXTRA,)),
    Total(COMPARED, (COMPARED,)),
    *(Rate(f"arguments: {kind}", (kind,), (COMPARED,)) for kind in DIFFERENCES),
)


def failure_modes_measure(risk_profile: RiskProfile) -> CountMeasure:
    """Return the measure for a suite in which this is at stake."""
    return CountMeasure(
        "modes", "2", lambda case: count_failure_modes(case, risk_profile), _FIGURES
    )


EARLIER_MODES = CountMeasure("modes", "1", count_earlier_failure_modes, _FIGURES)
