"""Drops against the baseline in a few lines: how large, at which stage, in which values."""

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from dragoman.analysis.drops import CountedShare, Drop, DropPart, FailureStage
from dragoman.analysis.intervals import Interval
from dragoman.core.conditions import Condition, axis_of
from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting
from dragoman.report.correction_words import corrected_for_words, p_words
from dragoman.report.labels import STAGE_NAMES, condition_chips

UNASKED: FailureStage = "not looked for"
"""The stored stage of failures that `dragoman attribute` has not analyzed."""

MAX_LINES = 8
"""Maximum number of lines of drops in a terminal."""

MAX_KINDS = 3
"""Maximum number of kinds of values that are named."""

_INDENT = "  "


def drop_lines(
    drops: Sequence[Drop],
    run: str,
    width: int = 80,
    *,
    is_imported: bool = False,
    most: int | None = MAX_LINES,
) -> list[str]:
    """Return the drops, the largest first.

    Without drops, the result is empty.

    Args:
        drops: The drops of a run.
        run: Its folder, for the commands that show more.
        width: Columns of the terminal.
        is_imported: Whether the run is imported, so that its failures cannot be replayed.
        most: Maximum number of lines; None for any number.
    """
    if not drops:
        return []
    over = _tasks_of_all(drops)
    many = corrected_for_words(drop.comparison for drop in drops)
    about = ", ".join((f"{over}95% CI, Holm-adjusted p", *([many] if many else [])))
    lines = _wrap_text(f"pass^1 change from baseline, percentage points ({about})", width, "")
    ordered = by_size(drops)
    for at, drop in enumerate(ordered):
        left = len(ordered) - at - 1
        room = sys.maxsize if most is None else most - len(lines) - (1 if left else 0)
        finds = "" if is_imported else f"; run: dragoman attribute {quote(run)}"
        fitting = _fitting(_block(drop, finds, is_one_count=bool(over)), width, room)
        if not fitting:
            return [*lines, f"and {left + 1} more: dragoman show {quote(run)} --full"]
        lines += fitting
    return lines


def _fitting(texts: Iterable[str], width: int, room: int) -> list[str]:
    """Return the lines of the first texts that fit into the room."""
    lines: list[str] = []
    for text in texts:
        wrapped = _wrap_text(text, width, _INDENT)
        if len(lines) + len(wrapped) > room:
            break
        lines += wrapped
    return lines


def by_size(drops: Iterable[Drop]) -> list[Drop]:
    """Return drops, the largest first and those without a figure last."""
    return sorted(drops, key=lambda drop: 2.0 if drop.value is None else -drop.value)


def _tasks_of_all(drops: Sequence[Drop]) -> str:
    """Return the number of tasks if it is the same for all drops; otherwise ""."""
    counts = {len(each.comparison.pairs) for each in drops}
    if len(counts) > 1 or any(each.comparison.left_out for each in drops):
        return ""
    return f"{formatting.format_count(counts.pop(), 'task')}, "


def headline(drop: Drop, *, is_one_count: bool = False) -> str:
    """Return one line about a drop: the conditions, the change with its interval, and p.

    The number of tasks is omitted if it is stated once for all drops.
    """
    found = drop.comparison
    about = [] if is_one_count else [formatting.format_count(len(found.pairs), "task")]
    if excluded := sum(found.left_out.values()):
        about.append(f"excluded {excluded}")
    between = f"{describe_agent(drop)}   {other_name(drop)} vs. {base_name(drop)}"
    if drop.value is None:
        return f"{between}   no common task"
    certainty = [p_words(found), *about]
    if found.assumed:
        certainty.append(formatting.ASSUMED)
    change = " ".join((_change(drop.value), _change_interval(drop.interval))).strip()
    return "   ".join((between, change, ", ".join(certainty)))


def _change(drop: float) -> str:
    """Return the change of pass^1 in points; a drop is below zero."""
    return f"{100 * (0.0 - drop):+.1f}" if points(drop) != "0.0" else "0.0"


def _change_interval(drop: Interval | None) -> str:
    if drop is None:
        return ""
    return f"[{points(0.0 - drop.high)}, {points(0.0 - drop.low)}]"


def _block(drop: Drop, finds: str, *, is_one_count: bool) -> Iterator[str]:
    yield headline(drop, is_one_count=is_one_count)
    if drop.parts:
        yield f"{_INDENT}{stages_line(drop, finds)}"
    if values := values_line(drop):
        yield f"{_INDENT}{values}"


def stages_line(drop: Drop, finds: str = "") -> str:
    """Return the drop at each stage.

    Without attribution, the line has the command that finds the stages, and the known facts.
    """
    if drop.is_looked_for:
        return f"Stages: {', '.join(map(part_words, largest_first(drop.parts)))}"
    known = [part for part in largest_first(drop.parts) if part.stage != UNASKED]
    said = [f"Stages: {', '.join(map(part_words, known))}; the rest is not attributed yet"]
    line = f"{said[0] if known else 'Cause not analyzed yet'}{finds}"
    if drop.misrecognized:
        return f"{line}   ({misrecognized_words(drop)})"
    return line


def misrecognized_words(drop: Drop) -> str:
    """Return the number of failures with a misrecognized value."""
    return f"a value was misrecognized in {len(drop.misrecognized)} of {len(drop.failed)} failures"


def part_words(part: DropPart) -> str:
    """Return a stage and its part of the drop, in points."""
    return f"{STAGE_NAMES[part.stage]} {points(part.value)}"


def largest_first(parts: Iterable[DropPart]) -> list[DropPart]:
    """Return parts, the largest first."""
    return sorted(parts, key=lambda part: -part.value)


def values_line(drop: Drop) -> str:
    """Return the misrecognized values, and the other counted shares; "" if there are none."""
    named = [share_words(share) for share in drop.values[:MAX_KINDS]]
    rest = drop.values[MAX_KINDS:]
    if rest:
        named.append(f"others {sum(share.count for share in rest):g}")
    said = [f"Misrecognized values: {', '.join(named)}"] if named else []
    return ". ".join((*said, *(words for _, words, _ in stated_shares(drop))))


def stated_shares(drop: Drop) -> Iterator[tuple[str, str, CountedShare]]:
    """Yield the counted shares of words and languages.

    Each share has its name, its value in words, and the count itself.
    """
    for sides in (drop.word_errors, drop.other_language):
        counts = [side.count for side in (sides.base, sides.other) if side is not None]
        if any(counts) and sides.other is not None and sides.other.value is not None:
            name = _SHARES[sides.other.name]
            before = sides.base and sides.base.value
            against = "" if before is None else f" ({before:.1%} in {_base_words(drop)})"
            yield name, f"{name} {sides.other.value:.1%}{against}", sides.other


_SHARES = {"word errors": "WER", "agent wrong": "Agent turns in another language"}


def share_words(share: CountedShare) -> str:
    """Return a count with its whole, or the count alone if the whole is not known."""
    if share.value is None:
        return f"{share.name} {share.count:g}"
    return f"{share.name} {share.count:g}/{share.of:g}"


def points(value: float) -> str:
    """Return a share of trials in points of a hundred."""
    return f"{100 * value + 0.0:.1f}".replace("-0.0", "0.0")


def points_interval(value: Interval) -> str:
    """Return the interval of a share in points of a hundred."""
    return f"[{points(value.low)}, {points(value.high)}]"


def base_name(drop: Drop) -> str:
    """Return the values of the baseline on the axes that differ."""
    return _values(drop.comparison.a.condition, drop.comparison.differs)


def _base_words(drop: Drop) -> str:
    """Return the same values in words."""
    a, b = drop.comparison.a.condition, drop.comparison.b.condition
    return ", ".join(condition_chips(a, b))


def other_name(drop: Drop) -> str:
    """Return the values of the other condition on the axes that differ."""
    return _values(drop.comparison.b.condition, drop.comparison.differs)


def _values(condition: Condition, axes: Sequence[str]) -> str:
    """Return the values that are set on these axes; otherwise the first axis' default."""
    named = [condition.axis(axis) for axis in axes if condition.axis(axis) != axis_of(axis).default]
    return " ".join(named) if named else axis_of(axes[0]).default


def describe_agent(drop: Drop) -> str:
    """Return the agent, and the values that both conditions share."""
    name, differs = drop.comparison.b, drop.comparison.differs
    shared = [value for axis, value in name.condition.axes if axis not in differs]
    return ", ".join((name.agent, *([" ".join(shared)] if shared else [])))


def _wrap_text(text: str, width: int, indent: str) -> list[str]:
    start = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        escape_controls(text),
        max(width, 20),
        break_long_words=False,
        break_on_hyphens=False,
        subsequent_indent=start + indent,
    )
