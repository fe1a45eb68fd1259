"""The step `generate`: draw briefs, write queries for them with a model or templates.

Template queries serve to try a pipeline without a model and are marked as such. A template puts the
words of the documents into a sentence of the requested language, with known calls.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.apis.documents import ApiDocument, Operation, offered_names
from dragoman.core.apis.tasks import ApiCall, ApiTask, CallKind
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.protocols import ChatModel
from dragoman.core.texts.characters import escape_controls
from dragoman.core.usage import Usage
from dragoman.curation.api_datasets.operations import (
    KnownOperation,
    active_documents,
    known_operations,
    observed_schemas,
    operation_description,
)
from dragoman.curation.api_datasets.parameter_values import documented_arguments
from dragoman.curation.api_datasets.pipeline import OPERATION, CurationStep, StepFinding, run_step
from dragoman.curation.api_datasets.query_briefs import Brief, BriefPlan, plan_briefs
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json, prompt_version
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem

NAME = "template@1"
_LONGEST = 160
_WRITTEN_AS = {"no": "nb"}
_EMPTY = re.compile(r" ?[(\N{FULLWIDTH LEFT PARENTHESIS}][)\N{FULLWIDTH RIGHT PARENTHESIS}]")


class QueryTemplates(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"joined": "and"}
):
    """The templates of queries in one language."""

    single: tuple[str, ...]
    repeated: tuple[str, ...]
    parallel: tuple[str, ...]
    nested: tuple[str, ...]
    thought: str
    with_: str = msgspec.field(name="with")
    joined: str


def template_query(brief: Brief, known: Mapping[str, KnownOperation], seed: int) -> ApiTask:
    """Return a template query with its calls.

    Args:
        brief: The brief of the query.
        known: The operations, by id.
        seed: Selects one of several templates.

    Raises:
        ValueError: If the language has no templates, or if documents state too little; the text
            gives the reason.
    """
    frames = _frames_of(brief.language)
    if frames is None:
        raise ValueError(f"no template in {brief.language!r}")
    used = [known[name] for name in brief.used]
    names = offered_names(
        {name: (known[name].document, known[name].operation) for name in brief.offered}
    )
    calls = _calls(brief, [(names[each.id], each.operation) for each in used])
    choices: tuple[str, ...] = getattr(frames, brief.kind)
    said = [_verbalize_call(frames, each) for each in calls]
    # The first template has the values in brackets, which can be removed.
    frame = choices[derive_seed(brief.id, f"frame {seed}") % len(choices) if all(said) else 0]
    last = said[-1]
    if brief.kind == "nested":
        last = frames.with_.format(values=last) if last else ""
    query = frame.format(
        what=_what(used[0].operation),
        values=said[0],
        what2=_what(used[-1].operation),
        values2=last,
    )
    return ApiTask(
        f"{brief.id}-1",
        _EMPTY.sub("", query),
        brief.language,
        brief.kind,
        brief.offered,
        tuple(calls),
        brief.country,
        made_by=NAME,
    )


def template_thought(task: ApiTask) -> str:
    """Return a thought for the answer to a template's query; it names the called tools.

    Raises:
        ValueError: If the task's language has no templates.
    """
    frames = _frames_of(task.language)
    if frames is None:
        raise ValueError(f"no template in {task.language!r}")
    tools = dict.fromkeys(call.tool for call in task.gold)
    return frames.thought.format(tools=frames.joined.join(tools))


def _calls(brief: Brief, used: Sequence[tuple[str, Operation]]) -> list[ApiCall]:
    if brief.kind == "repeated":
        name, operation = used[0]
        sets = documented_arguments(operation)
        if len(sets) == 1:
            raise ValueError("its document states values for one call only")
        return [ApiCall(name, each) for each in sets[:2]]
    calls = []
    for at, (name, operation) in enumerate(used):
        fed = brief.chain if at else None
        arguments = documented_arguments(operation, without=fed.parameter if fed else "")[0]
        calls.append(
            ApiCall(
                name, {fed.parameter: {"from": f"$1.{fed.path}"}, **arguments} if fed else arguments
            )
        )
    return calls


def _verbalize_call(frames: QueryTemplates, call: ApiCall) -> str:
    stated = {name: value for name, value in call.arguments.items() if not _is_reference(value)}
    return frames.joined.join(f"{name}: {_plain(value)}" for name, value in stated.items())


def _is_reference(value: object) -> bool:
    """Return whether a value refers to the result of another call.

    An object that a document states is a plain value.
    """
    return (
        isinstance(value, dict) and value.keys() == {"from"} and str(value["from"]).startswith("$")
    )


def _plain(value: object) -> str:
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    return str(value).lower() if isinstance(value, bool) else str(value)


def _what(operation: Operation) -> str:
    text = " ".join((operation.description or operation.name).split())
    first = text.split(". ")[0].split("。")[0].rstrip(".")
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST].rsplit(' ', 1)[0]}…"


def _frames_of(language: str) -> QueryTemplates | None:
    """Return the templates of a language by its tag; plain Norwegian is Bokmål."""
    spoken = language.partition("-")[0].casefold()
    return _frames().get(_WRITTEN_AS.get(spoken, spoken))


@functools.cache
def _frames() -> dict[str, QueryTemplates]:
    content = (files(__package__) / "templates.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, QueryTemplates])


LONGEST = 600
"""Longest query, in characters; the source asks for one or two sentences."""

_EXAMPLES = 3
_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}


class GeneratedQueries(msgspec.Struct, frozen=True):
    """Queries that a model wrote for a brief.

    Attributes:
        tasks: The usable queries, without gold calls.
        refused: Reasons for unusable queries, one line each.
        why: The reason for a missing answer; "" if there is an answer.
        usage: Usage of the requests.
    """

    tasks: tuple[ApiTask, ...] = ()
    refused: tuple[str, ...] = ()
    why: str = ""
    usage: tuple[Usage, ...] = ()


class _Queries(msgspec.Struct, forbid_unknown_fields=True):
    queries: list[str]


class _Seed(msgspec.Struct, forbid_unknown_fields=True):
    kind: CallKind
    language: str
    queries: tuple[str, ...]


class _Seeds(msgspec.Struct, forbid_unknown_fields=True):
    seed: tuple[_Seed, ...]


async def generate_with_model(
    brief: Brief, used: Sequence[KnownOperation], count: int, model: ChatModel, name: str
) -> GeneratedQueries:
    """Ask a model for queries.

    Args:
        brief: The brief of the queries.
        used: The operations that the queries should need.
        count: Number of queries to ask for.
        model: The model.
        name: The model's name, which is stored with each query.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    data: dict[str, object] = {
        "language": brief.language,
        "country": brief.country or "Global",
        "count": count,
        "apis": [operation_description(each.document, each.operation) for each in used],
        "examples": example_queries(brief),
    }
    if brief.chain is not None:
        data["chain"] = {"parameter": brief.chain.parameter, "answer": brief.chain.path}
    question = ModelQuestion("generate", f"queries-{brief.kind}-1", data, _Queries, _SCHEMA)
    answer = await ask_for_json(question, model)
    if answer.value is None:
        return GeneratedQueries(why=answer.why, usage=answer.usage)
    texts = [" ".join(text.split()) for text in answer.value.queries[:count]]
    reasons = [_why_not(text, texts[:at], used) for at, text in enumerate(texts)]
    tasks = tuple(
        ApiTask(
            f"{brief.id}-{at}",
            text,
            brief.language,
            brief.kind,
            brief.offered,
            country=brief.country,
            made_by=name,
        )
        for at, (text, reason) in enumerate(zip(texts, reasons, strict=True), 1)
        if not reason
    )
    refused = tuple(
        f"{text!r:.80}: {reason}" for text, reason in zip(texts, reasons, strict=True) if reason
    )
    return GeneratedQueries(tasks, refused, usage=answer.usage)


def example_queries(brief: Brief) -> list[str]:
    """Return up to three example queries of a brief's kind, first those in its language."""
    seeds = [each for each in _seeds() if each.kind == brief.kind]
    seeds.sort(key=lambda each: (each.language != brief.language, _seed_order(brief, each)))
    return [query for each in seeds for query in each.queries][:_EXAMPLES]


def _seed_order(brief: Brief, seed: _Seed) -> int:
    return derive_seed(brief.id, seed.queries[0])


def _why_not(text: str, before: Sequence[str], used: Sequence[KnownOperation]) -> str:
    """Return why a query cannot be used; "" if it can be used."""
    if not text:
        return "it says nothing"
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if escape_controls(text) != text:
        return "it has control characters"
    if text.casefold() in {each.casefold() for each in before}:
        return "written twice"
    named = next((each.operation.name for each in used if _names(text, each.operation.name)), None)
    return f"it names the API {named!r}" if named else ""


def _names(text: str, name: str) -> bool:
    """Return whether a query reveals the name of an operation.

    Only names with a character that is not a letter count, since others may be ordinary words.
    """
    # Shorter names do not count.
    is_name = len(name) > 3 and any(not letter.isalpha() for letter in name)  # noqa: PLR2004
    return is_name and name.casefold() in text.casefold()


@functools.cache
def _seeds() -> tuple[_Seed, ...]:
    content = (files(__package__) / "seeds.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Seeds).seed


STEP = "generate"
DRAWING = "draw"


class QueryWriter(msgspec.Struct, frozen=True):
    """The writer of queries: a chat model by its name, or the template (`model` is None)."""

    name: str = NAME
    model: ChatModel | None = None
    count: int = 3
    at_once: int = 8


def draw_briefs(dataset: Dataset, plan: BriefPlan) -> int:
    """Store the briefs for queries on a dataset's documents, and return their number.

    The briefs of another plan, or of documents that have since been dropped, are removed.

    Raises:
        StoreError: If the dataset cannot be read or written.
    """
    documents = active_documents(dataset, DRAWING)
    known = known_operations(documents)
    briefs = {each.id: each for each in plan_briefs(known, observed_schemas(dataset), plan)}
    stale = [(line.kind, line.name) for line in dataset.ledger(DRAWING) if line.name not in briefs]
    dataset.forget(DRAWING, stale)
    there = {line.name for line in dataset.ledger(DRAWING)}
    dataset.put(
        [_brief_outcome(brief, known) for name, brief in briefs.items() if name not in there]
    )
    return len(briefs)


async def generate(
    dataset: Dataset, writer: QueryWriter, seed: int, on_done: Callable[[int], None]
) -> None:
    """Have queries written for every brief that has none.

    Raises:
        RunHalted: If the writer cannot continue; earlier queries are stored.
        StoreError: If the dataset cannot be read or written.
    """
    known = known_operations(active_documents(dataset, STEP))

    async def look(item: StoredItem) -> StepFinding:
        brief = item.record(Brief)
        return await _write_queries(brief, known, writer, seed)

    settings: dict[str, object] = {"writer": writer.name, "count": writer.count, "seed": seed}
    version = NAME
    if writer.model is not None:
        version = content_key(*(prompt_version(f"queries-{kind}-1") for kind in _PROMPTS))
    await run_step(
        dataset, CurationStep(STEP, version, "brief", look, settings, writer.at_once), on_done
    )


_PROMPTS = ("single", "repeated", "parallel", "nested")


async def _write_queries(
    brief: Brief, known: Mapping[str, KnownOperation], writer: QueryWriter, seed: int
) -> StepFinding:
    if writer.model is None:
        try:
            return _make_task_finding(brief, (template_query(brief, known, seed),))
        except ValueError as error:
            return StepFinding("dropped", str(error))
    used = [known[name] for name in brief.used]
    found = await generate_with_model(brief, used, writer.count, writer.model, writer.name)
    if found.why:
        return StepFinding("failed", found.why, usage=found.usage)
    reason = "; ".join(found.refused)
    if not found.tasks:
        return StepFinding("dropped", reason or "no query was written", usage=found.usage)
    return msgspec.structs.replace(
        _make_task_finding(brief, found.tasks), reason=reason, usage=found.usage
    )


def _make_task_finding(brief: Brief, tasks: Sequence[ApiTask]) -> StepFinding:
    made = tuple(NewItem("task", task.id, task, stands_on=(("brief", brief.id),)) for task in tasks)
    return StepFinding("kept", made=made)


def _brief_outcome(brief: Brief, known: dict[str, KnownOperation]) -> StepOutcome:
    documents: list[ApiDocument] = [known[name].document for name in (*brief.used, *brief.offered)]
    on = (
        *dict.fromkeys(("document", each.id) for each in documents),
        *((OPERATION, name) for name in brief.used),
    )
    source = documents[0].origins[0].source if documents[0].origins else ""
    line = StepLine(DRAWING, "draft", brief.id, "kept", source=source, digest=brief.id)
    return StepOutcome(line, (NewItem("brief", brief.id, brief, source, on),))
