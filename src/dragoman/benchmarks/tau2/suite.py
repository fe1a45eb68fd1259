"""Domain suite of tau2-bench: tasks, policy, tool schemas and risk profile, read once.

The reference has no risk profiles; `stakes.toml` holds ours.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from dragoman.benchmarks.kit.conversation_suite import ConversationSuite, SuiteParts
from dragoman.benchmarks.kit.environment import Domain
from dragoman.benchmarks.tau2.domains.airline_tools import AIRLINE
from dragoman.benchmarks.tau2.domains.retail_tools import RETAIL
from dragoman.benchmarks.tau2.domains.telecom_domain import TELECOM, VARIANTS
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Provenance
from dragoman.core.tasks import RiskProfile, Task
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import Role, ToolKind, Toolset, ToolSpec


def domain_risk_profile(domain: str) -> RiskProfile:
    """Return the risk profile of a domain, for any policy or mode.

    For example, `telecom-solo` has the profile of telecom.
    """
    return _risk_profiles().get(domain.partition("-")[0], RiskProfile())


@cache
def _risk_profiles() -> dict[str, RiskProfile]:
    content = (files("dragoman.benchmarks.tau2") / "stakes.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, RiskProfile])


Read = Callable[[str], bytes]
"""Returns the content of one of a domain's files by its short name, or raises DataError."""

DOMAINS: Mapping[str, Domain] = {"airline": AIRLINE, "retail": RETAIL, "telecom": TELECOM}
ALL_DOMAINS: Mapping[str, Domain] = {**DOMAINS, **VARIANTS}

TASKS = "tasks.json"
SPLITS = "split_tasks.json"
TOOL_FILES: Mapping[Role, str] = {"agent": "tools_openai.json", "user": "user_tools_openai.json"}


class DomainSuite(ConversationSuite):
    """One domain, read from files in tau2-bench's formats.

    `split` names a list of task ids in the domain's split file; None takes all tasks.
    """

    def __init__(
        self,
        name: str,
        read: Read,
        source: Provenance,
        domain: Domain = RETAIL,
        split: str | None = None,
    ) -> None:
        tool_files = {side: TOOL_FILES[side] for side in domain.kinds}
        files = (TASKS, *domain.policy_files, *tool_files.values(), *domain.databases.values())
        content = {file: read(file) for file in files}
        digest = content_key(*(content[file].decode("utf-8", "replace") for file in files))
        tasks = decode_tasks(content[TASKS], name, domain, f"{name}: {TASKS}")
        if split is not None:
            tasks = _split(tasks, read(SPLITS), split, f"{name}: {SPLITS}")
        policies = [_text(content[file], f"{name}: {file}") for file in domain.policy_files]
        super().__init__(
            SuiteParts(
                name=name,
                provenance=msgspec.structs.replace(source, digest=digest),
                domain=domain,
                tasks=tasks,
                toolsets={
                    side: decode_tools(content[file], domain.kinds[side], f"{name}: {file}")
                    for side, file in tool_files.items()
                },
                policy=domain.compose_policy(policies),
                files=content,
                decode_tasks=lambda translated, where: decode_tasks(
                    translated, name, domain, where
                ),
                risk_profile=domain_risk_profile(name.partition(":")[2].partition(":")[0]),
            )
        )


def _split(tasks: Sequence[Task], content: bytes, split: str, where: str) -> tuple[Task, ...]:
    """Return the tasks of a split, in the order of the task file."""
    with TranslatedErrors(DataError, f"{where}: damaged"):
        splits = msgspec.json.decode(content, type=dict[str, list[str]])
    if split not in splits:
        raise UsageError(f"{where}: no split {split!r}: choose {', '.join(sorted(splits))}")
    ids = set(splits[split])
    unknown = ids - {task.id for task in tasks}
    if unknown:
        raise DataError(f"{where}: split {split} names the unknown task {min(unknown)!r}")
    return tuple(task for task in tasks if task.id in ids)


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: damaged ({error})") from error


class _Function(msgspec.Struct):
    name: str
    description: str
    parameters: dict[str, Any]


class _Tool(msgspec.Struct):
    function: _Function


def decode_tools(content: bytes, kinds: Mapping[str, ToolKind], where: str) -> Toolset:
    """Decode OpenAI function schemas and check them against the tools that exist.

    Raises:
        DataError: If the file is damaged, or names other tools than the domain has.
    """
    with TranslatedErrors(DataError, f"{where}: damaged"):
        functions = [tool.function for tool in msgspec.json.decode(content, type=list[_Tool])]
    if {function.name for function in functions} != set(kinds):
        differing = sorted({function.name for function in functions} ^ set(kinds))
        raise DataError(f"{where}: schemas and tools differ in {', '.join(differing)}")
    return Toolset(
        tuple(
            ToolSpec(entry.name, entry.description, entry.parameters, kinds[entry.name])
            for entry in functions
        )
    )
