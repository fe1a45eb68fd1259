"""Run configuration: every option of a run, its validation, and shards of a plan.

The module also makes function signatures from the options.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_type_hints

import msgspec

from dragoman.config.options import Option, keys_of
from dragoman.core.errors import UsageError
from dragoman.core.replies import TranscriptForm
from dragoman.core.rules import DEFAULT_RULES

if TYPE_CHECKING:
    from dragoman.core.protocols import Limits


MAX_SHARDS = 10_000

_WRITTEN = re.compile(r"([1-9][0-9]{0,4})/([1-9][0-9]{0,4})")


class Shard(msgspec.Struct, frozen=True):
    """One share of a plan; numbers begin at 1."""

    number: int = 1
    of: int = 1

    @property
    def is_all(self) -> bool:
        """Whether the share is the whole plan."""
        return self.of == 1


def parse_shard(written: str) -> Shard:
    """Return the share that a text names; the whole plan for an empty text.

    Raises:
        UsageError: If the text does not name a share.
    """
    if not written:
        return Shard()
    found = _WRITTEN.fullmatch(written)
    share = Shard(*map(int, found.groups())) if found else Shard(1, 0)
    if not share.number <= share.of <= MAX_SHARDS:
        raise UsageError(
            f"--shard {written:.40}: not I/N, such as 2/4 for the second of four shares"
        )
    return share


LOCAL = "local"
"""The backend that plays conversations in the process of the run."""


def _default_rules() -> str:
    """Return the default rules.

    The value of a factory is written into every record.
    """
    return DEFAULT_RULES.name


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A grid: one suite, one or more agents, and the options of every conversation."""

    suite: Annotated[
        str,
        Option(
            "A suite of `dragoman list suites`",
            value="SUITE",
            example='"tau2:retail"',
            commands=("resume",),
        ),
    ]
    agents: Annotated[
        tuple[str, ...],
        Option(
            "A name of `dragoman list agents`, MODULE:ATTRIBUTE or PROVIDER/MODEL; NAME=AGENT "
            "says what "
            "tables call it",
            value="AGENT",
            example='["gold", "openai/gpt-4.1-mini"]',
            singular="agent",
            commas=True,
            axis=True,
        ),
    ]
    user: Annotated[
        str,
        Option(
            "offline, gold, human, MODULE:ATTRIBUTE or PROVIDER/MODEL",
            value="USER",
            example='"openai/gpt-4.1"',
            default="the agent's partner: gold's own, else offline",
        ),
    ] = ""
    judge: Annotated[
        str,
        Option(
            "Judge of natural-language assertions: none, rule, assume-met or PROVIDER/MODEL",
            value="JUDGE",
            example='"rule"',
            commands=("score", "check"),
        ),
    ] = "none"
    user_judge: Annotated[
        str,
        Option(
            "Judge of simulated users, in addition to rules: none or PROVIDER/MODEL",
            value="JUDGE",
            example='"openai/gpt-4.1"',
            commands=("score",),
        ),
    ] = "none"
    rules: Annotated[
        str,
        Option(
            "Rule set of `dragoman list rules`",
            value="RULES",
            example='"tau2-1.0.1"',
            commands=("score", "check"),
        ),
    ] = msgspec.field(default_factory=_default_rules)
    trials: Annotated[
        int,
        Option(
            "Conversations per task, agent and condition",
            value="N",
            example="3",
            is_above_zero=True,
        ),
    ] = 1
    tasks: Annotated[
        tuple[str, ...],
        Option(
            "Task ids",
            value="TASK",
            example='["64", "65"]',
            default="all",
            singular="task",
            flag="tasks",
            commas=True,
        ),
    ] = ()
    limit: Annotated[
        int | None,
        Option("Only the first so many tasks", value="N", example="10", is_above_zero=True),
    ] = None
    seed: Annotated[int, Option("Changes every conversation's seed", value="N", example="1")] = 0
    max_steps: Annotated[
        int,
        Option(
            "End a conversation after so many steps", value="N", example="100", is_above_zero=True
        ),
    ] = 200
    max_errors: Annotated[
        int,
        Option(
            "End a conversation after so many tool errors",
            value="N",
            example="5",
            is_above_zero=True,
        ),
    ] = 10
    timeout: Annotated[
        float | None,
        Option(
            "End a conversation after so many seconds",
            value="SECONDS",
            example="600",
            default="never",
            is_above_zero=True,
            commands=("resume",),
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        Option(
            "Conversations at the same time",
            value="N",
            example="8",
            default="64; 4 with a server on this machine",
            is_above_zero=True,
            commands=("resume", "score", "attribute"),
        ),
    ] = None
    read_timeout: Annotated[
        float | None,
        Option(
            "Seconds an endpoint may be silent during a call",
            value="SECONDS",
            example="60",
            default="300; 1800 of a server on this machine",
            is_above_zero=True,
            commands=("resume", "score", "attribute"),
        ),
    ] = None
    patience: Annotated[
        float,
        Option(
            "Seconds an endpoint may be down, or refuse a call as too much",
            value="SECONDS",
            example="600",
            flag="retry_for",
            old_flag="patience",
            is_above_zero=True,
            commands=("resume", "score", "attribute"),
        ),
    ] = 1_800.0
    rates: Annotated[
        tuple[str, ...],
        Option(
            "Requests and tokens that a provider or address may be asked for in a minute",
            value="NAME=500rpm+200000tpm",
            example='["openai=500rpm+200000tpm"]',
            default="limits that answers state",
            singular="rate",
            commas=True,
            commands=("resume", "score", "attribute"),
        ),
    ] = ()
    batches: Annotated[
        tuple[str, ...],
        Option(
            "A provider or address whose models are asked in batches: cheaper, and up to a day "
            "later",
            value="NAME",
            example='["openai"]',
            default="none",
            singular="batch",
            commas=True,
            commands=("resume", "score", "attribute"),
        ),
    ] = ()
    hedge: Annotated[
        float | None,
        Option(
            "Send a call once more when so many seconds brought no answer; the first answer is "
            "taken",
            value="SECONDS",
            example="30",
            default="never",
            is_above_zero=True,
            commands=("resume", "score", "attribute"),
        ),
    ] = None
    max_cost: Annotated[
        str,
        Option(
            "End the run when so much is spent: '5 USD', '2M tokens', '90 min'",
            value="AMOUNT",
            example='"5 USD"',
            default="no limit",
            commands=("resume",),
        ),
    ] = ""
    prices: Annotated[
        str,
        Option(
            "A price table of your own (TOML), laid over the one that ships",
            value="FILE",
            example='"prices.toml"',
            is_path=True,
            commands=("resume",),
        ),
    ] = ""
    cache: Annotated[
        bool,
        Option(
            "Cache replies of models, and use cached replies",
            value="",
            example="false",
            commands=("resume",),
        ),
    ] = True
    languages: Annotated[
        tuple[str, ...],
        Option(
            "th, vi, ... (`dragoman list languages`), a TOML file, or th+vi to share tools",
            value="LANGUAGE",
            example='["th", "vi"]',
            default="en",
            singular="language",
            commas=True,
            axis=True,
            commands=("check",),
        ),
    ] = ()
    scenarios: Annotated[
        tuple[str, ...],
        Option(
            "english, interaction, tools, domain, or surfaces joined by +",
            value="SCENARIO",
            example='["interaction", "domain"]',
            default="domain where each language has artifacts, else interaction",
            singular="scenario",
            commas=True,
            axis=True,
            commands=("check",),
        ),
    ] = ()
    partition_seeds: Annotated[
        tuple[int, ...],
        Option(
            "Deals tools to languages that are joined by +",
            value="N",
            example="[42, 43]",
            default="42",
            singular="partition_seed",
            axis=True,
            commands=("check",),
        ),
    ] = ()
    assets: Annotated[
        str,
        Option(
            "A folder of translated artifacts, with DOMAIN/LANGUAGE",
            value="FOLDER",
            example='"artifacts"',
            default="as pulled from seataubench",
            is_path=True,
            commands=("check",),
        ),
    ] = ""
    embeddings: Annotated[
        str,
        Option(
            "PROVIDER/MODEL that makes embeddings, for bfcl:memory_vector",
            value="MODEL",
            example='"openai/text-embedding-3-small"',
        ),
    ] = ""
    search: Annotated[
        str,
        Option(
            "Address of a search engine like SerpAPI, for bfcl:web_search_*",
            value="ADDRESS",
            example='"https://serpapi.com/search"',
        ),
    ] = ""
    voices: Annotated[
        tuple[str, ...],
        Option(
            "A channel to speak over: text, studio, telephone, ... (`dragoman list voices`)",
            value="CHANNEL",
            example='["text", "telephone"]',
            default="text; of audio sets also recorded",
            singular="voice",
            commas=True,
            axis=True,
        ),
    ] = ()
    asr: Annotated[
        tuple[str, ...],
        Option(
            "Recognizer of the user's speech; all recognizers hear the same audio",
            value="RECOGNIZER",
            example='["mixed", "generic"]',
            default="mixed; of audio sets all that heard it",
            singular="asr",
            commas=True,
            axis=True,
        ),
    ] = ()
    transcript: Annotated[
        str,
        Option(
            "Form of the transcript that the agent receives: normalized (values as people type "
            "them) or raw",
            value="FORM",
            example='"raw"',
        ),
    ] = "normalized"
    speakers: Annotated[
        tuple[str, ...],
        Option(
            "Voice of the user: one of these, drawn by task and trial",
            value="VOICE",
            example='["us", "british"]',
            default="all voices of the language",
            singular="speaker",
            commas=True,
        ),
    ] = ()
    clarify: Annotated[
        tuple[str, ...],
        Option(
            "Judge that decides whether questions about spelling are answered: none, rule or "
            "PROVIDER/MODEL",
            value="JUDGE",
            example='["none", "rule"]',
            default="none",
            singular="clarify",
            commas=True,
            axis=True,
        ),
    ] = ()
    personas: Annotated[
        tuple[str, ...],
        Option(
            "Persona of the user: task, hard, ... (`dragoman list personas`), or a TOML file",
            value="PERSONA",
            example='["none", "easy", "hard"]',
            default="task",
            singular="persona",
            commas=True,
            axis=True,
        ),
    ] = ()
    exposures: Annotated[
        tuple[str, ...],
        Option(
            "User profile that the agent gets: 0 none, 1 the persona card, 2 inferred by its own "
            "model, 2+rules by rules, 2+PROVIDER/MODEL by another model",
            value="EXPOSURE",
            example='["0", "1", "2+rules"]',
            default="0",
            singular="exposure",
            commas=True,
            axis=True,
        ),
    ] = ()
    axes: Annotated[
        tuple[str, ...],
        Option(
            "A value on an axis of `dragoman list axes`, such as NAME=none; several make a grid",
            value="NAME=VALUE",
            example='["mood=none", "mood=hurried"]',
            default="none",
            singular="axis",
            axis=True,
        ),
    ] = ()
    measures: Annotated[
        tuple[str, ...],
        Option(
            "A measure that is counted after playing, too (`dragoman list measures`), or a rubric",
            value="MEASURE",
            example='["effort", "safety"]',
            default="those that the conditions and the suite need",
            singular="measure",
            commas=True,
        ),
    ] = ()
    workers: Annotated[
        int,
        Option(
            "Processes that play or score conversations; with --ray workers of the cluster",
            value="N",
            example="2",
            is_above_zero=True,
            commands=("resume", "score"),
            anew=("score",),
        ),
    ] = 1
    ray: Annotated[
        str,
        Option(
            "Play or score on a Ray cluster: its address, or auto for the one that runs here",
            value="ADDRESS",
            example='"auto"',
            default="no cluster",
            commands=("resume", "score"),
            anew=("score",),
        ),
    ] = ""
    shard: Annotated[
        str,
        Option(
            "Play only this share of the plan, 2/4 for the second of four; `dragoman merge` joins "
            "them",
            value="I/N",
            example='"1/4"',
            default="all of it",
            commands=("resume",),
        ),
    ] = ""
    backend: Annotated[
        str,
        Option(
            "Backend that plays conversations: local, or one from another package",
            value="NAME",
            example='"local"',
            commands=("resume",),
        ),
    ] = LOCAL

    @property
    def transcript_form(self) -> TranscriptForm:
        """The form of the transcripts that agents receive."""
        return "raw" if self.transcript == "raw" else "normalized"

    @property
    def limits(self) -> "Limits":
        """The limits of every conversation."""
        from dragoman.core.protocols import Limits

        return Limits(self.max_steps, self.max_errors, self.timeout)


class RunRequest(RunConfig, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A requested run: its configuration, and the options that only its start needs."""

    split: Annotated[
        str,
        Option(
            "A split of the suite's tasks, as SUITE:SPLIT would name it",
            value="SPLIT",
            example='"test"',
        ),
    ] = ""
    out: Annotated[
        str,
        Option(
            "The run's folder",
            value="FOLDER",
            example='"runs/mine"',
            default="runs/SUITE-TIME",
            is_path=True,
        ),
    ] = ""

    @property
    def config(self) -> RunConfig:
        """The configuration of the run, without its folder.

        Raises:
            UsageError: If a value makes no sense.
        """
        fields = {name: getattr(self, name) for name in RunConfig.__struct_fields__}
        suite = f"{self.suite}:{self.split}" if self.split else self.suite
        return validated_config(RunConfig(**{**fields, "suite": suite}))


MAX_COUNT = 1_000_000


def validated_config(config: RunConfig) -> RunConfig:
    """Return the configuration, or raise UsageError for a value that makes no sense."""
    from dragoman.config.agent_specs import require_distinct_agents

    try:
        msgspec.convert(msgspec.to_builtins(config), RunConfig)
    except msgspec.ValidationError as error:
        raise UsageError(f"not a run: {error}") from error
    if not config.agents:
        raise UsageError("no agent: name one with --agent")
    require_distinct_agents(config.agents)
    for key in keys_of(RunConfig):
        value = getattr(config, key.name)
        if not key.option.is_above_zero or value is None:
            continue
        name = (key.option.flag or key.name).replace("_", "-")
        if not value > 0:
            raise UsageError(f"{name} must be above 0, not {value}")
        if value > MAX_COUNT:
            raise UsageError(f"{name} must be at most {MAX_COUNT}, not {value}")
    if config.transcript not in (forms := get_args(TranscriptForm)):
        raise UsageError(f"--transcript {config.transcript:.80}: choose {' or '.join(forms)}")
    parse_shard(config.shard)
    if "" in config.tasks:
        raise UsageError("--tasks names no task: leave it out for all tasks")
    return config


Function = TypeVar("Function", bound=Callable[..., Any])


def with_parameters(parameters: Iterable[inspect.Parameter]) -> Callable[[Function], Function]:
    """Give a function a signature that has these parameters in place of its `**rest`."""

    def add(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        before = [each for each in own if each.kind is not each.KEYWORD_ONLY]
        after = [each for each in own if each.kind is each.KEYWORD_ONLY]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*before, *parameters, *after]
        )
        return function

    return add


def keyword_parameter(name: str, default: object, annotation: object) -> inspect.Parameter:
    """Return a keyword-only parameter."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def with_run_options(options: type) -> Callable[[Function], Function]:
    """Give a function the run options of a typed dictionary, with their defaults.

    An option that allows None has None as its default; a later step decides its value.
    """
    keys = {name: key for key in keys_of(RunRequest) for name in key.spellings}
    return with_parameters(
        keyword_parameter(
            name,
            None
            if NoneType in get_args(kind)
            else ()
            if keys[name].is_required
            else keys[name].default,
            kind,
        )
        for name, kind in get_type_hints(options).items()
    )
