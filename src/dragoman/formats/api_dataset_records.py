"""Records of an API dataset in the forms of other programs: chats, conversations, suite files.

The forms are messages with native tool calls (OpenAI fine-tuning), conversations of International
Tool Calling (figures 17 to 20: `system` holds the instructions and the functions as JSON; in
`conversations`, messages of the user and the assistant alternate, with `from` and `value`, and
results of calls stand between them, with `role` and `content`), its API documents (figures 4 and
16), training examples, and a suite that `dragoman run itc:FOLDER` plays. The exports include
sources and licences of documents. A task is withheld from training if the results of its calls are
unknown.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.kit.api_tools import (
    RecordedReply,
    native_tool_names,
    operation_tool,
    prompt_text,
    results_text,
    tools_prompt,
)
from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation, offered_names
from dragoman.core.apis.itc_answers import format_itc_answer
from dragoman.core.apis.tasks import ApiCall, ApiTask, SolutionStep, holds_reference
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import openai_schema
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.curation.api_datasets.dataset import DatasetRow
from dragoman.curation.api_datasets.operations import KnownOperation

SEVERAL = "several"
"""Licence in the metadata if there are several, or if the licence has no short name."""

_HUB: Mapping[str, str] = {
    re.sub(r"[^a-z0-9]+", "", name): name
    for name in (
        "apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "isc", "unlicense", "cc0-1.0",
        "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0",
        "cc-by-nd-4.0", "cc-by-nc-nd-4.0", "odc-by", "odbl", "pddl", "gpl-2.0", "gpl-3.0",
        "lgpl-2.1", "lgpl-3.0", "agpl-3.0", "mpl-2.0", "eupl-1.1", "eupl-1.2", "etalab-2.0",
    )
}  # fmt: skip
"""Licences that the Hugging Face hub knows by name, by their letters and digits."""

_SPOKEN = {
    "apache20license": "apache20",
    "apachelicense20": "apache20",
    "apachelicenseversion20": "apache20",
    "apache2": "apache20",
    "themitlicense": "mit",
    "mitlicense": "mit",
    "creativecommonsattribution40international": "ccby40",
    "creativecommonszerov10universal": "cc010",
    "cc0": "cc010",
}


class DocumentSource(msgspec.Struct, frozen=True):
    """One source of one document: `licence` is "" if the source states none.

    `tasks` is the number of tasks that offer the document.
    """

    document: str
    name: str
    home_url: str
    source: str
    place: str
    form: str
    licence: str
    sha256: str
    tasks: int


def documents_of(row: DatasetRow) -> tuple[ApiDocument, ...]:
    """Return the documents of all operations that a row offers, whose texts it contains."""
    return tuple({each.document.id: each.document for each in row.tools.values()}.values())


def licences_of(documents: Iterable[ApiDocument]) -> tuple[str, ...]:
    """Return the licences that documents state, each once."""
    stated = {origin.licence for each in documents for origin in each.origins}
    return tuple(sorted(stated - {""}))


def sources_of(documents: Iterable[ApiDocument]) -> tuple[str, ...]:
    """Return the sources of documents, each once."""
    return tuple(sorted({origin.source for each in documents for origin in each.origins}))


def document_sources(rows: Sequence[DatasetRow]) -> list[DocumentSource]:
    """Return the sources of the documents of all rows."""
    found: dict[str, ApiDocument] = {}
    counts: dict[str, int] = {}
    for row in rows:
        for each in documents_of(row):
            found[each.id] = each
            counts[each.id] = counts.get(each.id, 0) + 1
    return [
        DocumentSource(
            name,
            found[name].tool_name,
            found[name].home_url,
            origin.source,
            origin.place,
            origin.form,
            origin.licence,
            origin.sha256,
            counts[name],
        )
        for name in sorted(found)
        for origin in found[name].origins
    ]


def hub_licence(rows: Sequence[DatasetRow]) -> tuple[str, ...]:
    """Return the lines of metadata that tell the Hugging Face hub the licence of rows.

    The licence is named only if every document states the same one. No licence is invented: if no
    document states one, it is unknown; if they differ, or some state none, the card's table lists
    them.
    """
    documents = {each.id: each for row in rows for each in documents_of(row)}.values()
    stated = {origin.licence for each in documents for origin in each.origins}
    stated |= {"" for each in documents if not each.origins}
    if stated <= {""}:
        return ("license: unknown",)
    known = {_hub_name(each) for each in stated}
    if len(known) == 1 and (name := known.pop()):
        return (f"license: {name}",)
    return ("license: other", f"license_name: {SEVERAL}", "license_link: README.md")


def _hub_name(licence: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "", licence.casefold())
    return _HUB.get(_SPOKEN.get(plain, plain), "")


class WithheldTask(msgspec.Struct, frozen=True):
    """A task that was excluded from an export, and the reason."""

    id: str
    reason: str


def why_withheld(row: DatasetRow) -> str:
    """Return why a conversation cannot be written; "" if it can."""
    steps = row.solution.steps
    if any(map(_waits, row.solution.calls)):
        return (
            "its calls need unknown results of other calls: answer it again with "
            "`dragoman curate answer --calls live` or `--calls recorded`"
        )
    if any(len(step.results) < len(step.calls) for step in steps[:-1]):
        return "the result of a call is missing between two of its steps"
    unknown = next((call.tool for call in row.solution.calls if call.tool not in row.tools), None)
    return f"its answer calls {unknown!r:.60}, which it does not offer" if unknown else ""


def split_withheld(rows: Sequence[DatasetRow]) -> tuple[list[DatasetRow], list[WithheldTask]]:
    """Return the rows that can be written as conversations, and those that cannot."""
    reasons = [(row, why_withheld(row)) for row in rows]
    return (
        [row for row, reason in reasons if not reason],
        [WithheldTask(row.task.id, reason) for row, reason in reasons if reason],
    )


def gold_with_results(row: DatasetRow) -> tuple[ApiCall, ...]:
    """Return gold calls with references replaced by the values that were sent.

    References stay where the values are unknown.
    """
    sent = row.solution.calls
    gold = row.task.gold
    is_known = not any(map(_waits, sent)) and [each.tool for each in sent] == [
        each.tool for each in gold
    ]
    if not is_known:
        return gold
    return tuple(
        msgspec.structs.replace(call, arguments=made.arguments) if _waits(call) else call
        for call, made in zip(gold, sent, strict=True)
    )


def _waits(call: ApiCall) -> bool:
    return any(map(holds_reference, call.arguments.values()))


class ToolChat(msgspec.Struct, frozen=True):
    """One task: messages, and the offered functions."""

    messages: tuple[dict[str, object], ...]
    tools: tuple[dict[str, object], ...]


def chat_of(row: DatasetRow) -> ToolChat:
    """Return a task as messages.

    A step's thought becomes the content of the message with its calls. If the assistant said
    nothing after the last calls, their results are omitted: the last message is the assistant's.
    """
    wire = native_tool_names(row.tools)
    messages: list[dict[str, object]] = [
        {"role": "system", "content": prompt_text("policy")},
        {"role": "user", "content": row.task.query},
    ]
    for number, step in enumerate(row.solution.steps, 1):
        messages += _messages(step, number, wire)
    while messages[-1]["role"] == "tool":
        messages.pop()
    tools = tuple(
        openai_schema(operation_tool(each.operation, wire[name]))
        for name, each in row.tools.items()
    )
    return ToolChat(tuple(messages), tools)


def _messages(
    step: SolutionStep, number: int, wire: Mapping[str, str]
) -> Iterator[dict[str, object]]:
    message: dict[str, object] = {"role": "assistant", "content": step.thought}
    if step.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {
                    "name": wire.get(call.tool, call.tool),
                    "arguments": msgspec.json.encode(call.arguments).decode(),
                },
            }
            for place, call in enumerate(step.calls, 1)
        ]
    yield message
    for place, result in enumerate(step.results, 1):
        yield {"role": "tool", "tool_call_id": f"call_{number}_{place}", "content": result}


class SourceConversation(msgspec.Struct, frozen=True):
    """One task in the format of the source's files, with added fields.

    The added fields are ids, categories, and the licences and sources of its documents.
    """

    id: str
    language: str
    country: str
    kind: str
    split: str
    made_by: str
    licences: tuple[str, ...]
    sources: tuple[str, ...]
    system: str
    conversations: tuple[dict[str, object], ...]


def conversation_of(row: DatasetRow) -> SourceConversation:
    """Return a task as a conversation."""
    task = row.task
    turns: list[dict[str, object]] = [{"from": "user", "value": task.query}]
    for step in row.solution.steps:
        turns += _turns(step)
    # Results that no message answers are not part of a conversation.
    while turns[-1].get("role") == "Tool":
        turns.pop()
    documents = documents_of(row)
    return SourceConversation(
        task.id,
        task.language,
        task.country,
        task.kind,
        task.split,
        task.made_by,
        licences_of(documents),
        sources_of(documents),
        _system(row),
        tuple(turns),
    )


def _system(row: DatasetRow) -> str:
    functions = [
        {
            "name": name,
            "description": (tool := operation_tool(each.operation, name)).description.removeprefix(
                f"{each.operation.name}: "
            ),
            "parameters": tool.parameters,
        }
        for name, each in row.tools.items()
    ]
    listed = msgspec.json.encode(functions).decode()
    return f"{_default_instructions()}\n{listed}"


@functools.cache
def _default_instructions() -> str:
    return "\n\n".join((prompt_text("policy"), prompt_text("form")))


def _turns(step: SolutionStep) -> Iterator[dict[str, object]]:
    yield {"from": "assistant", "value": format_itc_answer(step.thought, step.calls)}
    for result in step.results:
        yield {"role": "Tool", "content": _content(result)}


def _content(result: str) -> object:
    """Return a call's result as its JSON value, or as text."""
    try:
        return msgspec.json.decode(result)
    except DECODING_ERRORS:
        return result


def training_row_of(row: DatasetRow) -> TrainingExample:
    """Return a task as a row with native calls; its APIs are those that its answer calls."""
    return _row(row, chat_of(row))


def written_row_of(row: DatasetRow) -> TrainingExample:
    """Return a task as a row with thought and action in text.

    Agents of its suite see this form.
    """
    wire = native_tool_names(row.tools)
    # If two operations have one name, the name of their document precedes it, also in descriptions.
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
            record = results_text(zip(called, step.results, strict=False))
            messages.append({"role": "user", "content": record})
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


def itc_document(document: ApiDocument) -> dict[str, object]:
    """Return a document in the source's form."""
    return {
        "tool_name": document.tool_name,
        "tool_description": document.tool_description,
        "home_url": document.home_url,
        "country": document.country,
        "api_list": [_operation(each) for each in document.api_list],
    }


def _operation(operation: Operation) -> dict[str, object]:
    return {
        "name": operation.name,
        "url": operation.url,
        "description": operation.description,
        "method": operation.method,
        "category": operation.category,
        "required_parameters": [_parameter(each) for each in operation.required_parameters],
        "optional_parameters": [_parameter(each) for each in operation.optional_parameters],
        "statuscode": operation.statuscode,
        "schema": operation.schema,
    }


def _parameter(parameter: ApiParameter) -> dict[str, object]:
    return {
        "name": parameter.name,
        "type": parameter.type,
        "description": parameter.description,
        "default": "" if parameter.default is None else parameter.default,
    }


class SuiteFiles(msgspec.Struct, frozen=True):
    """Contents of a suite's folder; every operation in it has a unique name."""

    documents: tuple[ApiDocument, ...]
    tasks: tuple[ApiTask, ...]
    replies: tuple[RecordedReply, ...]


def suite_files(rows: Sequence[DatasetRow]) -> SuiteFiles:
    """Return rows as the files of a suite."""
    known = {each.id: each for row in rows for each in row.tools.values()}
    names = offered_names({key: (each.document, each.operation) for key, each in known.items()})
    replies = {
        (reply.operation, msgspec.json.encode(reply.arguments, order="deterministic")): reply
        for row in rows
        for reply in _replies(row, names)
    }
    return SuiteFiles(
        tuple(_documents(known, names)),
        tuple(_task(row, names) for row in rows),
        tuple(replies[key] for key in sorted(replies)),
    )


def _documents(known: dict[str, KnownOperation], names: dict[str, str]) -> Iterator[ApiDocument]:
    """Yield the documents with the operations that tasks offer, by their unique names."""
    by_document: dict[str, tuple[ApiDocument, list[str]]] = {}
    for key in sorted(known):
        document = known[key].document
        by_document.setdefault(document.id, (document, []))[1].append(key)
    for name in sorted(by_document):
        document, keys = by_document[name]
        operations = tuple(
            msgspec.structs.replace(known[key].operation, name=names[key]) for key in keys
        )
        yield msgspec.structs.replace(document, api_list=operations)


def _task(row: DatasetRow, names: dict[str, str]) -> ApiTask:
    offered = tuple(f"{each.document.id}/{names[each.id]}" for each in row.tools.values())
    gold = tuple(_call(call, row, names) for call in gold_with_results(row))
    return msgspec.structs.replace(row.task, offered=offered, gold=gold)


def _call(call: ApiCall, row: DatasetRow, names: dict[str, str]) -> ApiCall:
    found = row.tools.get(call.tool)
    return msgspec.structs.replace(call, tool=names[found.id]) if found else call


def _replies(row: DatasetRow, names: dict[str, str]) -> Iterator[RecordedReply]:
    for step in row.solution.steps:
        for call, result in zip(step.calls, step.results, strict=False):
            yield RecordedReply(_call(call, row, names).tool, call.arguments, result)
