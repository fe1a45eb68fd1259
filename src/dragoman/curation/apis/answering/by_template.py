"""The answer to a template's query: its calls are known, and nested ones are made where they can be."""

from collections.abc import Mapping
from typing import NamedTuple

from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import (
    ApiCall,
    ApiSolution,
    ApiTask,
    SolutionStep,
    holds_reference,
    parse_reference,
    parse_result,
    resolve_reference,
)
from dragoman.curation.apis.answering.asking import Execute
from dragoman.curation.apis.generating.templates import NAME as TEMPLATE
from dragoman.curation.apis.generating.templates import template_thought

VERSION = "made-calls@1"
"""Changes with what an answer is; those of an older one are given anew."""


class TemplateAnswer(NamedTuple):
    """An answer, or why there is none; `is_lasting` where asking again would change nothing."""

    solution: ApiSolution | None = None
    why: str = ""
    is_lasting: bool = True


async def answer_by_template(
    task: ApiTask, offered: Mapping[str, tuple[str, Operation]], execute: Execute | None
) -> TemplateAnswer:
    """Return the answer to a template's query.

    Args:
        task: The query, with its calls.
        offered: The ids of operations, and these, by the names that they are offered by.
        execute: Makes calls; without it what later calls take from earlier results stays a reference.
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
            why = f"the answers before it do not hold what call {number} takes: {str(results[-1])[:120]}"
            return TemplateAnswer(why=why, is_lasting=is_answer)
        result = await execute(name, sent.arguments)
        results.append(parse_result(result))
        made.append(SolutionStep(thought, (sent,), (result,)))
    if _is_error(results[-1]):
        # Nothing goes on from the last one, so the calls stand without it.
        made[-1] = SolutionStep(thought, made[-1].calls)
    return TemplateAnswer(ApiSolution(TEMPLATE, tuple(made)))


def _with_results(call: ApiCall, operation: Operation, results: list[object]) -> ApiCall | None:
    """Return a call with what it takes from earlier results; None where they do not hold it."""
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
    """Whether nothing came back: what makes calls says so in an object of this one key."""
    return isinstance(result, dict) and result.keys() == {"error"}
