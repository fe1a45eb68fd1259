"""The steps `answer` and `check`: models answer and rank, checkers verify the best.

An answer must pass all checkers. Nested queries need results of calls, which are made live through
the guard or are read from recorded exchanges of the dataset.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import ApiSolution, ApiTask, CallKind, RankedSolution, TaskSolution
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.api_datasets.candidate_answers import (
    ANSWER_PROMPT,
    AnswerRequest,
    Execute,
    answer_by_template,
    best_candidate,
    describe_steps,
    needs_audit,
    rank_candidates,
    rule_violations,
    solve_query,
)
from dragoman.curation.api_datasets.candidate_answers import RANKING_PROMPT as RANK_PROMPT
from dragoman.curation.api_datasets.candidate_answers import VERSION as TEMPLATE_VERSION
from dragoman.curation.api_datasets.generate import NAME as TEMPLATE
from dragoman.curation.api_datasets.operations import (
    KnownOperation,
    active_documents,
    known_operations,
    offered_ids,
    operation_description,
)
from dragoman.curation.api_datasets.pipeline import CurationStep, StepFinding, run_step
from dragoman.curation.api_datasets.probing.api_client import ApiClient, CallOptions
from dragoman.curation.api_datasets.probing.api_keys import ApiKey, prepare_call, send_call
from dragoman.curation.api_datasets.probing.request_builder import CALLED
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json, prompt_version
from dragoman.store.dataset import Dataset, NewItem, StoredItem
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.fetcher import FetchRequest
from dragoman.web.response_bodies import body_text

ANSWER, CHECK = "answer", "check"
CHECK_PROMPT = "check-answer-1"

Models = Mapping[str, ChatModel]
OnDone = Callable[[int], None]

_CHECK_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["Pass", "Fail"]},
        "reasoning": {"type": "string"},
    },
    "required": ["decision", "reasoning"],
    "additionalProperties": False,
}


class _Decision(msgspec.Struct, forbid_unknown_fields=True):
    decision: str
    reasoning: str


class AnswerSettings(msgspec.Struct, frozen=True):
    """Settings of the step `answer`.

    Attributes:
        models: Models by name; the source has three. Without models, template queries are answered
            with their known calls.
        execute: Makes calls for nested queries; None if no calls can be made.
        made_how: The source of call results, as the ledger records it.
        at_once: Number of queries that are answered at the same time.
    """

    models: Models
    execute: Execute | None = None
    made_how: str = ""
    at_once: int = 4


async def answer(dataset: Dataset, answering: AnswerSettings, on_done: OnDone) -> None:
    """Have every unanswered query answered.

    Raises:
        RunHalted: If a model cannot continue; earlier results are stored.
        StoreError: If the dataset cannot be read or written.
    """
    known = known_operations(active_documents(dataset, ANSWER))

    async def look(item: StoredItem) -> StepFinding:
        task = item.record(ApiTask)
        if not answering.models:
            return await _by_template(task, known, answering.execute)
        return await _answer_task(task, known, answering)

    settings = {"models": sorted(answering.models), "calls": answering.made_how}
    version = f"{prompt_version(ANSWER_PROMPT)} {prompt_version(RANK_PROMPT)}"
    version = version if answering.models else f"{version} {TEMPLATE_VERSION}"
    step = CurationStep(ANSWER, version, "task", look, settings, answering.at_once)
    await run_step(dataset, step, on_done)


async def check(dataset: Dataset, models: Models, on_done: OnDone, *, at_once: int = 8) -> None:
    """Have every unchecked answer checked, first by rules, then by all models.

    An answer must pass the rules and each model.

    Raises:
        RunHalted: If a model cannot continue; earlier results are stored.
        StoreError: If the dataset cannot be read or written.
    """
    known = known_operations(active_documents(dataset, CHECK))

    async def look(item: StoredItem) -> StepFinding:
        solved = item.record(TaskSolution)
        found = dataset.find("task", solved.task)
        if found is None:
            return StepFinding("dropped", "its query is gone")
        task = found.record(ApiTask)
        ids = offered_ids(task, known)
        offered = {name: known[key].operation for name, key in ids.items()}
        broken = "; ".join(rule_violations(solved.solution, offered, task.kind))
        if broken:
            return StepFinding("dropped", f"rules: {broken}")
        return await _check_solution(_query(task, known), solved.solution, models)

    step = CurationStep(
        CHECK, prompt_version(CHECK_PROMPT), "solution", look, {"models": sorted(models)}, at_once
    )
    await run_step(dataset, step, on_done)


def _query(task: ApiTask, known: Mapping[str, KnownOperation]) -> AnswerRequest:
    """Return the model's view of a query, with tools by their offered names."""
    ids = offered_ids(task, known)
    tools = [
        {**operation_description(known[key].document, known[key].operation), "name": name}
        for name, key in ids.items()
    ]
    return AnswerRequest(task, tuple(tools), ids)


async def _by_template(
    task: ApiTask, known: Mapping[str, KnownOperation], execute: Execute | None
) -> StepFinding:
    if task.made_by != TEMPLATE:
        return StepFinding("failed", "no model was asked: name some with --model")
    offered = {name: (key, known[key].operation) for name, key in offered_ids(task, known).items()}
    answered = await answer_by_template(task, offered, execute)
    if answered.solution is None:
        return StepFinding("dropped" if answered.is_lasting else "failed", answered.why)
    return _make_solution_finding(task, TaskSolution(task.id, answered.solution))


async def _answer_task(
    task: ApiTask, known: Mapping[str, KnownOperation], answering: AnswerSettings
) -> StepFinding:
    if task.kind == "nested" and answering.execute is None:
        return StepFinding("failed", "its calls need what others return: say how calls are made")
    query = _query(task, known)
    execute = answering.execute if task.kind == "nested" else None
    names = sorted(answering.models)
    solved = await asyncio.gather(
        *(solve_query(answering.models[name], name, query, execute) for name in names)
    )
    usage: list[Usage] = [used for each in solved for used in each.usage]
    offered = {name: known[key].operation for name, key in query.ids.items()}
    # Answers are checked before they are ranked. An answer that breaks a rule could win the
    # ranking, and then the query would be dropped at the check.
    held = [_held_to_rules(each.candidate, offered, task.kind) for each in solved]
    solutions = [each.solution for each in held if each.stands and each.solution]
    if not solutions:
        why = "; ".join(f"{each.by}: {each.why}" for each in held)[:500]
        is_lasting = all(each.solution is not None for each in held)
        said = why if is_lasting else f"no model answered: {why}"
        return StepFinding("dropped" if is_lasting else "failed", said, usage=tuple(usage))
    rankings = await asyncio.gather(
        *(rank_candidates(answering.models[name], name, query, solutions) for name in names)
    )
    usage += [used for each in rankings for used in each.usage]
    lost = [f"{n}: {r.why}" for n, r in zip(names, rankings, strict=True) if r.why]
    if lost:
        return StepFinding("failed", f"no ranking by {lost[0]}", usage=tuple(usage))
    candidates = tuple(
        _add_places(each, names, [ranking.places for ranking in rankings]) for each in held
    )
    winner = best_candidate(candidates)
    assert winner is not None  # noqa: S101 - one of the solutions
    assert winner.solution is not None  # noqa: S101 - as above
    taken = TaskSolution(task.id, winner.solution, candidates, needs_audit(candidates, winner))
    return msgspec.structs.replace(_make_solution_finding(task, taken), usage=tuple(usage))


def _held_to_rules(
    candidate: RankedSolution, offered: Mapping[str, Operation], kind: CallKind
) -> RankedSolution:
    """Return a candidate with its rule violations."""
    if candidate.solution is None:
        return candidate
    broken = "; ".join(rule_violations(candidate.solution, offered, kind))
    return msgspec.structs.replace(candidate, why=f"rules: {broken}"[:500]) if broken else candidate


def _add_places(
    candidate: RankedSolution, names: Sequence[str], rankings: Sequence[Mapping[str, int]]
) -> RankedSolution:
    places = {
        name: places[candidate.by]
        for name, places in zip(names, rankings, strict=True)
        if candidate.by in places
    }
    return msgspec.structs.replace(candidate, places=places)


def _make_solution_finding(task: ApiTask, taken: TaskSolution) -> StepFinding:
    made = NewItem("solution", task.id, taken, stands_on=(("task", task.id),))
    return StepFinding("kept", f"audit: {taken.audit}" if taken.audit else "", (made,))


async def _check_solution(
    query: AnswerRequest, solution: ApiSolution, models: Models
) -> StepFinding:
    data = {
        "query": query.task.query,
        "language": query.task.language,
        "tools": query.tools,
        "steps": describe_steps(solution.steps),
    }
    question = ModelQuestion("check", CHECK_PROMPT, data, _Decision, _CHECK_SCHEMA)
    names = sorted(models)
    answers = await asyncio.gather(*(ask_for_json(question, models[name]) for name in names))
    usage = tuple(used for each in answers for used in each.usage)
    failures = []
    for name, each in zip(names, answers, strict=True):
        if each.value is None or each.value.decision not in {"Pass", "Fail"}:
            why = each.why or "neither Pass nor Fail"
            return StepFinding("failed", f"not checked by {name}: {why}", usage=usage)
        if each.value.decision == "Fail":
            failures.append(f"{name}: {each.value.reasoning[:300]}")
    return StepFinding("dropped" if failures else "kept", "; ".join(failures), usage=usage)


CALLS = ("live", "recorded", "none")
"""Sources of call results: live calls over the network, recorded exchanges, or none."""


def client_for_calls(calls: str, folder: Path, terms: CallOptions) -> ApiClient | None:
    """Return the client for calls; None if no calls are made.

    Raises:
        UsageError: If `calls` is not one of `CALLS`.
    """
    if calls not in CALLS:
        raise UsageError(f"--calls {calls}: choose {', '.join(CALLS)}")
    if calls == "none":
        return None
    return ApiClient(replace(terms, cassettes=folder) if calls == "recorded" else terms)


def call_executor(
    dataset: Dataset,
    fetch: Callable[[FetchRequest, str], Awaitable[HttpExchange]],
    keys: Sequence[ApiKey] = (),
) -> Execute:
    """Return a function that calls active operations.

    It returns the response as text without secrets. Without a response, it returns a JSON object
    with the reason under `error`.

    Args:
        dataset: The dataset with the operations.
        fetch: Sends requests.
        keys: Configured keys, by host and name.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    known = known_operations(active_documents(dataset, ANSWER))

    async def execute(name: str, arguments: Mapping[str, object]) -> str:
        if name not in known:
            return _error("there is no such tool")
        operation = known[name].operation
        if operation.method not in CALLED:
            return _error(f"{operation.method} is not called: it may change something")
        try:
            call = prepare_call(operation, arguments, keys)
        except ValueError as error:
            return _error(str(error))
        came = redact_exchange(await send_call(fetch, call))
        if came.failure:
            return _error(came.failure)
        return body_text(came.body, came.headers).text

    return execute


def _error(reason: str) -> str:
    return msgspec.json.encode({"error": reason}).decode()
