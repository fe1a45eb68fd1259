"""Candidate answers to a query: solving by models or templates, ranking, rule checks."""

import random
import string
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import msgspec

from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.core.apis.itc_answers import parse_itc_answer
from dragoman.core.apis.tasks import (
    ApiCall,
    ApiSolution,
    ApiTask,
    CallKind,
    RankedSolution,
    SolutionStep,
    holds_reference,
    parse_reference,
    parse_result,
    resolve_reference,
)
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.api_datasets.generate import NAME as TEMPLATE
from dragoman.curation.api_datasets.generate import template_thought
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json

ANSWER_PROMPT = "answer-api-1"
MOST_STEPS = 5
_MOST_OF_A_RESULT = 4_000
"""Longest part of a result that a model sees, in characters."""

Execute = Callable[[str, Mapping[str, object]], Awaitable[str]]
"""A function that calls an operation by its id and returns the response as text.

The text says if no response came.
"""

_NO_TOOL = '{"error": "there is no such tool"}'

_ANSWER_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"Thought": {"type": "string"}, "Action": {"type": "string"}},
    "required": ["Thought", "Action"],
    "additionalProperties": False,
}


class AnswerRequest(msgspec.Struct, frozen=True):
    """A query and its offered tools as models see them, with the tools' ids by name."""

    task: ApiTask
    tools: tuple[dict[str, object], ...]
    ids: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, longest first, as the parser of calls needs them."""
        return longest_first(self.ids)


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    thought: str = msgspec.field(name="Thought")
    action: str = msgspec.field(name="Action")


class ModelSolution(msgspec.Struct, frozen=True):
    """The answer of one model, and its usage."""

    candidate: RankedSolution
    usage: tuple[Usage, ...] = ()


async def solve_query(
    model: ChatModel, name: str, query: AnswerRequest, execute: Execute | None
) -> ModelSolution:
    """Return a model's answer; it has several steps only if calls can be made.

    Args:
        model: The model.
        name: The model's name in the answer.
        query: The query and its tools.
        execute: Makes calls; if it is None, the first step is the answer.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    steps: list[SolutionStep] = []
    usage: list[Usage] = []
    while len(steps) < MOST_STEPS:
        data = {
            "query": query.task.query,
            "language": query.task.language,
            "tools": query.tools,
            "so_far": describe_steps(steps),
        }
        answer = await ask_for_json(
            ModelQuestion("answer", ANSWER_PROMPT, data, _Written, _ANSWER_SCHEMA), model
        )
        usage += answer.usage
        if answer.value is None:
            return ModelSolution(RankedSolution(name, why=answer.why), tuple(usage))
        read = parse_itc_answer(msgspec.json.encode(answer.value).decode(), query.names)
        if read.calls is None or not read.is_strict:
            why = read.fault or "its action is not written as asked for"
            return ModelSolution(RankedSolution(name, why=why), tuple(usage))
        calls = read.calls
        results = await _results(calls, query.ids, execute)
        steps.append(SolutionStep(read.thought or "", calls, results))
        if not calls or execute is None:
            break
    else:
        why = f"not done after {MOST_STEPS} steps"
        return ModelSolution(RankedSolution(name, why=why), tuple(usage))
    return ModelSolution(RankedSolution(name, ApiSolution(name, tuple(steps))), tuple(usage))


def describe_steps(steps: Sequence[SolutionStep]) -> list[dict[str, object]]:
    """Return steps in the form that models see."""
    return [
        {
            "thought": step.thought,
            "calls": [{"tool": call.tool, "arguments": call.arguments} for call in step.calls],
            "results": [result[:_MOST_OF_A_RESULT] for result in step.results],
        }
        for step in steps
    ]


async def _results(
    calls: Sequence[ApiCall], ids: Mapping[str, str], execute: Execute | None
) -> tuple[str, ...]:
    if execute is None:
        return ()
    return tuple(
        [
            await execute(ids[call.tool], call.arguments) if call.tool in ids else _NO_TOOL
            for call in calls
        ]
    )


VERSION = "made-calls@1"
"""The version of template answers.

Answers of an older version are made again.
"""


class TemplateAnswer(NamedTuple):
    """An answer, or the reason why there is none.

    `is_lasting` is true if another attempt would have the same result.
    """

    solution: ApiSolution | None = None
    why: str = ""
    is_lasting: bool = True


async def answer_by_template(
    task: ApiTask, offered: Mapping[str, tuple[str, Operation]], execute: Execute | None
) -> TemplateAnswer:
    """Return the answer to a template's query.

    Args:
        task: The query with its calls.
        offered: The ids of operations and the operations, by their offered names.
        execute: Makes calls; without it, arguments of later calls stay references to earlier
            results.
    """
    thought = template_thought(task)
    if task.kind != "nested":
        return TemplateAnswer(ApiSolution(TEMPLATE, (SolutionStep(thought, task.gold),)))
    if execute is None:
        steps = tuple(SolutionStep(thought, (call,)) for call in task.gold)
        return TemplateAnswer(ApiSolution(TEMPLATE, steps))
    made: list[SolutionStep] = []
    results: list[object] = []
    for number, call in enumerate(task.gold, 1):
        found = offered.get(call.tool)
        if found is None:
            return TemplateAnswer(why=f"{call.tool!r:.60} was not offered")
        name, operation = found
        sent = _with_results(call, operation, results)
        if sent is None:
            is_answer = not _is_error(results[-1])
            why = (
                f"the answers before it do not hold what call {number} takes: "
                f"{str(results[-1])[:120]}"
            )
            return TemplateAnswer(why=why, is_lasting=is_answer)
        result = await execute(name, sent.arguments)
        results.append(parse_result(result))
        made.append(SolutionStep(thought, (sent,), (result,)))
    if _is_error(results[-1]):
        # No call depends on the last one, so the calls are valid without its result.
        made[-1] = SolutionStep(thought, made[-1].calls)
    return TemplateAnswer(ApiSolution(TEMPLATE, tuple(made)))


def _with_results(call: ApiCall, operation: Operation, results: list[object]) -> ApiCall | None:
    """Return a call with its references replaced by values from earlier results.

    The result is None if these do not hold such a value.
    """
    texts = {each.name for each in operation.parameters if each.type == "string"}
    arguments: dict[str, object] = {}
    for name, value in call.arguments.items():
        reference = parse_reference(value)
        given = value if reference is None else resolve_reference(reference, results)
        if given is None or isinstance(given, dict | list) or holds_reference(given):
            return None
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        arguments[name] = str(given) if name in texts and is_number else given
    return ApiCall(call.tool, arguments, call.also)


def _is_error(result: object) -> bool:
    """Return whether a result is an error.

    Executors report an error as an object with the single key `error`.
    """
    return isinstance(result, dict) and result.keys() == {"error"}


RANKING_PROMPT = "rank-answers-1"

_RANKING_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "ranking": {"type": "array", "items": {"type": "string"}},
        "why": {"type": "string"},
    },
    "required": ["ranking", "why"],
    "additionalProperties": False,
}


class _Ranking(msgspec.Struct, forbid_unknown_fields=True):
    ranking: list[str]
    why: str = ""


class ModelRanking(msgspec.Struct, frozen=True):
    """The ranks that a model gave to answers, by the author of the answer.

    `why` gives the reason if there are none.
    """

    places: dict[str, int]
    why: str = ""
    usage: tuple[Usage, ...] = ()


async def rank_candidates(
    model: ChatModel, name: str, query: AnswerRequest, candidates: Sequence[ApiSolution]
) -> ModelRanking:
    """Have a model rank the answers of others; its own answer is not shown to it.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    others = [each for each in candidates if each.by != name]
    if len(others) < 2:  # noqa: PLR2004 - a single answer needs no ranking
        return ModelRanking({each.by: 1 for each in others})
    # The order is random, so that no author always comes first.
    random.Random(derive_seed(content_key(query.task.id), f"ranking by {name}")).shuffle(others)  # noqa: S311
    by_letter = dict(zip(string.ascii_uppercase, others, strict=False))
    data = {
        "query": query.task.query,
        "language": query.task.language,
        "tools": query.tools,
        "answers": {letter: describe_steps(each.steps) for letter, each in by_letter.items()},
    }
    answer = await ask_for_json(
        ModelQuestion("rank", RANKING_PROMPT, data, _Ranking, _RANKING_SCHEMA), model
    )
    if answer.value is None:
        return ModelRanking({}, answer.why, answer.usage)
    if sorted(answer.value.ranking) != sorted(by_letter):
        return ModelRanking({}, "the ranking does not have every letter once", answer.usage)
    places = {by_letter[letter].by: at for at, letter in enumerate(answer.value.ranking, 1)}
    return ModelRanking(places, "", answer.usage)


def best_candidate(candidates: Sequence[RankedSolution]) -> RankedSolution | None:
    """Return the candidate with the best mean rank.

    Equal candidates are ordered by name. None if no candidate stands.
    """
    answered = [each for each in candidates if each.stands]
    return min(answered, key=lambda each: (_mean_place(each), each.by), default=None)


def needs_audit(candidates: Sequence[RankedSolution], winner: RankedSolution) -> str:
    """Return the reason for which a person should look at the winner; "" for no reason."""
    answered = [each for each in candidates if each.stands]
    if len(candidates) > 1 and len(answered) < len(candidates):
        return f"{len(answered)} of {len(candidates)} models gave an answer that stands"
    if len({content_key(_calls(each)) for each in answered}) > 1:
        return "the models call differently"
    ties = [each.by for each in answered if _mean_place(each) == _mean_place(winner)]
    # Of two authors, none ranks both answers.
    return "the ranking is a tie" if len(ties) > 1 and len(answered) > 2 else ""  # noqa: PLR2004


def _mean_place(candidate: RankedSolution) -> float:
    return fmean(candidate.places.values()) if candidate.places else float("inf")


def _calls(candidate: RankedSolution) -> list[str]:
    calls = candidate.solution.calls if candidate.solution else ()
    return sorted(content_key(call.tool, call.arguments) for call in calls)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def rule_violations(
    solution: ApiSolution, offered: Mapping[str, Operation], kind: CallKind
) -> Iterator[str]:
    """Yield the rule violations of an answer.

    These are unknown tools or parameters, wrong types, and the wrong kind of calls.

    Args:
        solution: The answer.
        offered: The operations that could be called, by their offered names.
        kind: The kind of calls of the query.
    """
    # If calls were made, or if no call needs another's result, a reference is not a valid value.
    is_waiting = kind == "nested" and not any(step.results for step in solution.steps)
    for call in solution.calls:
        operation = offered.get(call.tool)
        if operation is None:
            yield f"{call.tool!r:.60} was not offered"
        else:
            yield from _broken_by_call(call, operation, is_waiting=is_waiting)
    if any(not step.thought.strip() for step in solution.steps):
        yield "a step without a thought"
    yield from _broken_by_kind(solution, kind)


def _broken_by_call(call: ApiCall, operation: Operation, *, is_waiting: bool) -> Iterator[str]:
    declared = {each.name: each for each in operation.parameters}
    for each in operation.required_parameters:
        if each.name not in call.arguments:
            yield f"{call.tool}: {each.name!r:.60} is missing"
    for name, value in call.arguments.items():
        if name not in declared:
            yield f"{call.tool}: unknown parameter {name!r:.60}"
        elif holds_reference(value) and not (is_waiting and parse_reference(value)):
            yield f"{call.tool}: {name!r:.60} is {value!r:.60}, which no result took the place of"
        elif not _fits(value, declared[name]):
            yield f"{call.tool}: {name!r:.60} is {value!r:.60}"


def _fits(value: object, parameter: ApiParameter) -> bool:
    if parse_reference(value) is not None:
        return True
    listed = parameter.schema.get("enum")
    if (
        isinstance(listed, list)
        and listed
        and value not in listed
        and str(value) not in map(str, listed)
    ):
        return False
    types = _TYPES.get(parameter.type, (object,))
    if isinstance(value, bool):
        return bool in types or object in types
    return isinstance(value, types)


def _broken_by_kind(solution: ApiSolution, kind: CallKind) -> Iterator[str]:
    tools = [call.tool for call in solution.calls]
    expected = {
        "single": len(tools) == 1,
        "repeated": len(tools) > 1 and len(set(tools)) == 1,
        "parallel": len(set(tools)) > 1,
        "nested": len(tools) > 1,
        "none": not tools,
    }
    if not expected[kind]:
        yield f"{len(tools)} calls of {len(set(tools))} tools for a {kind} query"
