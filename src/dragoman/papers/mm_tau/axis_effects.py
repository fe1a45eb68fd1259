"""Effects of exposure, persona and voice in MM-tau-p2, paired by task, and pass^1 over personas."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from statistics import fmean

import msgspec

from dragoman.analysis.cell_summary import CellKey, ConversationResult
from dragoman.analysis.comparison import FINEST_UNIT, CellOutcomes
from dragoman.analysis.input_modes import InputMode, input_mode
from dragoman.analysis.intervals import (
    Interval,
    clustered_interval,
    difference_interval,
    ratio_interval,
)
from dragoman.analysis.pass_hat import persona_shown, played_rewards
from dragoman.analysis.significance import holm, sign_flip_p
from dragoman.core.conditions import CLARIFY, EXPOSURE, MIXED, NONE, TEXT, UNEXPOSED, Condition
from dragoman.core.scores import is_success
from dragoman.papers.mm_tau.count_sources import LOG, CountSource
from dragoman.papers.mm_tau.metrics import Sums, count_of, success, user_turns


class PooledSuccess(msgspec.Struct, frozen=True):
    """pass^1 of one agent in one input mode under one exposure.

    Attributes:
        suite: The suite that was played.
        agent: The agent that played.
        setting: The condition that is shared by all, as its label.
        input_mode: The way in which the agent received the users' words.
        exposure: The information about the users that the agent received.
        reader: The source of the counts.
        personas: Those over which a task's mean is taken: all that every way and exposure has.
            Those that tasks state themselves are all there, each with its tasks.
        value: The mean over tasks; None where no task is decided with each of these personas.
        interval: 95 % over tasks.
        tasks: Number of tasks that entered.
        unscored: Conversations with these personas that were played and not decided.
    """

    suite: str
    agent: str
    setting: str
    input_mode: InputMode = msgspec.field(name="way")
    exposure: str
    reader: str
    personas: tuple[str, ...]
    value: float | None
    interval: Interval | None
    tasks: int
    unscored: int


_Cells = Mapping[str, CellOutcomes]
"""The cells of one way and exposure, by persona."""


def pooled_success(read: Mapping[CountSource, Sequence[CellOutcomes]]) -> tuple[PooledSuccess, ...]:
    """Return pass^1 by way and exposure, over personas, for each reader."""
    return tuple(
        _pool_personas(reader, place, condition, cells, personas)
        for reader, of_reader in read.items()
        for place, groups in _groups(of_reader).items()
        if (personas := _find_shared_names(groups.values()))
        for condition, cells in groups.items()
    )


_Place = tuple[str, str, Condition]


def _groups(
    cells: Sequence[CellOutcomes],
) -> dict[_Place, dict[Condition, dict[str, CellOutcomes]]]:
    groups: dict[_Place, dict[Condition, dict[str, CellOutcomes]]] = {}
    for cell in cells:
        name = cell.name
        anybody = name.condition.with_axes(persona=NONE)
        shared = anybody.with_axes(voice=TEXT, recognizer=MIXED, **{EXPOSURE: UNEXPOSED})
        of_place = groups.setdefault((name.suite, name.agent, shared), {})
        of_place.setdefault(anybody, {})[name.condition.persona] = cell
    return groups


def _find_shared_names(groups: Iterable[_Cells]) -> tuple[str, ...]:
    found = list(groups)
    return tuple(name for name in found[0] if all(name in each for each in found))


def _pool_personas(
    reader: CountSource,
    place: _Place,
    condition: Condition,
    cells: _Cells,
    personas: Sequence[str],
) -> PooledSuccess:
    suite, agent, shared = place
    sums: list[Sums] = [success(cells[name].outcomes) for name in personas]
    tasks = [task for task in sums[0].tasks if all(task in each.tasks for each in sums)]
    values = [fmean(each.tasks[task][0] for each in sums) for task in tasks]
    return PooledSuccess(
        suite,
        agent,
        shared.label,
        input_mode(condition),
        condition.axis(EXPOSURE),
        reader.name,
        tuple(dict.fromkeys(who for name in personas for who in _users(cells[name]))),
        fmean(values) if values else None,
        clustered_interval(values) if values else None,
        len(tasks),
        sum(each.unscored for each in sums),
    )


def _users(cell: CellOutcomes) -> list[str]:
    """Return who the users of a cell were: its persona, or those that its tasks state."""
    condition = cell.name.condition
    return sorted({persona_shown(condition, row.task) for row in cell.outcomes})


EVERYWHERE = ""
"""Place of a difference over all pairs of cells."""

_Pair = tuple[CellOutcomes, CellOutcomes]
_OfTask = Callable[[Sequence[ConversationResult]], Fraction | None]
"""A figure of one task's trials in one cell; None where it has none."""


class AxisDifference(msgspec.Struct, frozen=True):
    """The effect of another value on one axis.

    Attributes:
        suite: The suite that was played.
        agent: The agent that played.
        axis: `exposure`, `persona` or `voice`.
        a: The value that is compared to.
        b: The other one.
        at: The rest of the condition; empty for all pairs of cells.
        figure: The figure that is compared.
        reader: The source of the counts: the log, or a judge.
        cell_pairs: Number of pairs of cells.
        tasks: Tasks that are in both cells of all pairs.
        left_out: Tasks that are not.
        in_a: The mean over these tasks under `a`.
        in_b: The same under `b`.
        difference: The second less the first; None where no task is in both.
        interval: Its 95 % interval over tasks; None where nothing is known of others.
        p: Of the sign-flip test.
        adjusted_p: The same by Holm's correction over all differences of its table.
        is_share: Whether the figure lies between 0 and 1.
    """

    suite: str
    agent: str
    axis: str
    a: str
    b: str
    at: str
    figure: str
    reader: str
    cell_pairs: int = msgspec.field(name="couples")
    tasks: int
    left_out: int
    in_a: float | None = None
    in_b: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    adjusted_p: float | None = None
    is_share: bool = True


class _Figure(msgspec.Struct, frozen=True):
    name: str
    of_task: _OfTask
    is_share: bool = True


def _success_rate(rows: Sequence[ConversationResult]) -> Fraction | None:
    played = played_rewards([row.reward for row in rows])
    return Fraction(sum(map(is_success, played)), len(played)) if played else None


def _fields_right(rows: Sequence[ConversationResult]) -> Fraction | None:
    right = _counts(rows, lambda row: count_of(row, "critical", ("right",)))
    fields = _counts(rows, lambda row: count_of(row, "critical", ("fields",)))
    return Fraction(right) / Fraction(fields) if right is not None and fields else None


def _turns(rows: Sequence[ConversationResult]) -> Fraction | None:
    return _mean(rows, user_turns)


def _effort(rows: Sequence[ConversationResult]) -> Fraction | None:
    return _mean(rows, lambda row: count_of(row, "effort", ("repetitions", "corrections")))


def _mean(
    rows: Sequence[ConversationResult], count: Callable[[ConversationResult], float | None]
) -> Fraction | None:
    total = _counts(rows, count)
    return None if total is None else total / sum(row.episode is not None for row in rows)


def _counts(
    rows: Sequence[ConversationResult], count: Callable[[ConversationResult], float | None]
) -> Fraction | None:
    """Return the sum over a task's played trials.

    None if one of these trials was not counted, or no trial was played.
    """
    found = [count(row) for row in rows if row.episode is not None]
    if not found or None in found:
        return None
    return sum((Fraction(each) for each in found if each is not None), Fraction(0))


_PASS = _Figure("pass^1", _success_rate)
_OF_LOG = (
    _PASS,
    _Figure("critical fields right", _fields_right),
    _Figure("turns of the user", _turns, is_share=False),
    _Figure("user effort", _effort, is_share=False),
)


def axis_differences(
    read: Mapping[CountSource, Sequence[CellOutcomes]], no_persona: Collection[CellKey] = ()
) -> tuple[AxisDifference, ...]:
    """Return the effects of each axis, over all pairs of cells and then in each pair alone.

    Args:
        read: The cells of the grid, by the source of the counts.
        no_persona: Cells that say nothing about their persona: they are in no pair that differs in
            it.
    """
    found = [
        (each, place)
        for reader, cells in read.items()
        for each, place in _of_reader(reader, cells, no_persona)
    ]
    whole = _adjust_p_values([each for each, place in found if not place])
    alone = _adjust_p_values([each for each, place in found if place])
    return tuple(entry for entry in (*whole, *alone))


def _of_reader(
    reader: CountSource, cells: Sequence[CellOutcomes], no_persona: Collection[CellKey]
) -> Iterator[tuple[AxisDifference, str]]:
    figures = _OF_LOG if reader == LOG else (_PASS,)
    for (suite, agent, axis), (a, b), cell_pairs in _iterate_baseline_pairs(cells, no_persona):
        place = (suite, agent, axis, a, b)
        for figure in figures:
            yield _difference(place, EVERYWHERE, cell_pairs.values(), figure, reader), EVERYWHERE
        for at, pair in cell_pairs.items() if len(cell_pairs) > 1 else ():
            for figure in figures:
                yield _difference(place, at, [pair], figure, reader), at


def _iterate_baseline_pairs(
    cells: Sequence[CellOutcomes], no_persona: Collection[CellKey]
) -> Iterator[tuple[tuple[str, str, str], tuple[str, str], dict[str, _Pair]]]:
    """Yield suite, agent and axis, two axis values, and the cells that differ in these values.

    The pairs of cells are keyed by the rest of the condition.
    """
    groups: dict[tuple[str, str, str], dict[str, dict[Condition, CellOutcomes]]] = {}
    for cell in cells:
        name = cell.name
        for axis, value, rest in _places(name.condition):
            if axis == "persona" and (name.suite, name.condition, name.agent) in no_persona:
                continue
            values = groups.setdefault((cell.name.suite, cell.name.agent, axis), {})
            values.setdefault(value, {})[rest] = cell
    for (suite, agent, axis), values in groups.items():
        first = _FIRST[axis]
        ordered = sorted(values, key=lambda value: (value != first, _rank(axis, value)))
        for a, b in combinations(ordered, 2):
            if axis == EXPOSURE or a == first:
                shared = [rest for rest in values[a] if rest in values[b]]
                cell_pairs = {
                    _label(axis, rest): (values[a][rest], values[b][rest]) for rest in shared
                }
                if cell_pairs:
                    yield (suite, agent, axis), (a, b), cell_pairs


_FIRST = {EXPOSURE: UNEXPOSED, "persona": NONE, "voice": TEXT}


def _rank(axis: str, value: str) -> str:
    """Exposures have an order; personas and voices stand as they came."""
    return value if axis == EXPOSURE else ""


def _places(condition: Condition) -> Iterator[tuple[str, str, Condition]]:
    """Yield axis, value and the rest, for each of the three axes."""
    typed = condition.with_axes(voice=TEXT, recognizer=MIXED, **{CLARIFY: NONE})
    mode = input_mode(condition)
    judged = "" if mode.clarify == NONE else f", clarify {mode.clarify}"
    yield EXPOSURE, condition.axis(EXPOSURE), condition.with_axes(**{EXPOSURE: UNEXPOSED})
    yield "persona", condition.persona, condition.with_axes(persona=NONE)
    yield "voice", f"{mode.name}{judged}", typed


def _label(axis: str, rest: Condition) -> str:
    """Return the rest of a condition in words, the axis that differs aside."""
    mode = input_mode(rest)
    parts = {
        "voice": mode.name + ("" if mode.clarify == NONE else f", clarify {mode.clarify}"),
        "persona": f"persona {rest.persona}",
        EXPOSURE: f"exposure {rest.axis(EXPOSURE)}",
    }
    named = [part for name, part in parts.items() if name != axis]
    language = (
        [] if rest.localized is None else [f"{rest.axis('language')}:{rest.axis('scenario')}"]
    )
    known = {"language", "scenario", "partition", "recognizer", CLARIFY, *parts}
    further = [f"{name}={value}" for name, value in rest.axes if name not in known]
    return ", ".join((*named, *language, *further))


def _difference(
    place: tuple[str, str, str, str, str],
    at: str,
    cell_pairs: Iterable[_Pair],
    figure: _Figure,
    reader: CountSource,
) -> AxisDifference:
    pairs = [(_by_task(a, figure), _by_task(b, figure)) for a, b in cell_pairs]
    every = {task for sides in pairs for side in sides for task in side}
    kept = sorted(
        (
            task
            for task in every
            if all(side.get(task) is not None for sides in pairs for side in sides)
        ),
        key=lambda task: (len(task), task),
    )
    counts = (len(pairs), len(kept), len(every) - len(kept))
    found = AxisDifference(*place, at, figure.name, reader.name, *counts, is_share=figure.is_share)
    if not kept:
        return found
    in_a, in_b = ([_mean_over_pairs(pairs, side, task) for task in kept] for side in (0, 1))
    differences = [second - first for first, second in zip(in_a, in_b, strict=True)]
    return msgspec.structs.replace(
        found,
        in_a=fmean(map(float, in_a)),
        in_b=fmean(map(float, in_b)),
        difference=fmean(map(float, differences)),
        interval=_interval(differences, is_share=figure.is_share),
        p=sign_flip_p(_whole(differences)),
    )


def _by_task(cell: CellOutcomes, figure: _Figure) -> dict[str, Fraction | None]:
    rows: dict[str, list[ConversationResult]] = {}
    for row in cell.outcomes:
        rows.setdefault(row.task, []).append(row)
    return {task: figure.of_task(found) for task, found in rows.items()}


def _mean_over_pairs(
    pairs: Sequence[tuple[Mapping[str, Fraction | None], ...]], side: int, task: str
) -> Fraction:
    values = [sides[side][task] for sides in pairs]
    return sum((each for each in values if each is not None), Fraction(0)) / len(values)


def _interval(differences: Sequence[Fraction], *, is_share: bool) -> Interval | None:
    values = [float(each) for each in differences]
    if is_share:
        return difference_interval(values)
    return ratio_interval([(value, 1.0) for value in values], is_share=False)


def _whole(differences: Sequence[Fraction]) -> list[int]:
    """Return differences as integers in one common unit.

    Differences without a small common unit are rounded to a fine unit.
    """
    unit = min(lcm(*(each.denominator for each in differences)), FINEST_UNIT)
    return [round(each * unit) for each in differences]


def _adjust_p_values(found: Sequence[AxisDifference]) -> Iterator[AxisDifference]:
    tested = [each.p for each in found if each.p is not None]
    adjusted = iter(holm(tested))
    for each in found:
        yield each if each.p is None else msgspec.structs.replace(each, adjusted_p=next(adjusted))
