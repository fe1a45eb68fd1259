"""Check of ITC: success when the gold calls, and no others, were made."""

from collections.abc import Callable, Iterator

from dragoman.benchmarks.kit.api_tools import Names
from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.grading import (
    CallGrades,
    compared_call,
    gold_call,
    grade_by_plans,
    grade_calls,
)
from dragoman.core.apis.itc_answers import ANY_SYNTAX, FORM, ITS_FORM_ALONE, parse_itc_answer
from dragoman.core.apis.metrics import NO_ARGUMENTS, NO_TOOLS
from dragoman.core.episodes import COMPLETE, Episode, Message
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.core.rules import Rules
from dragoman.core.scores import UNREADABLE_CALLS, ComponentScore, Evidence, Scored, Unscored
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset

_REPORTED = {
    "missing_tools": "gold calls are missing",
    "hallucinated_tools": "calls of functions that are not offered",
    "extra_tools": "calls too many",
    "wrong_values": "arguments have another value",
    "missing_arguments": "arguments are missing",
    "extra_arguments": "arguments too many",
}


class GoldCallsCheck:
    """CALLS: all gold calls were made as they are, in any order, and no other.

    Args:
        tools: Returns what a task offers.
        names: Returns what its functions are called in text, by the names of native calls.
        rules: Say whether other plans and declared defaults count, and how answers are read.
    """

    def __init__(self, tools: Callable[[Task], Toolset], names: Names, rules: Rules) -> None:
        self._tools = tools
        self._names = names
        self._rules = rules

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the one component of a task's reward."""
        new = episode.events[len(task.history) :]
        moves = [event for event in new if isinstance(event, Message) and event.by == "agent"]
        if not moves:
            return (_score_missing_reply(episode),)
        if NO_TOOLS in task.labels:
            return (_component(Unscored(task.labels[NO_TOOLS])),)
        number, grades = self._grades(task, moves)
        evidence = (
            *_unreadable(moves),
            *self._syntaxes(task, moves),
            *_other_plan(number),
            *_evidence(grades, with_arguments=NO_ARGUMENTS not in task.labels),
        )
        if NO_ARGUMENTS not in task.labels:
            is_said = bool(grades.gold_tools) or any(map(_says_something, moves))
            if not is_said:
                evidence = (
                    *evidence,
                    Evidence("words", False, "nothing was called and nothing said"),
                )
            return (_component(Scored(float(grades.exact and is_said)), *evidence),)
        if grades.right_tools == grades.gold_tools == grades.made_tools:
            return (_component(Unscored(task.labels[NO_ARGUMENTS]), *evidence),)
        return (_component(Scored(0.0), *evidence),)

    def _syntaxes(self, task: Task, moves: list[Message]) -> Iterator[Evidence]:
        """Yield the syntaxes in which calls were written.

        Only a syntax other than the requested one is reported.
        """
        if not self._rules.calls_are_read_in_any_syntax:
            return
        for move in moves:
            if move.call_form == FORM and isinstance(move.reply, ToolCallReply) and move.reply.text:
                names = self._names(task)
                read = parse_itc_answer(
                    move.reply.text, longest_first({*names, *names.values()}), ANY_SYNTAX
                )
                if read.syntax not in {"", FORM}:
                    yield Evidence("syntax", True, f"calls were written as {read.syntax}")

    def _grades(self, task: Task, moves: list[Message]) -> tuple[int, CallGrades]:
        """Return the number of the plan that was made (0 for gold), and the calls' grades."""
        actions = () if task.criteria is None else task.criteria.actions or ()
        calls = [
            call
            for move in moves
            if isinstance(move.reply, ToolCallReply)
            for call in move.reply.calls
        ]
        if self._rules.equal_plans_count:
            others = () if task.criteria is None else task.criteria.plans
            return grade_by_plans((actions, *others), calls, self._tools(task).by_name)
        return 0, grade_calls(
            [gold_call(each.name, each.arguments, each.also) for each in actions],
            [compared_call(each.name, each.arguments) for each in calls],
            self._tools(task).by_name,
        )


def answer_reader(rules: Rules) -> int:
    """Return the version of the reader of answers under a rule set."""
    return ANY_SYNTAX if rules.calls_are_read_in_any_syntax else ITS_FORM_ALONE


def _other_plan(number: int) -> Iterator[Evidence]:
    if number:
        yield Evidence("plan", True, f"the calls make plan {number}, which is as right as gold")


def _says_something(move: Message) -> bool:
    """Return whether a reply has words: where nothing can be called the agent is to say why."""
    return isinstance(move.reply, TextReply) and any(map(str.isalpha, move.reply.text))


def _component(verdict: Scored | Unscored, *evidence: Evidence) -> ComponentScore:
    return ComponentScore("CALLS", True, verdict, evidence)


def _score_missing_reply(episode: Episode) -> ComponentScore:
    """Return the score of a task without a reply: time that ran out is the agent's."""
    reason = f"the agent gave no reply: {episode.ending.reason}"
    if episode.ending.reason in COMPLETE:
        return _component(Unscored(reason))
    return _component(Scored(0.0), Evidence("no reply", False, reason))


def _unreadable(moves: list[Message]) -> Iterator[Evidence]:
    for move in moves:
        if isinstance(move.reply, UnparsedReply):
            yield Evidence("calls that cannot be read", False, move.reply.error, UNREADABLE_CALLS)


def _evidence(grades: CallGrades, *, with_arguments: bool) -> Iterator[Evidence]:
    tools = f"{grades.right_tools} of {grades.gold_tools} gold calls, {grades.made_tools} made"
    yield Evidence("tools", grades.right_tools == grades.gold_tools == grades.made_tools, tools)
    if with_arguments:
        said = f"{grades.right_arguments} of {grades.gold_arguments} gold arguments"
        yield Evidence("arguments", bool(grades.exact), said)
    for name, instructions in _REPORTED.items():
        count = getattr(grades, name)
        if count and (with_arguments or name.endswith("_tools")):
            yield Evidence(name.replace("_", " "), False, f"{count}: {instructions}")
