"""Drops against the baseline in a few lines: how large, at which stage, in which values."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from dragoman.analysis.drops import CountedShare, Drop, DropPart, FailureStage
from dragoman.analysis.intervals import Interval
from dragoman.core.conditions import Condition, axis_of
from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting

NAMES: dict[FailureStage, str] = {
    "line": "line",
    "speech": "voice or recognizer",
    "hearing": "agent's own hearing or voice",
    "mishearing": "mishearing",
    "language": "language of arguments",
    "arguments": "arguments",
    "user": "simulated user",
    "agent": "agent",
    "unknown": "not known",
    "not looked for": "not looked for",
}
"""The stages in words; `STAGES` says what they mean."""

UNASKED: FailureStage = "not looked for"

MAX_LINES = 8
"""Lines that a terminal shows before all else."""

MAX_KINDS = 3
"""Kinds of values that are named."""

_INDENT = "  "


def drop_lines(
    drops: Sequence[Drop],
    run: str,
    width: int = 80,
    *,
    is_imported: bool = False,
    corrected: int | None = None,
) -> list[str]:
    """Return the losses, the largest first, in at most `MAX_LINES` lines.

    Without losses, the result is empty.

    Args:
        drops: Those of a run.
        run: Its folder, for the commands that show more.
        width: Columns of the terminal.
        is_imported: Whether nobody can play it again, to find which stage lost what.
        corrected: For how many losses p is corrected, where these are not all; None for these.
    """
    if not drops:
        return []
    over = _tasks_of_all(drops)
    about = f"{over}95 % interval, p by Holm over {corrected or len(drops)}"
    lines = _wrap_text(f"lost, in points of pass^1 ({about}):", width, "")
    ordered = by_size(drops)
    for at, loss in enumerate(ordered):
        left = len(ordered) - at - 1
        room = MAX_LINES - len(lines) - (1 if left else 0)
        finds = "" if is_imported else f": dragoman attribute {quote(run)}"
        fitting = _fitting(_block(loss, finds, is_one_count=bool(over)), width, room)
        if not fitting:
            return [*lines, f"and {left + 1} more: dragoman report {quote(run)}"]
        lines += fitting
    return lines


def _fitting(texts: Iterable[str], width: int, room: int) -> list[str]:
    """Return the lines of the first texts, as far as there is room for them."""
    lines: list[str] = []
    for text in texts:
        wrapped = _wrap_text(text, width, _INDENT)
        if len(lines) + len(wrapped) > room:
            break
        lines += wrapped
    return lines


def by_size(drops: Iterable[Drop]) -> list[Drop]:
    """Return losses, the largest first, those without a figure last."""
    return sorted(drops, key=lambda loss: 2.0 if loss.value is None else -loss.value)


def _tasks_of_all(drops: Sequence[Drop]) -> str:
    """Return over how many tasks all losses are, where that is one number for all of them."""
    counts = {len(each.comparison.pairs) for each in drops}
    if len(counts) > 1 or any(each.comparison.left_out for each in drops):
        return ""
    return f"{formatting.format_count(counts.pop(), 'task')}, "


def headline(loss: Drop, *, is_one_count: bool = False) -> str:
    """Return a sentence about a loss, its certainty, and its basis.

    The basis is omitted if it is stated once for all losses.
    """
    found = loss.comparison
    about = [] if is_one_count else [formatting.format_count(len(found.pairs), "task")]
    if left_out := sum(found.left_out.values()):
        about.append(f"{left_out} left out")
    if loss.value is None:
        return (
            f"{describe_agent(loss)}: {other_name(loss)} against {base_name(loss)}: no task in "
            "common"
        )
    about.append(f"p {formatting.p_value(found.adjusted_p)}")
    if found.assumed:
        about.append(formatting.ASSUMED)
    what = f"{points(abs(loss.value))} {_points_interval(loss)}"
    said = {
        True: f"loses {what} of {base_name(loss)}",
        False: f"gains {what} on {base_name(loss)}",
    }[loss.value >= 0]
    return f"{describe_agent(loss)}: {other_name(loss)} {said} ({', '.join(about)})"


def _block(loss: Drop, finds: str, *, is_one_count: bool) -> Iterator[str]:
    yield headline(loss, is_one_count=is_one_count)
    if loss.parts:
        yield f"{_INDENT}{stages_line(loss, finds)}"
    if heard := values_line(loss):
        yield f"{_INDENT}{heard}"


def stages_line(loss: Drop, finds: str = "") -> str:
    """Return the loss at each stage.

    If it is unknown, the line says how to find it, and what is known without.
    """
    if loss.is_looked_for:
        return f"at: {', '.join(map(part_words, largest_first(loss.parts)))}"
    known = [part for part in largest_first(loss.parts) if part.stage != UNASKED]
    said = [f"at: {', '.join(map(part_words, known))}"] if known else []
    said.append(f"{'the rest' if known else 'at which stage'} was {UNASKED}{finds}")
    if loss.misrecognized:
        said.append(f"{len(loss.misrecognized)} of {len(loss.failed)} failures misheard a value")
    return "; ".join(said)


def part_words(part: DropPart) -> str:
    """Return a stage and what it lost, in points."""
    return f"{NAMES[part.stage]} {points(part.value)}"


def largest_first(parts: Iterable[DropPart]) -> list[DropPart]:
    """Return parts, those that lost most first."""
    return sorted(parts, key=lambda part: -part.value)


def values_line(loss: Drop) -> str:
    """Return which values were not heard, and what else was told apart; "" where nothing was."""
    named = [share_words(share) for share in loss.values[:MAX_KINDS]]
    rest = loss.values[MAX_KINDS:]
    if rest:
        named.append(f"others {sum(share.count for share in rest):g}")
    said = [f"not heard: {', '.join(named)}"] if named else []
    return "; ".join((*said, *(words for _, words, _ in stated_shares(loss))))


def stated_shares(loss: Drop) -> Iterator[tuple[str, str, CountedShare]]:
    """Yield the counted shares of words and languages.

    Each share has its name, its value in words, and the count itself.
    """
    for sides in (loss.word_errors, loss.other_language):
        counts = [side.count for side in (sides.base, sides.other) if side is not None]
        if any(counts) and sides.other is not None and sides.other.value is not None:
            name = _SHARES[sides.other.name]
            before = sides.base and sides.base.value
            against = "" if before is None else f" ({before:.1%} in {base_name(loss)})"
            yield name, f"{name} {sides.other.value:.1%}{against}", sides.other


_SHARES = {"word errors": "word errors", "agent wrong": "agent's turns in another language"}


def share_words(share: CountedShare) -> str:
    """Return what was counted with its share, or its count where the whole is not known."""
    if share.value is None:
        return f"{share.name} {share.count:g}"
    return f"{share.name} {share.value:.0%} of {share.of:g}"


def points(value: float) -> str:
    """Return a share of trials in points of a hundred."""
    return f"{100 * value + 0.0:.1f}".replace("-0.0", "0.0")


def points_interval(value: Interval) -> str:
    """Return the interval of a share in points of a hundred."""
    return f"[{points(value.low)}, {points(value.high)}]"


def _points_interval(loss: Drop) -> str:
    found = loss.interval
    if found is None or loss.value is None:
        return ""
    return points_interval(found if loss.value >= 0 else Interval(-found.high, -found.low))


def base_name(loss: Drop) -> str:
    """Return what the base has where the other condition has something else."""
    return _values(loss.comparison.a.condition, loss.comparison.differs)


def other_name(loss: Drop) -> str:
    """Return what the other condition has."""
    return _values(loss.comparison.b.condition, loss.comparison.differs)


def _values(condition: Condition, axes: Sequence[str]) -> str:
    """Return the values on these axes that are set; where none is, what the first has instead."""
    named = [condition.axis(axis) for axis in axes if condition.axis(axis) != axis_of(axis).default]
    return " ".join(named) if named else axis_of(axes[0]).default


def describe_agent(loss: Drop) -> str:
    """Return the agent, and what both conditions have beside what tells them apart."""
    name, differs = loss.comparison.b, loss.comparison.differs
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
