"""Suite folders: load a suite of one's own from `suite.toml`, task files and databases.

Tasks have one schema, that of `core.tasks`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from dragoman.benchmarks.kit.conversation_suite import ConversationSuite, SuiteParts
from dragoman.benchmarks.kit.environment import Domain, Toolkit
from dragoman.benchmarks.kit.suite_translations import (
    ARTIFACTS,
    bundled_artifacts,
    english_texts,
    read_declarations,
)
from dragoman.benchmarks.kit.task_validation import (
    require_known_names,
    risk_profile_faults,
    task_faults,
)
from dragoman.benchmarks.kit.tool_schemas import compile_validators, derive_toolset
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Provenance
from dragoman.core.tasks import RiskProfile, Scenario, Task
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.tools import Role, Toolset

Record = TypeVar("Record")

SUITE, POLICY, TASKS = "suite.toml", "policy.md", "tasks"


class SuiteFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `suite.toml`.

    Attributes:
        source: The name of the data.
        licence: Their licence.
        notice: The notice that reports must show about them.
        risk_profile: The things that can go badly wrong.
        fact_keywords: Keywords of a question for a fact, by the fact's name.
        user_action_keywords: Keywords of a request for a user action, by the tool's name.
    """

    source: str
    licence: str
    notice: str
    risk_profile: RiskProfile = msgspec.field(default=RiskProfile(), name="stakes")
    fact_keywords: dict[str, tuple[str, ...]] = {}
    user_action_keywords: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=dict, name="deed_keywords"
    )


class _TaskFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tasks: list[dict[str, Any]]


def suite_from_files(
    name: str,
    folder: Traversable,
    domain: Domain,
    toolkits: Mapping[Role, type[Toolkit]],
    split: str = "",
) -> ConversationSuite:
    """Load a suite from its folder.

    Args:
        name: The suite's name on the command line.
        folder: The folder of the files.
        domain: The databases, and the function that makes environments over them.
        toolkits: The classes whose methods are the tools, by side.
        split: The task file to take; all of them if it is empty.

    Raises:
        DataError: If a file is missing, damaged or invalid.
        UsageError: If the split does not exist.
    """
    content = {file: _read(folder, file, name) for file in (SUITE, POLICY, *_databases(domain))}
    about = _decode_record(content[SUITE], SuiteFile, f"{name}: {SUITE}")
    tools = {side: derive_toolset(kit, domain.kinds[side]) for side, kit in toolkits.items()}
    files = _task_files(folder, name)
    splits = {
        file.removesuffix(".toml"): list(_tasks(text, name, about, f"{name}: {TASKS}/{file}"))
        for file, text in files.items()
    }
    tasks = [task for part in splits.values() for task in part]
    _require_sound(tasks, about.risk_profile, domain, tools, name)
    if split and split not in splits:
        raise UsageError(f"{name} has no split {split!r}: choose {', '.join(splits)}")
    declared = read_declarations(name, folder)
    everything = [*content.values(), *files.values()]
    digest = content_key(*(text.decode("utf-8", "replace") for text in everything))
    return ConversationSuite(
        SuiteParts(
            name=name,
            provenance=Provenance(about.source, about.licence, about.notice, digest),
            domain=domain,
            tasks=splits[split] if split else tasks,
            toolsets=tools,
            policy=content[POLICY].decode("utf-8", "replace"),
            files=content,
            decode_tasks=lambda translated, where: _decode_translated_tasks(
                translated, name, where
            ),
            risk_profile=about.risk_profile,
            english_texts=lambda: english_texts(tasks, declared, folder / ARTIFACTS / name),
            declared=declared,
            release=bundled_artifacts(name, folder),
        )
    )


def _databases(domain: Domain) -> tuple[str, ...]:
    return tuple(domain.databases.values())


def _task_files(folder: Traversable, name: str) -> Mapping[str, bytes]:
    """Return the task files by name, in the order of their names."""
    with TranslatedErrors(DataError, f"{name}: no folder {TASKS} next to {SUITE}"):
        files = sorted(file.name for file in (folder / TASKS).iterdir())
    return {file: _read(folder / TASKS, file, name) for file in files if file.endswith(".toml")}


def _read(folder: Traversable, file: str, name: str) -> bytes:
    with TranslatedErrors(DataError, f"{name}: {file} cannot be read"):
        return (folder / file).read_bytes()


def _decode_record(content: bytes, kind: type[Record], where: str) -> Record:
    try:
        return msgspec.toml.decode(content, type=kind)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def _tasks(content: bytes, suite: str, about: SuiteFile, where: str) -> Iterator[Task]:
    for task in _decoded_tasks(content, suite, where):
        yield replace(task, scenario=_with_keywords(task.scenario, about))


@lru_cache(maxsize=16)
def _decoded_tasks(content: bytes, suite: str, where: str) -> tuple[Task, ...]:
    """Return the tasks of a file; remembered, since one process may load a suite many times."""
    records = _decode_record(content, _TaskFile, where).tasks
    return tuple(
        _task(record, number, suite, where) for number, record in enumerate(records, start=1)
    )


def _task(record: dict[str, Any], number: int, suite: str, where: str) -> Task:
    here = f"{where}: task {record.get('id', number)}"
    try:
        task = msgspec.convert(
            {**record, "suite": suite, "digest": content_key(record)}, Task, strict=True
        )
    except DECODING_ERRORS as error:
        raise DataError(f"{here}: {error}") from error
    unknown = next(unknown_fields(record, task), None)
    if unknown is not None:
        raise DataError(f"{here}: unknown field {unknown}")
    return task


def _decode_translated_tasks(content: bytes, suite: str, where: str) -> list[Task]:
    """Return the tasks of a file in another language: a JSON list in the schema of task files."""
    with TranslatedErrors(DataError, f"{where}: not a list of tasks"):
        records = msgspec.json.decode(content, type=list[dict[str, Any]])
    return [_task(record, number, suite, where) for number, record in enumerate(records, start=1)]


def unknown_fields(record: object, decoded: object, path: str = "$") -> Iterator[str]:
    """Yield the paths of fields that decoding a record left behind."""
    if isinstance(decoded, msgspec.Struct) and isinstance(record, dict):
        written, own = decoded.__struct_encode_fields__, decoded.__struct_fields__
        names = dict(zip(written, own, strict=True))
        for key, value in record.items():
            if key in names:
                yield from unknown_fields(value, getattr(decoded, names[key]), f"{path}.{key}")
            elif key != decoded.__struct_config__.tag_field:
                yield f"{path}.{key}"
    elif isinstance(decoded, tuple) and isinstance(record, list):
        for at, (part, entry) in enumerate(zip(record, decoded, strict=True)):
            yield from unknown_fields(part, entry, f"{path}[{at}]")


def _with_keywords(scenario: Scenario, about: SuiteFile) -> Scenario:
    """Return a scenario with the suite's keywords for facts and user actions without any."""
    facts = tuple(
        replace(fact, keywords=fact.keywords or about.fact_keywords.get(fact.name, ()))
        for fact in scenario.facts
    )
    user_actions = tuple(
        replace(
            user_action,
            keywords=user_action.keywords or about.user_action_keywords.get(user_action.name, ()),
        )
        for user_action in scenario.user_actions
    )
    return replace(scenario, facts=facts, user_actions=user_actions)


def _require_sound(
    tasks: Sequence[Task],
    risk_profile: RiskProfile,
    domain: Domain,
    tools: Mapping[Role, Toolset],
    name: str,
) -> None:
    fault = next(risk_profile_faults(risk_profile, tools), None)
    if fault is not None:
        raise DataError(f"{name}: {SUITE}: {fault}")
    for duty in risk_profile.escalations:
        if duty.tasks and not any(duty.concerns(task.id) for task in tasks):
            raise DataError(f"{name}: {SUITE}: escalation {duty.reason} names no task that exists")
    validators = {side: compile_validators(toolset) for side, toolset in tools.items()}
    seen: set[str] = set()
    for task in tasks:
        require_known_names(task, domain, name)
        if task.id in seen:
            raise DataError(f"{name}: two tasks have the id {task.id!r}")
        seen.add(task.id)
        fault = next(task_faults(task, validators), None)
        if fault is not None:
            raise DataError(f"{name}: task {task.id}: {fault}")
