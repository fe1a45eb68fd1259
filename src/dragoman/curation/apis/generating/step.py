"""The step `generate`: briefs are drawn from documents, and a writer makes queries of each."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.content_keys import content_key
from dragoman.core.protocols import ChatModel
from dragoman.curation.apis.generating.briefs import Brief, BriefPlan, briefs_for
from dragoman.curation.apis.generating.by_model import queries_by_model
from dragoman.curation.apis.generating.templates import NAME as TEMPLATE
from dragoman.curation.apis.generating.templates import template_query
from dragoman.curation.apis.known import KnownOperation, known_operations
from dragoman.curation.apis.observations import observed_schemas, standing_documents
from dragoman.curation.apis.operation_items import OPERATION
from dragoman.curation.apis.steps import CurationStep, StepFinding, walk
from dragoman.curation.asking.answers import prompt_version
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem

STEP = "generate"
DRAWING = "draw"


class QueryWriter(msgspec.Struct, frozen=True):
    """Who writes queries: a chat model by its name, or the template (`model` is None)."""

    name: str = TEMPLATE
    model: ChatModel | None = None
    count: int = 3
    at_once: int = 8


def draw_briefs(dataset: Dataset, plan: BriefPlan) -> int:
    """Store what queries are to be made of a dataset's documents, and return how many briefs there are.

    The briefs of another plan, or of documents that have fallen since, are taken back.

    Raises:
        StoreError: Where the dataset cannot be read or written.
    """
    documents = standing_documents(dataset, DRAWING)
    known = known_operations(documents)
    briefs = {each.id: each for each in briefs_for(known, observed_schemas(dataset), plan)}
    stale = [(line.kind, line.name) for line in dataset.ledger(DRAWING) if line.name not in briefs]
    dataset.forget(DRAWING, stale)
    there = {line.name for line in dataset.ledger(DRAWING)}
    dataset.put([_drawn(brief, known) for name, brief in briefs.items() if name not in there])
    return len(briefs)


async def generate(
    dataset: Dataset, writer: QueryWriter, seed: int, on_done: Callable[[int], None]
) -> None:
    """Have queries written for every brief that has none.

    Raises:
        RunHalted: Where the writer cannot go on; what it wrote before is stored.
        StoreError: Where the dataset cannot be read or written.
    """
    known = known_operations(standing_documents(dataset, STEP))

    async def look(item: StoredItem) -> StepFinding:
        brief = item.record(Brief)
        return await _written(brief, known, writer, seed)

    settings: dict[str, object] = {"writer": writer.name, "count": writer.count, "seed": seed}
    version = TEMPLATE
    if writer.model is not None:
        version = content_key(*(prompt_version(f"queries-{kind}-1") for kind in _PROMPTS))
    await walk(
        dataset, CurationStep(STEP, version, "brief", look, settings, writer.at_once), on_done
    )


_PROMPTS = ("single", "repeated", "parallel", "nested")


async def _written(
    brief: Brief, known: Mapping[str, KnownOperation], writer: QueryWriter, seed: int
) -> StepFinding:
    if writer.model is None:
        try:
            return _made(brief, (template_query(brief, known, seed),))
        except ValueError as error:
            return StepFinding("dropped", str(error))
    used = [known[name] for name in brief.used]
    found = await queries_by_model(brief, used, writer.count, writer.model, writer.name)
    if found.why:
        return StepFinding("failed", found.why, usage=found.usage)
    reason = "; ".join(found.refused)
    if not found.tasks:
        return StepFinding("dropped", reason or "no query was written", usage=found.usage)
    return msgspec.structs.replace(_made(brief, found.tasks), reason=reason, usage=found.usage)


def _made(brief: Brief, tasks: Sequence[ApiTask]) -> StepFinding:
    made = tuple(NewItem("task", task.id, task, stands_on=(("brief", brief.id),)) for task in tasks)
    return StepFinding("kept", made=made)


def _drawn(brief: Brief, known: dict[str, KnownOperation]) -> StepOutcome:
    documents: list[ApiDocument] = [known[name].document for name in (*brief.used, *brief.offered)]
    on = (
        *dict.fromkeys(("document", each.id) for each in documents),
        *((OPERATION, name) for name in brief.used),
    )
    source = documents[0].origins[0].source if documents[0].origins else ""
    line = StepLine(DRAWING, "draft", brief.id, "kept", source=source, digest=brief.id)
    return StepOutcome(line, (NewItem("brief", brief.id, brief, source, on),))
