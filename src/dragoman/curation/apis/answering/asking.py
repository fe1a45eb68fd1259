"""One model's answer to one query, step by step, with what its calls return fed back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.itc_answers import parse_itc_answer
from dragoman.core.apis.tasks import ApiCall, ApiSolution, ApiTask, RankedSolution, SolutionStep
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.asking.answers import ModelQuestion, asked

PROMPT = "answer-api-1"
MOST_STEPS = 5
_MOST_OF_A_RESULT = 4_000
"""Characters of a result that a model is shown."""

Execute = Callable[[str, Mapping[str, object]], Awaitable[str]]
"""Calls an operation, by its id, and returns what came back, as text; says in it where nothing did."""

_NO_TOOL = '{"error": "there is no such tool"}'

_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"Thought": {"type": "string"}, "Action": {"type": "string"}},
    "required": ["Thought", "Action"],
    "additionalProperties": False,
}


class AskedOf(msgspec.Struct, frozen=True):
    """A query and the tools that it offers, as models are told of them, with their ids by their names."""

    task: ApiTask
    tools: tuple[dict[str, object], ...]
    ids: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, longest first, as the reader of calls wants them."""
        return longest_first(self.ids)


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    thought: str = msgspec.field(name="Thought")
    action: str = msgspec.field(name="Action")


class ModelSolution(msgspec.Struct, frozen=True):
    """What one model gave, and what that consumed."""

    candidate: RankedSolution
    usage: tuple[Usage, ...] = ()


async def solved_by(
    model: ChatModel, name: str, query: AskedOf, execute: Execute | None
) -> ModelSolution:
    """Return a model's answer: one step, or as many as it takes where calls can be made.

    Args:
        model: Who is asked.
        name: By which name the answer goes.
        query: What is asked.
        execute: Makes calls; None where none can be made, and then the first step is the answer.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    steps: list[SolutionStep] = []
    usage: list[Usage] = []
    while len(steps) < MOST_STEPS:
        data = {
            "query": query.task.query,
            "language": query.task.language,
            "tools": query.tools,
            "so_far": shown_steps(steps),
        }
        answer = await asked(ModelQuestion("answer", PROMPT, data, _Written, _SCHEMA), model)
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


def shown_steps(steps: Sequence[SolutionStep]) -> list[dict[str, object]]:
    """Return steps as models are shown them."""
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
