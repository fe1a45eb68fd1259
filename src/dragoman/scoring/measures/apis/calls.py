"""Tool selection, tool invocation, format and errors: what International Tool Calling reports.

An entry for the tools, one for the arguments, one that counts as Seal-Tools' program does, and one for
each answer that was to be in the form of thought and action. `docs/itc.md` has the definitions.
"""

from collections.abc import Iterator, Sequence

from dragoman.core.apis.grading import CallGrades, gold_call, grade_calls, made_call
from dragoman.core.apis.labels import NO_ARGUMENTS
from dragoman.core.apis.written.answers import read_answer
from dragoman.core.apis.written.calls import longest_first
from dragoman.core.measures import Averaging, Counted, Derived, PlayedCase, Rate
from dragoman.core.scores import Unscored
from dragoman.core.tools import Toolset
from dragoman.scoring.measures.apis.made import (
    answers,
    gold_actions,
    is_in_text,
    made_calls,
    text_of,
    unjudged,
)
from dragoman.scoring.measures.apis.seal import seal_counts, seal_figures
from dragoman.scoring.measures.counting import Counting

SELECTION, INVOCATION = "tool selection", "tool invocation"
SELECTION_ERRORS, INVOCATION_ERRORS = "selection errors", "invocation errors"
FORMAT = "format"

_AVERAGES: tuple[Averaging, ...] = ("macro", "micro")


def count_calls(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield what a conversation counts for."""
    return unjudged(case) or _counted(case)


def _counted(case: PlayedCase) -> Iterator[Counted]:
    offered = case.factory(case.task).tools("agent")
    gold, made = gold_actions(case), made_calls(case)
    grades = grade_calls(
        [gold_call(each.name, each.arguments, each.also) for each in gold],
        [made_call(each.name, each.arguments) for each in made],
        offered.by_name,
    )
    has_arguments = NO_ARGUMENTS not in case.task.labels
    yield _tools(grades)
    yield (
        _arguments(grades)
        if has_arguments
        else Counted({}, subject="arguments", why=case.task.labels[NO_ARGUMENTS])
    )
    yield Counted(seal_counts(gold, made, has_arguments=has_arguments), subject="as Seal-Tools")
    yield from _forms(case, offered)


def _tools(grades: CallGrades) -> Counted:
    counts: dict[str, int | float] = {
        "gold tools": grades.gold_tools,
        "made tools": grades.made_tools,
        "right tools": grades.right_tools,
        "hallucinated tools": grades.hallucinated_tools,
        "missing tools": grades.missing_tools,
        "extra tools": grades.extra_tools,
    }
    return Counted(counts, subject="tools")


def _arguments(grades: CallGrades) -> Counted:
    counts: dict[str, int | float] = {
        "gold arguments": grades.gold_arguments,
        "made arguments": grades.made_arguments,
        "right arguments": grades.right_arguments,
        "wrong values": grades.wrong_values,
        "missing arguments": grades.missing_arguments,
        "extra arguments": grades.extra_arguments,
        "exact": grades.exact,
        "compared": 1,
    }
    return Counted(counts, subject="arguments")


def _forms(case: PlayedCase, offered: Toolset) -> Iterator[Counted]:
    asked = [(position, move) for position, move in answers(case) if is_in_text(move)]
    names = longest_first(offered.by_name) if asked else ()
    for position, move in asked:
        is_strict = read_answer(text_of(move.reply), names).is_strict
        yield Counted({"answers": 1, "in the form": int(is_strict)}, position, FORMAT)


def _scores(part: str, what: str) -> Iterator[Rate]:
    right, made, gold = f"right {what}", f"made {what}", f"gold {what}"
    for averaging in _AVERAGES:
        yield Rate(f"P {averaging}", (right,), (made,), averaging, part)
        yield Rate(f"R {averaging}", (right,), (gold,), averaging, part)
        yield Rate(f"F1 {averaging}", (right, right), (made, gold), averaging, part)


def _shares(part: str, errors: Sequence[str]) -> Iterator[Rate]:
    for error in errors:
        yield Rate(error, (error,), tuple(errors), part=part)


FIGURES: tuple[Derived, ...] = (
    *_scores(SELECTION, "tools"),
    *seal_figures(SELECTION, "tools"),
    *_scores(INVOCATION, "arguments"),
    *seal_figures(INVOCATION, "arguments"),
    *_shares(SELECTION_ERRORS, ("hallucinated tools", "missing tools", "extra tools")),
    *_shares(INVOCATION_ERRORS, ("wrong values", "missing arguments", "extra arguments")),
    Rate("FM", ("in the form",), ("answers",), part=FORMAT),
    Rate("exact", ("exact",), ("compared",)),
)

CALLS = Counting("calls", "1", count_calls, FIGURES)
