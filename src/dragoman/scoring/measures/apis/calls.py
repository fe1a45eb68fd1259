"""Tool selection, tool invocation, format and errors: what International Tool Calling reports.

An entry for the tools, one for the arguments, one that counts as Seal-Tools' program does, and one for
each answer that was to be in the form of thought and action. `docs/itc.md` has the definitions.
"""

from collections.abc import Callable, Iterator, Sequence

from dragoman.core.apis import figures as apis
from dragoman.core.apis.figures import EXACT, FORMAT, INVOCATION, SELECTION, error_shares, scores
from dragoman.core.apis.grading import (
    CallGrades,
    gold_call,
    grade_calls,
    graded_by_plans,
    made_call,
)
from dragoman.core.apis.labels import NO_ARGUMENTS
from dragoman.core.apis.written.answers import read_answer
from dragoman.core.apis.written.calls import longest_first
from dragoman.core.measures import Counted, Derived, PlayedCase
from dragoman.core.scores import Unscored
from dragoman.core.tools import ToolCall, Toolset
from dragoman.scoring.measures.apis.made import (
    answers,
    gold_actions,
    is_in_text,
    made_calls,
    text_of,
    unjudged,
)
from dragoman.scoring.measures.apis.seal import seal_counts
from dragoman.scoring.measures.counting import Counting


def count_calls(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield what a conversation counts for, beside gold or another plan that was made exactly."""
    return unjudged(case) or _counted(case, _beside_plans)


def count_earlier_calls(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield what a conversation counts for beside gold alone, as it is written."""
    return unjudged(case) or _counted(case, _beside_gold)


Grade = Callable[[PlayedCase, Sequence[ToolCall], Toolset], CallGrades]


def _beside_plans(case: PlayedCase, made: Sequence[ToolCall], offered: Toolset) -> CallGrades:
    others = () if case.task.criteria is None else case.task.criteria.plans
    return graded_by_plans((gold_actions(case), *others), made, offered.by_name)[1]


def _beside_gold(case: PlayedCase, made: Sequence[ToolCall], offered: Toolset) -> CallGrades:
    return grade_calls(
        [gold_call(each.name, each.arguments, each.also) for each in gold_actions(case)],
        [made_call(each.name, each.arguments) for each in made],
        offered.by_name,
    )


def _counted(case: PlayedCase, grade: Grade) -> Iterator[Counted]:
    offered = case.factory(case.task).tools("agent")
    gold, made = gold_actions(case), made_calls(case)
    grades = grade(case, made, offered)
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
        "wrong arguments": grades.wrong_values,
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
        yield Counted({"answers": 1, "in the form": int(is_strict)}, position, "format")


def _figures(part: str) -> tuple[Derived, ...]:
    return (*scores(part, "macro"), scores(part, "micro")[-1], *error_shares(part))


_ALL = (*_figures(SELECTION), *_figures(INVOCATION), FORMAT, EXACT)

CALLS = Counting(apis.CALLS, "2", count_calls, _ALL)
"""The figures that are shown under every run; those of all averages are on the leaderboard."""

EARLIER_CALLS = Counting(apis.CALLS, "1", count_earlier_calls, _ALL)
"""The same beside gold alone: no other plan counts, and no default that a tool declares."""
