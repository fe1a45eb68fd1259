"""The answer of a comparison: one sentence, its certainty, and a row of pass^1 per comparison."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.analysis.comparison import CellName, Comparison, Gap
from dragoman.analysis.intervals import Interval
from dragoman.analysis.power import FEWEST_TASKS
from dragoman.core.conditions import TEXT, Condition
from dragoman.report import formatting, labels
from dragoman.report.correction_words import (
    corrected_for_words,
    family_sizes,
    seems_to_contradict,
)
from dragoman.report.overview import points_of


class AnswerRow(NamedTuple):
    """The pass^1 of one comparison.

    Attributes:
        name: The words that tell the comparison from the others of the table.
        tasks: The number of compared tasks.
        gap: pass^1 of both cells and the difference; None if no task was compared.
        p: The p-value after Holm's correction; None if no task was compared.
        is_assumed: Whether verdicts that were assumed take part.
    """

    name: str
    tasks: int
    gap: Gap | None
    p: float | None
    is_assumed: bool


class ComparisonAnswer(NamedTuple):
    """The answer of a comparison.

    Attributes:
        headline: The answer in one sentence.
        detail: Its interval, its basis and its p-value; "" if no task was compared.
        heading: The heading of the names of the rows.
        rows: One row per comparison: significant differences first, then the largest ones.
        tested: The number of comparisons with a common task.
        corrected_for: The number of comparisons for which p is corrected, in words.
        sides: The suite, the agents and the runs that all comparisons share.
        notes: Sentences about excluded tasks.
    """

    headline: str
    detail: str
    heading: str
    rows: tuple[AnswerRow, ...]
    tested: int
    corrected_for: str
    sides: str
    notes: tuple[str, ...]


def build_comparison_answer(comparisons: Sequence[Comparison]) -> ComparisonAnswer:
    """Return the answer of comparisons that were made together.

    Args:
        comparisons: At least one comparison; all have the same runs.
    """
    names = _Names(comparisons)
    ordered = sorted(comparisons, key=_order)
    tested = [entry for entry in ordered if entry.gaps]
    return ComparisonAnswer(
        headline=_headline(tested, names),
        detail=_detail(tested, names) if tested else "",
        heading=names.heading,
        rows=tuple(
            AnswerRow(
                names.row(entry),
                len(entry.pairs),
                entry.gaps[0] if entry.gaps else None,
                entry.adjusted_p,
                entry.assumed,
            )
            for entry in ordered
        ),
        tested=len(tested),
        corrected_for=corrected_for_words(tested),
        sides=names.sides,
        notes=tuple(_notes(ordered)),
    )


def _order(entry: Comparison) -> tuple[bool, bool, bool, float]:
    """Return the place of a comparison: agents under test first, then the largest difference."""
    is_diagnostic = labels.is_diagnostic(entry.a.agent) and labels.is_diagnostic(entry.b.agent)
    largest = abs(entry.gaps[0].difference) if entry.gaps else 0.0
    return not entry.gaps, is_diagnostic, not entry.is_significant, -largest


class _Names:
    """The words that tell the sides of a comparison apart, and one comparison from the others."""

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        first = comparisons[0]
        self._agents = labels.agent_labels(
            cell.agent for entry in comparisons for cell in (entry.a, entry.b)
        )
        self._runs = first.a.run, first.b.run
        self._first = first
        agents = {(entry.a.agent, entry.b.agent) for entry in comparisons}
        conditions = {(entry.a.condition, entry.b.condition) for entry in comparisons}
        self._has_suites = len({entry.a.suite for entry in comparisons}) > 1
        self._has_agents = len(agents) > 1
        self._has_conditions = len(conditions) > 1
        is_one_condition = len({each for pair in conditions for each in pair}) == 1
        self._has_languages = labels.has_languages(each for pair in conditions for each in pair)
        self._shows_agents = self._has_agents or (
            is_one_condition and first.a.agent != first.b.agent
        )
        self._shows_conditions = self._has_conditions or not self._shows_agents

    @property
    def is_one_run(self) -> bool:
        """Whether both sides are cells of one run."""
        return self._runs[0] == self._runs[1]

    @property
    def heading(self) -> str:
        """The heading of the column of rows."""
        if self._has_suites or self._shows_agents == self._shows_conditions:
            return "comparison"
        return "agent" if self._shows_agents else "condition"

    @property
    def sides(self) -> str:
        """The suite, the agents and the runs, if all comparisons share them."""
        said = [] if self._has_suites else [self._first.a.suite]
        a, b = (self._agents[cell.agent] for cell in (self._first.a, self._first.b))
        run_a, run_b = self._runs
        is_pair = not self._has_agents and a != b
        if not self._has_agents and a == b:
            said.append(f"agent {a}")
        if self.is_one_run:
            said += [f"A {a}, B {b}"] if is_pair else []
            said.append(f"run {run_a}")
        else:
            said.append(f"A {a} ({run_a}), B {b} ({run_b})" if is_pair else f"A {run_a}, B {run_b}")
        return "; ".join(said)

    def row(self, entry: Comparison) -> str:
        """Return the name of a comparison in the table."""
        a, b = entry.a, entry.b
        parts = [a.suite] if self._has_suites else []
        if self._shows_agents:
            parts.append(_arrow(self._agents[a.agent], self._agents[b.agent]))
        if self._shows_conditions:
            parts.append(_arrow(*map(labels.condition_label, (a.condition, b.condition))))
        return ": ".join(parts)

    def subject(self, entry: Comparison) -> str:
        """Return B with its name."""
        return f"B ({self._side(entry.b, entry.a)})"

    def object(self, entry: Comparison) -> str:
        """Return A, with its name if it is not the same run in all comparisons."""
        is_named = self.is_one_run or entry.a.condition != entry.b.condition
        return f"A ({self._side(entry.a, entry.b)})" if is_named else "A"

    def _side(self, cell: CellName, other: CellName) -> str:
        """Return what tells a side from the other: its agent, its condition or its run."""
        if cell.agent != other.agent:
            return self._agents[cell.agent]
        if cell.condition != other.condition:
            return labels.condition_label(cell.condition)
        folder = Path(cell.run).name
        return folder if folder and folder != Path(other.run).name else cell.run

    def context(self, entry: Comparison) -> str:
        """Return what both sides share and other comparisons do not, with a space before it."""
        words = [f"on {entry.a.suite}"] if self._has_suites else []
        if self._has_agents and entry.a.agent == entry.b.agent:
            words.append(f"for {self._agents[entry.a.agent]}")
        if entry.a.condition == entry.b.condition:
            words.append(self._place(entry.a.condition))
        return "".join(f" {each}" for each in words if each)

    def _place(self, condition: Condition) -> str:
        if condition.voice == TEXT and self._has_conditions:
            return f"in {labels.condition_label(condition)}"
        return labels.condition_phrase(condition, has_languages=self._has_languages)


def _arrow(a: str, b: str) -> str:
    return a if a == b else f"{a} -> {b}"


def _headline(tested: Sequence[Comparison], names: _Names) -> str:
    if not tested:
        return "Nothing can be compared: A and B have no common task"
    clear = [entry for entry in tested if entry.is_significant]
    if not clear:
        return _headline_without_difference(tested, names)
    entry = _subject(tested, names)
    is_loss = entry.gaps[0].difference < 0
    alike = [each for each in clear if (each.gaps[0].difference < 0) == is_loss]
    context = names.context(entry)
    # In one run every comparison has another A: "most" would say nothing about one B.
    most = ", most" if len(alike) > 1 and context and not names.is_one_run else ""
    than = f" than {names.object(entry)}" if names.object(entry) != "A" else ""
    return (
        f"{names.subject(entry)} is {'worse' if is_loss else 'better'}{than}{most}{context}: "
        f"{_points(entry)} points of pass^1"
    )


def _headline_without_difference(tested: Sequence[Comparison], names: _Names) -> str:
    entry = _subject(tested, names)
    many = formatting.format_count(len(tested), "comparison")
    if entry.gaps[0].difference == 0:
        if len(tested) > 1:
            return f"No difference: A and B have the same pass^1 in each of {many}"
        both = f"{names.object(entry)} and {names.subject(entry)}"
        return f"No difference: {both} have a pass^1 of {points_of(entry.gaps[0].b)}"
    amount = "fewer" if entry.gaps[0].difference < 0 else "more"
    found = (
        f"{names.subject(entry)} has {_points(entry)} {amount} points of pass^1 than "
        f"{names.object(entry)}{names.context(entry)}"
    )
    if len(tested) == 1 and entry.corrected_for == 1:
        return f"The difference is not significant: {found}"
    if len(family_sizes(tested)) > 1:
        return f"No difference is significant after correction; the largest: {found}"
    many = corrected_for_words(tested)
    return f"No difference is significant after correction for {many}; the largest: {found}"


def _subject(tested: Sequence[Comparison], names: _Names) -> Comparison:
    """Return the comparison of the headline.

    This is the largest significant difference, between two runs the largest loss if there is one.
    If nothing is significant, it is the largest difference of all; if nothing differs, the one with
    the widest interval.
    """
    clear = [entry for entry in tested if entry.is_significant]
    losses = [entry for entry in clear if entry.gaps[0].difference < 0]
    if losses and not names.is_one_run:
        return losses[0]
    if clear:
        return clear[0]
    if tested[0].gaps[0].difference == 0:
        differing = [entry for entry in tested if entry.gaps[0].difference != 0]
        return differing[0] if differing else max(tested, key=_width)
    return tested[0]


def _width(entry: Comparison) -> float:
    interval = entry.gaps[0].interval
    return interval.high - interval.low


def _points(entry: Comparison) -> str:
    return points_of(abs(entry.gaps[0].difference))


def _detail(tested: Sequence[Comparison], names: _Names) -> str:
    """Return the interval, the basis and the p-value of the headline's difference."""
    entry = _subject(tested, names)
    gap, interval = entry.gaps[0], entry.gaps[0].interval
    if gap.difference < 0:
        interval = Interval(-interval.high, -interval.low)
    widest = "Widest 95% CI" if gap.difference == 0 and len(tested) > 1 else "95% CI"
    said = [
        f"{widest} {points_of(interval.low)} to {points_of(interval.high)}",
        f"n = {_basis(entry)}",
        _p(entry, has_families=len(family_sizes(tested)) > 1),
    ]
    further = [*_others(tested, names)]
    is_open = gap.difference != 0 and not entry.is_significant
    if is_open and len(entry.pairs) < FEWEST_TASKS:
        further.append(f"Fewer than {FEWEST_TASKS} tasks are never significant.")
    return " ".join([f"{', '.join(said)}.", *further])


def _basis(entry: Comparison) -> str:
    """Return over how many tasks and trials a comparison is."""
    tasks = formatting.format_count(len(entry.pairs), "task")
    of_a = max(len(pair.a) for pair in entry.pairs)
    of_b = max(len(pair.b) for pair in entry.pairs)
    if of_a == of_b:
        return f"{tasks} x {formatting.format_count(of_b, 'trial')}"
    return f"{tasks} x {formatting.format_count(of_a, 'trial')} in A and {of_b:,} in B"


def _p(entry: Comparison, *, has_families: bool) -> str:
    text = formatting.p_value(entry.adjusted_p)
    p = f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
    if entry.corrected_for == 1 and not has_families:
        return p
    if not entry.is_significant and not has_families:
        return f"{p} (Holm)"
    many = formatting.format_count(entry.corrected_for, "comparison")
    return f"{p} after correction for {many} (Holm)"


def _others(tested: Sequence[Comparison], names: _Names) -> Iterator[str]:
    """Yield the number of significant differences, if there are several."""
    clear = [entry for entry in tested if entry.is_significant]
    if len(clear) < 2:  # noqa: PLR2004 - the headline has the only one
        return
    if names.is_one_run:
        yield f"{len(clear):,} of {len(tested):,} comparisons are significant."
        return
    worse = sum(entry.gaps[0].difference < 0 for entry in clear)
    said = [
        f"{word} in {count:,}"
        for word, count in (("worse", worse), ("better", len(clear) - worse))
        if count
    ]
    yield f"B is {' and '.join(said)} of {len(tested):,} comparisons."


def _notes(comparisons: Sequence[Comparison]) -> Iterator[str]:
    if len(comparisons) > 1 and any(map(seems_to_contradict, comparisons)):
        yield (
            "A row whose interval excludes 0 and whose p is 0.05 or more is not significant after "
            "correction."
        )
    missing = sum(not entry.gaps for entry in comparisons)
    if missing and len(comparisons) > 1:
        has = "has" if missing == 1 else "have"
        yield f"{formatting.format_count(missing, 'comparison')} {has} no common task."
    excluded = [entry.left_out for entry in comparisons if entry.left_out]
    if not excluded:
        return
    if len(excluded) == len(comparisons) and all(each == excluded[0] for each in excluded):
        reasons = ", ".join(
            reason if len(excluded[0]) == 1 else f"{count:,} {reason}"
            for reason, count in excluded[0].items()
        )
        where = " of each comparison" if len(comparisons) > 1 else ""
        tasks = formatting.format_count(sum(excluded[0].values()), "task")
        yield f"Excluded: {tasks}{where} ({reasons})."
        return
    most = formatting.format_count(max(sum(each.values()) for each in excluded), "task")
    reasons = ", ".join(dict.fromkeys(reason for each in excluded for reason in each))
    yield f"Excluded: up to {most} of a comparison ({reasons})."
