"""A task as a row for training that says what it came from."""

import msgspec

from dragoman.benchmarks.kit.api_tools import (
    native_tool_names,
    operation_tool,
    prompt_text,
    results_text,
    tools_prompt,
)
from dragoman.core.apis.itc_answers import format_itc_answer
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.curation.apis.rows import DatasetRow
from dragoman.exchange.api_datasets.chats import ToolChat, chat_of
from dragoman.exchange.api_datasets.origins import documents_of, licences_of


def training_row_of(row: DatasetRow) -> TrainingExample:
    """Return a task as a row with native calls; its APIs are those that its answer calls."""
    return _row(row, chat_of(row))


def written_row_of(row: DatasetRow) -> TrainingExample:
    """Return a task as a row with thought and action in text, as agents of its suite see it."""
    wire = native_tool_names(row.tools)
    # Two operations of one name have that of their document before it, also in what is said of them.
    specs = [
        operation_tool(msgspec.structs.replace(each.operation, name=name), wire[name])
        for name, each in row.tools.items()
    ]
    names = {wire[name]: name for name in row.tools}
    system = f"{tools_prompt(specs, names)}\n\n{prompt_text('policy')}"
    messages: list[dict[str, object]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": row.task.query},
    ]
    for step in row.solution.steps:
        answer = format_itc_answer(step.thought, step.calls)
        messages.append({"role": "assistant", "content": answer})
        if step.results:
            called = (wire.get(call.tool, call.tool) for call in step.calls)
            told = results_text(zip(called, step.results, strict=False))
            messages.append({"role": "user", "content": told})
    while messages[-1]["role"] != "assistant":
        messages.pop()
    return _row(row, ToolChat(tuple(messages), ()))


def _row(row: DatasetRow, chat: ToolChat) -> TrainingExample:
    task = row.task
    called = [row.tools[call.tool] for call in row.solution.calls if call.tool in row.tools]
    return TrainingExample(
        task.id,
        chat.messages,
        chat.tools,
        ExampleOrigin(
            row.source,
            task.id,
            tuple(dict.fromkeys(each.id for each in called)),
            task.language,
            ", ".join(licences_of(documents_of(row))),
            row.solution.by,
        ),
    )
