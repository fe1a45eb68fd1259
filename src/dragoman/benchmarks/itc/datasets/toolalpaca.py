"""ToolAlpaca: simulated APIs described by OpenAPI as text.

The inputs of gold calls are JSON as text in most samples, but not in all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    decode_json,
    document_of,
    operation_of,
    task_of,
)
from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.texts.decoding import DECODING_ERRORS

APIS = "toolalpaca/eval_simulated.json"
_PARAMETERS = re.compile(r"Parameters: (\{.*\})")


class _Step(msgspec.Struct, rename={"action": "Action", "given": "Action_Input"}):
    action: str
    given: str


class _Api(msgspec.Struct, rename="pascal"):
    name: str
    category: str
    instructions: list[str] = msgspec.field(name="Instructions")
    function_description: dict[str, str] = msgspec.field(name="Function_Description")
    golden_answers: list[list[_Step]] = msgspec.field(name="Golden_Answers")


def read_toolalpaca(read: Read) -> Contents:
    """Read the APIs, and an instruction of each for a task."""
    apis = decode_json(read(APIS), list[_Api], APIS)
    documents = [document_of(each.name, _functions(each)) for each in apis]
    return documents, [task for each in apis for task in _tasks(each)]


def _functions(api: _Api) -> Iterator[Operation]:
    for name, instructions in api.function_description.items():
        if name == "components":
            continue
        found = _PARAMETERS.search(instructions)
        described = _object(found[1]) if found else None
        needed = [
            each for each, about in (described or {}).items() if "required" in str(about).casefold()
        ]
        yield operation_of(
            name, instructions.partition("\nParameters:")[0], described, needed, api.category
        )


def _tasks(api: _Api) -> Iterator[SetTask]:
    tools = [name for name in api.function_description if name != "components"]
    offered = [f"{api.name}/{name}" for name in tools]
    for number, (query, steps) in enumerate(zip(api.instructions, api.golden_answers, strict=True)):
        calls, why = _calls(steps)
        yield task_of(
            f"{api.name}-{number}", query, calls, offered=offered, tools=tools, no_arguments=why
        )


def _calls(steps: Sequence[_Step]) -> tuple[list[ApiCall], str]:
    read = [(step, _object(step.given)) for step in steps]
    lost = [step for step, given in read if given is None]
    calls = [ApiCall(step.action, dict(given or {})) for step, given in read]
    if not lost:
        return calls, ""
    return calls, f"{len(lost)} of its gold inputs are no JSON, such as {lost[0].given:.120}"


def _object(text: str) -> Mapping[str, object] | None:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except DECODING_ERRORS:
        return None
