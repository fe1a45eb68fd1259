"""Conversation suite: tasks, policy, tools and databases of one domain, loaded once.

All conversations share the loaded data. The source text of record modules is read, never run.
"""

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import msgspec

from dragoman.benchmarks.kit.environment import (
    Domain,
    DomainEnvironment,
    DomainEnvironmentFactory,
    MakeDomainEnvironment,
    decode_database,
    merge_task_data,
)
from dragoman.benchmarks.kit.tool_schemas import Validator, compile_validators
from dragoman.benchmarks.kit.turn_protocols import HalfDuplex, Solo
from dragoman.core.conditions import Condition
from dragoman.core.errors import DataError, ToolError
from dragoman.core.language.translated_domains import (
    NO_DECLARATIONS,
    DomainDeclarations,
    EnglishDomain,
    Release,
)
from dragoman.core.protocols import Environment, Limits, Provenance, TurnProtocol
from dragoman.core.rules import Rules
from dragoman.core.tasks import RiskProfile, Task
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Role, Toolset


def module_texts(names: Iterable[str]) -> dict[str, str]:
    """Return the texts of modules, by their paths below the folder of the import.

    Args:
        names: The names that import them, such as `lending.records`.

    Raises:
        DataError: If a module does not exist, or exists only in compiled form.
    """
    return {f"{name.replace('.', '/')}.py": _text(name) for name in names}


def _text(name: str) -> str:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise DataError(f"the module {name} does not exist: {error}") from error
    read = getattr(spec.loader if spec else None, "get_source", None)
    text = read(name) if read else None
    if not isinstance(text, str):
        raise DataError(f"the module {name} has no text that could be read")
    return text


MOST_OWN_DATABASES = 8
"""Largest number of databases with a task's own data that are kept at a time."""


class SuiteParts(msgspec.Struct, frozen=True):
    """The parts of a suite.

    Attributes:
        name: The name on the command line.
        provenance: The origin of the data.
        domain: The domain, which makes the environments.
        tasks: All tasks, in the order of the data.
        toolsets: The tools that each side is shown.
        policy: The text that the agent must follow.
        files: The content of all files by name: policies, databases, tasks.
        decode_tasks: Decodes tasks in the suite's format, given how to name them in errors.
        risk_profile: The things that can go badly wrong.
        english_texts: Returns its translatable texts as artifacts would have them in English, by
            file, where no file holds them so.
        declared: Declarations of facts that artifacts in other languages lack.
        release: Artifacts that need not be named.
    """

    name: str
    provenance: Provenance
    domain: Domain
    tasks: Sequence[Task]
    toolsets: Mapping[Role, Toolset]
    policy: str
    files: Mapping[str, bytes]
    decode_tasks: Callable[[bytes, str], Sequence[Task]]
    risk_profile: RiskProfile = RiskProfile()
    english_texts: Callable[[], Mapping[str, bytes]] = dict
    declared: DomainDeclarations = NO_DECLARATIONS
    release: Release | None = None


class ConversationSuite:
    """One domain with its tasks, policy, tools and shared databases."""

    def __init__(self, parts: SuiteParts) -> None:
        self.name = parts.name
        self.provenance = parts.provenance
        self.tasks: Sequence[Task] = parts.tasks
        self.toolsets: Mapping[Role, Toolset] = parts.toolsets
        self.risk_profile = parts.risk_profile
        self.policy_text = parts.policy
        self._domain = parts.domain
        self._parts = parts
        self._databases = {file: parts.files[file] for file in parts.domain.databases.values()}

    def not_applicable(self, condition: Condition) -> str:
        """Return why the domain cannot be played under a condition; "" where it can."""
        is_said = condition.voice != "text" or condition.persona != "none"
        if self._domain.is_solo and (is_said or condition.is_localized):
            return "nobody speaks in solo mode: it has neither voice, persona nor language"
        return ""

    def policy(self, task: Task, environment: Environment) -> str:  # noqa: ARG002
        """Return the domain's policy."""
        return self.policy_text

    def texts(self) -> Mapping[str, object]:
        """Return the policy, the tools' schemas and the databases; nothing of the tasks."""
        return {
            "policy": self.policy_text,
            "tools": [
                msgspec.json.decode(tools.encoded) for tools in self.toolsets.values() if len(tools)
            ],
            "database": [
                decode_database(content, dict[str, object]) for content in self._databases.values()
            ],
        }

    def english(self) -> EnglishDomain:
        """Return the English reference for artifacts in other languages.

        It is a folder with the name of the suite.
        """
        return EnglishDomain(
            name=self._domain.folder or self.name.partition(":")[0],
            toolsets=self.toolsets,
            files=lambda: {**self._parts.files, **self._parts.english_texts()},
            databases=self._domain.databases,
            policy_files=self._domain.policy_files,
            compose_policy=self._domain.compose_policy,
            decode_tasks=self._parts.decode_tasks,
            release=self._parts.release,
            declared=self._parts.declared,
            modules=lambda: {
                side: module_texts(names) for side, names in self._domain.records.items()
            },
        )

    def factory(self, rules: Rules) -> DomainEnvironmentFactory:
        """Return what makes worlds under a rule set."""
        make_environment = self._make_environment
        is_validated = rules.arguments_are_validated or self._domain.is_always_validated
        validators = self._validators if is_validated else {}

        def fresh(task: Task) -> DomainEnvironment:
            own = None if task.initial_state is None else task.initial_state.data
            make = self._environment_over(task, rules) if own else make_environment
            environment = make(rules, self.toolsets, validators)
            _set_up(environment, task)
            return environment.solo() if self._domain.is_solo else environment

        return fresh

    def turn_protocol(
        self, task: Task, environment: Environment, rules: Rules, limits: Limits
    ) -> TurnProtocol:
        """Return the protocol of one conversation."""
        return (Solo if self._domain.is_solo else HalfDuplex)(
            environment, rules, limits, task.history
        )

    def _environment_over(self, task: Task, rules: Rules) -> MakeDomainEnvironment:
        """Return what makes worlds over the databases with a task's own data in them."""
        if "user" in self._domain.databases and not rules.initial_data_keep_their_side:
            raise DataError(
                f"{self.name}: task {task.id} brings its own data, which {rules.name} puts into "
                "the "
                "other side's database: use other --rules"
            )
        data = {} if task.initial_state is None else task.initial_state.data
        try:
            return self._load_over(msgspec.json.encode(data))
        except DECODING_ERRORS as error:
            raise DataError(
                f"{self.name}: task {task.id}: its own data do not fit the database ({error})"
            ) from error

    @cached_property
    def _load_over(self) -> Callable[[bytes], MakeDomainEnvironment]:
        def load(data: bytes) -> MakeDomainEnvironment:
            own = msgspec.json.decode(data)
            return self._domain.load(merge_task_data(self._databases, self._domain.databases, own))

        return lru_cache(maxsize=MOST_OWN_DATABASES)(load)

    @cached_property
    def _validators(self) -> Mapping[str, Validator]:
        return {
            name: validator
            for toolset in self.toolsets.values()
            for name, validator in compile_validators(toolset).items()
        }

    @cached_property
    def _make_environment(self) -> MakeDomainEnvironment:
        try:
            return self._domain.load(self._databases)
        except DECODING_ERRORS as error:
            raise DataError(
                f"{self.name}: the database is damaged ({error}): correct it or pull it again"
            ) from error


def _set_up(environment: DomainEnvironment, task: Task) -> None:
    for function in () if task.initial_state is None else task.initial_state.functions:
        try:
            environment.run_function(function)
        except (ToolError, TypeError, ValueError, LookupError) as error:
            raise DataError(
                f"{task.suite}: task {task.id} cannot be set up: {function.name}: {error}"
            ) from error
    environment.take_changes()
