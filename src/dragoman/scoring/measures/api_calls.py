"""Measures of API calls against gold calls: International Tool Calling, Seal-Tools, thoughts.

A conversation has one entry for the tools, one for the arguments, one that counts as Seal-Tools'
program does, and one for each answer that was to be in the form of thought and action.
`docs/reference/itc.md` has the definitions.

Seal-Tools' program is reproduced with its peculiarities, only for comparison with published
numbers. A gold call is never used up: one gold call made three times is right three times, and
arguments are always compared with the first gold call of a tool. So recall can be 3.0, and a
perfect answer can have half its arguments right. Values are the same if Python writes them alike.

Language match is about the thought of an answer in text, and the words of any other reply. Several
detectors are reported side by side, since the result depends on them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.apis import metrics as apis
from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.grading import (
    CallGrades,
    compared_call,
    gold_call,
    grade_by_plans,
    grade_calls,
)
from dragoman.core.apis.itc_answers import FORM, parse_itc_answer
from dragoman.core.apis.metrics import (
    EXACT_RATE,
    FORMAT_RATE,
    INVOCATION,
    KIND_LABEL,
    LANGUAGE_LABEL,
    NO_ARGUMENTS,
    NO_TOOLS,
    SELECTION,
    THOUGHTS,
    error_metrics,
    language_match_metric,
    scores,
)
from dragoman.core.episodes import Message
from dragoman.core.errors import UsageError
from dragoman.core.language.correctness import DEFAULT_LANGUAGE_RULES
from dragoman.core.measures import CountedItem, MetricDefinition, ScoringContext
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply
from dragoman.core.scores import Scored, Unscored
from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall, Toolset
from dragoman.scoring.language_detection import Detector, detector_label
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.scoring.measures.language_use import WordedTurn, turn_language


def unscorable_reason(case: ScoringContext) -> Unscored | None:
    """Return why nothing can be counted in a conversation; None if something can."""
    if case.fault:
        return Unscored(case.fault)
    if KIND_LABEL not in case.task.labels:
        return Unscored("its suite has no gold calls of APIs")
    if NO_TOOLS in case.task.labels:
        return Unscored(case.task.labels[NO_TOOLS])
    return None


def gold_actions(case: ScoringContext) -> Sequence[Action]:
    """Return the gold calls."""
    criteria = case.task.criteria
    return () if criteria is None else criteria.actions or ()


def agent_replies(case: ScoringContext) -> Iterator[tuple[int, Message]]:
    """Yield the agent's replies with their places among the events."""
    begun = len(case.task.history)
    for position, event in enumerate(case.episode.events[begun:], begun):
        if isinstance(event, Message) and event.by == "agent" and not event.scripted:
            yield position, event


def agent_calls(case: ScoringContext) -> list[ToolCall]:
    """Return the agent's calls, in order; one that could not be read has no arguments."""
    replies = (move.reply for _, move in agent_replies(case))
    return [call for reply in replies if isinstance(reply, ToolCallReply) for call in reply.calls]


def is_text_format(move: Message) -> bool:
    """Return whether a reply was asked for as thought and action in text."""
    return move.call_form == FORM


def raw_reply_text(reply: Reply) -> str:
    """Return the text of a reply as its model wrote it; "" if it wrote none."""
    match reply:
        case ToolCallReply(text=text):
            return text or ""
        case TextReply() as said:
            return said.text
        case UnparsedReply(raw=raw):
            return raw


def seal_counts(
    gold: Sequence[Action], made: Sequence[ToolCall], *, has_arguments: bool
) -> dict[str, int | float]:
    """Return the six counts of one sample.

    Counts of arguments are included only if gold has arguments to compare.
    """
    first: dict[str, Action] = {}
    for action in gold:
        first.setdefault(action.name, action)
    found = [(call, first[call.name]) for call in made if call.name in first]
    counts: dict[str, int | float] = {
        "seal gold tools": len(gold),
        "seal made tools": len(made),
        "seal right tools": len(found),
    }
    if has_arguments:
        counts["seal gold arguments"] = sum(len(action.arguments) for action in gold)
        counts["seal made arguments"] = sum(len(call.arguments) for call in made)
        counts["seal right arguments"] = sum(_right(call, action) for call, action in found)
    return counts


def _right(call: ToolCall, action: Action) -> int:
    return sum(
        name in action.arguments and str(value) == str(action.arguments[name])
        for name, value in call.arguments.items()
    )


def count_calls(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield the counts of a conversation, against gold or another plan made exactly."""
    return unscorable_reason(case) or _call_entries(case, _grade_against_plans)


def count_earlier_calls(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield the counts of a conversation against gold alone, as it is written."""
    return unscorable_reason(case) or _call_entries(case, _grade_against_gold)


Grade = Callable[[ScoringContext, Sequence[ToolCall], Toolset], CallGrades]


def _grade_against_plans(
    case: ScoringContext, made: Sequence[ToolCall], offered: Toolset
) -> CallGrades:
    others = () if case.task.criteria is None else case.task.criteria.plans
    return grade_by_plans((gold_actions(case), *others), made, offered.by_name)[1]


def _grade_against_gold(
    case: ScoringContext, made: Sequence[ToolCall], offered: Toolset
) -> CallGrades:
    return grade_calls(
        [gold_call(each.name, each.arguments, each.also) for each in gold_actions(case)],
        [compared_call(each.name, each.arguments) for each in made],
        offered.by_name,
    )


def _call_entries(case: ScoringContext, grade: Grade) -> Iterator[CountedItem]:
    offered = case.factory(case.task).tools("agent")
    gold, made = gold_actions(case), agent_calls(case)
    grades = grade(case, made, offered)
    has_arguments = NO_ARGUMENTS not in case.task.labels
    yield _tools(grades)
    yield (
        _arguments(grades)
        if has_arguments
        else CountedItem({}, subject="arguments", why=case.task.labels[NO_ARGUMENTS])
    )
    yield CountedItem(seal_counts(gold, made, has_arguments=has_arguments), subject="as Seal-Tools")
    yield from _forms(case, offered)


def _tools(grades: CallGrades) -> CountedItem:
    counts: dict[str, int | float] = {
        "gold tools": grades.gold_tools,
        "made tools": grades.made_tools,
        "right tools": grades.right_tools,
        "hallucinated tools": grades.hallucinated_tools,
        "missing tools": grades.missing_tools,
        "extra tools": grades.extra_tools,
    }
    return CountedItem(counts, subject="tools")


def _arguments(grades: CallGrades) -> CountedItem:
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
    return CountedItem(counts, subject="arguments")


def _forms(case: ScoringContext, offered: Toolset) -> Iterator[CountedItem]:
    asked = [(position, move) for position, move in agent_replies(case) if is_text_format(move)]
    names = longest_first(offered.by_name) if asked else ()
    for position, move in asked:
        is_strict = parse_itc_answer(raw_reply_text(move.reply), names).is_strict
        yield CountedItem({"answers": 1, "in the form": int(is_strict)}, position, "format")


def _figures(part: str) -> tuple[MetricDefinition, ...]:
    return (*scores(part, "macro"), scores(part, "micro")[-1], *error_metrics(part))


_ALL = (*_figures(SELECTION), *_figures(INVOCATION), FORMAT_RATE, EXACT_RATE)

CALLS = CountMeasure(apis.CALLS, "2", count_calls, _ALL)
"""The figures that are shown under every run; those of all averages are on the leaderboard."""

EARLIER_CALLS = CountMeasure(apis.CALLS, "1", count_earlier_calls, _ALL)
"""Version 1: compares with gold alone, without other plans and defaults of tools."""


_RULES = msgspec.structs.replace(
    DEFAULT_LANGUAGE_RULES, name="dragoman-thoughts-1", words_must_be_delivered=False
)


def thoughts_measure(detectors: Mapping[str, Detector]) -> CountMeasure:
    """Return the measure by detectors, which have names."""

    def count(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
        if case.fault:
            return Unscored(case.fault)
        language = case.task.labels.get(LANGUAGE_LABEL, "")
        if not language:
            return Unscored("its task does not say which language its query is in")
        return _thought_entries(case, language, detectors)

    return CountMeasure(THOUGHTS, "1", count, tuple(map(language_match_metric, detectors)))


def _thought_entries(
    case: ScoringContext, language: str, detectors: Mapping[str, Detector]
) -> Iterator[CountedItem]:
    for position, move in agent_replies(case):
        thought = _thought(move)
        asked: dict[str, int | float] = {"answers": 1} if is_text_format(move) else {}
        if not thought:
            yield CountedItem(asked, position, "thought", "nothing was thought in words")
            continue
        yield CountedItem(asked, position, "thought")
        turn = WordedTurn(position, "agent", thought)
        for name, detector in detectors.items():
            yield _check_thought_language(name, turn, language, detector)


def _thought(move: Message) -> str:
    text = raw_reply_text(move.reply)
    if not is_text_format(move):
        return text
    read = parse_itc_answer(text)
    return read.thought or ("" if read.calls is not None or read.fault else text)


def _check_thought_language(
    name: str, turn: WordedTurn, language: str, detector: Detector
) -> CountedItem:
    try:
        found = turn_language(turn, detector_label(language, detector), _RULES, detector)
    except UsageError as error:
        return CountedItem({}, turn.position, name, str(error))
    if isinstance(found.verdict, Unscored):
        return CountedItem({}, turn.position, name, found.verdict.reason)
    counts: dict[str, int | float] = {
        f"{name} thoughts": 1,
        f"{name} matching": int(found.verdict == Scored(1.0)),
    }
    return CountedItem(counts, turn.position, name, f"{found.detected}, the query is in {language}")
