"""Dragoman from Python: run a grid, get frames.

import dragoman

def agent(messages, tools):
    return "I cannot help you with that."

result = dragoman.run("tau2:retail", agent=agent, trials=3)
result.cells      # one row per cell and k: pass^k, interval, bounds, tasks, omitted
result.episodes   # one row per conversation
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

import msgspec

from dragoman.composition.grid_files import build_run_request, by_field
from dragoman.composition.setup import build_setup
from dragoman.config.agent_specs import name_agent
from dragoman.config.run_config import with_run_options
from dragoman.core.errors import UsageError
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import Participant
from dragoman.core.rules import RULES
from dragoman.dataframes.comparisons import ComparisonOptions, RunComparison, compare_runs
from dragoman.dataframes.results import chosen_scoring
from dragoman.registry.participant_names import judge_name
from dragoman.registry.participants import ResolvedParticipant, rename_agent, resolve_object
from dragoman.registry.suites import default_rules_of, prompts_for
from dragoman.runs.jobs import invalid_cells, resume_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.runner import PlayedRun, play, start
from dragoman.store.run_store import open_run

if TYPE_CHECKING:
    import polars as pl

    from dragoman.dataframes.run_frames import RunFrames

AgentLike = str | Participant | Callable[..., Any]

AgentsLike = AgentLike | Sequence[AgentLike] | Mapping[str, AgentLike]
"""One agent, several agents, or a mapping of display names to agents."""


class RunResult:
    """A finished or interrupted run, as polars data frames read on demand."""

    def __init__(self, folder: Path, rules: str, judge: str) -> None:
        self.folder = folder
        self.rules = rules
        self.judge = judge

    def __repr__(self) -> str:
        return f"RunResult({str(self.folder)!r}, rules={self.rules!r}, judge={self.judge!r})"

    @property
    def not_played(self) -> dict[str, str]:
        """The conditions of the grid that are not played, each with the reason."""
        with open_run(self.folder, write=False) as store:
            return dict(read_manifest(store).not_applicable)

    @property
    def frames(self) -> "RunFrames":
        """All frames of the run, each built on first use and then kept.

        `docs/reference/frames.md` describes them.
        """
        from dragoman.dataframes.run_frames import RunFrames

        return RunFrames(self.folder, self.rules, self.judge)

    @property
    def cells(self) -> "pl.DataFrame":
        """One row per cell of the grid and k."""
        return self.frames["cells"]

    @property
    def episodes(self) -> "pl.DataFrame":
        """One row per planned conversation."""
        return self.frames["episodes"]

    @property
    def turns(self) -> "pl.DataFrame":
        """One row per move: what the user or the agent said or called."""
        return self.frames["turns"]

    @property
    def utterances(self) -> "pl.DataFrame":
        """One row per thing said, as it was meant, spoken and heard."""
        return self.frames["utterances"]

    @property
    def calls(self) -> "pl.DataFrame":
        """One row per tool call, with its arguments and result."""
        return self.frames["calls"]

    @property
    def usage(self) -> "pl.DataFrame":
        """One row per cell, purpose (agent, user, judge) and model: calls, tokens, cost."""
        return self.frames["usage"]

    @property
    def scores(self) -> "pl.DataFrame":
        """One row per conversation and component of its score."""
        return self.frames["scores"]

    @property
    def voices(self) -> "pl.DataFrame":
        """One row per figure of voices against text; no rows if no conversation was spoken."""
        return self.frames["voices"]

    @property
    def measures(self) -> "pl.DataFrame":
        """One row per cell, measure and figure.

        The figures are word errors, language, judges' counts, and pass^k.
        """
        return self.frames["measures"]

    @property
    def counts(self) -> "pl.DataFrame":
        """One row per conversation, measure and count.

        The figures of measures are computed from them.
        """
        return self.frames["counts"]

    @property
    def losses(self) -> "pl.DataFrame":
        """One row per figure of the loss between two conditions.

        The figures are points, stages, and misrecognized values.
        """
        return self.frames["losses"]

    def by(self, *axes: str) -> "pl.DataFrame":
        """Return pass^1 by axis: one row per group of cells that share these values.

        Args:
            *axes: `language`, `voice`, ..., and `agent`.
        """
        from dragoman.analysis.grouping import by_axes
        from dragoman.dataframes.cell_frames import groups_frame
        from dragoman.dataframes.results import outcomes

        with open_run(self.folder, write=False) as store:
            rows = outcomes(store, self.rules, self.judge, heads_only=True)
            return groups_frame(by_axes(rows, axes), axes)


class ResumeOptions(TypedDict, total=False):
    """Options that may change when a run is resumed.

    The table of keys in `docs/reference/grid.md` describes each option.
    """

    suite: str | None
    timeout: float | None
    concurrency: int | None
    read_timeout: float | None
    patience: float | None
    rates: Sequence[str] | None
    batches: Sequence[str] | None
    hedge: float | None
    max_cost: str | None
    prices: str | Path | None
    cache: bool | None
    workers: int | None
    ray: str | None
    shard: str | None
    backend: str | None


class RunOptions(TypedDict, total=False):
    """The options of a run under all their names.

    The table of keys in `docs/reference/grid.md` describes each option.
    """

    agents: Sequence[AgentLike] | Mapping[str, AgentLike]
    user: str
    judge: str
    user_judge: str
    rules: str
    trials: int
    tasks: Sequence[str]
    task: str | Sequence[str]
    limit: int | None
    seed: int
    max_steps: int
    max_errors: int
    timeout: float | None
    concurrency: int | None
    read_timeout: float | None
    patience: float
    rates: Sequence[str]
    rate: str | Sequence[str]
    batches: Sequence[str]
    batch: str | Sequence[str]
    hedge: float | None
    max_cost: str
    prices: str | Path
    cache: bool
    languages: Sequence[str]
    language: str | Sequence[str]
    scenarios: Sequence[str]
    scenario: str | Sequence[str]
    partition_seeds: Sequence[int]
    partition_seed: int | Sequence[int]
    assets: str | Path
    embeddings: str
    search: str
    voices: Sequence[str]
    voice: str | Sequence[str]
    asr: str | Sequence[str]
    transcript: str
    speakers: Sequence[str]
    speaker: str | Sequence[str]
    clarify: str | Sequence[str]
    personas: Sequence[str]
    persona: str | Sequence[str]
    exposures: Sequence[str]
    exposure: str | Sequence[str]
    axes: Sequence[str]
    axis: str | Sequence[str]
    measures: Sequence[str]
    measure: str | Sequence[str]
    workers: int
    ray: str
    shard: str
    backend: str
    split: str
    out: str | Path | None


@with_run_options(RunOptions)
def run(
    suite: str,
    agent: AgentsLike = (),
    **options: Unpack[RunOptions],
) -> RunResult:
    """Run a suite with one or more agents and return the results.

    Options have the same names as in a grid file. An option that takes several values also has a
    singular name, under which it takes one value.

    Args:
        suite: A suite's name, for example `tau2:retail`.
        agent: A name (`gold`, `module:attribute`, `provider/model`), a function of messages and
            tools, a participant, or several of these. `NAME=` before a name sets the name that
            tables show. A mapping of names to agents does the same: `{"v1": agent_v1, "v2":
            "openai/gpt-4.1-mini"}`.
        options: As in a grid file.

    Raises:
        DragomanError: For every error that a user can correct; its one line says what is wrong and
            what to do.
    """
    fields = by_field(
        {"suite": suite, **_list_named_agents({**_agents(agent), **options})}, "option"
    )
    prompts = prompts_for(suite, RULES.find(str(fields.get("rules", default_rules_of(suite)))))
    agents = cast("Sequence[AgentLike | _NamedAgent]", fields.get("agents", ()))
    resolved = _named_apart([_resolve_agent(each, prompts) for each in agents])
    written = [each if isinstance(each, str) else _format_agent(each) for each in resolved]
    request = build_run_request({**fields, "agents": tuple(written)})
    given = {_format_agent(each): each for each in resolved if not isinstance(each, str)}
    setup = build_setup(request.config, given)
    folder = Path(request.out) if request.out else None
    return _result(play(start(setup, folder), lambda *_: None))


class _NamedAgent(msgspec.Struct, frozen=True):
    """An agent with the display name that the caller gave it."""

    name: str
    agent: AgentLike


def _list_named_agents(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options with a mapping of agents replaced by a list of named agents."""
    return {
        name: [_NamedAgent(*each) for each in value.items()]
        if name in {"agent", "agents"} and isinstance(value, Mapping)
        else value
        for name, value in options.items()
    }


def _resolve_agent(agent: AgentLike | _NamedAgent, prompts: PromptSet) -> str | ResolvedParticipant:
    """Resolve an agent that the caller passed as an object.

    The name of any other agent is returned as written.
    """
    if isinstance(agent, str):
        return agent
    if not isinstance(agent, _NamedAgent):
        return resolve_object(agent, prompts)
    found = _resolve_agent(agent.agent, prompts)
    named = name_agent(agent.name, found if isinstance(found, str) else found.name)
    return f"{named.name}={named.spec}" if isinstance(found, str) else rename_agent(found, named)


def _format_agent(agent: ResolvedParticipant) -> str:
    """Return the text of an agent in the run's configuration."""
    return f"{agent.name}={agent.spec}" if agent.spec else agent.name


def _agents(agent: AgentsLike) -> dict[str, object]:
    """Return the agents of the `agent` parameter; an empty dict if they came as an option."""
    is_none = isinstance(agent, Sequence) and not isinstance(agent, str) and not agent
    return {} if is_none else {"agent": agent}


@with_run_options(ResumeOptions)
def resume(
    folder: str | Path,
    *,
    retry_invalid: bool = False,
    trust: bool = False,
    **options: Unpack[ResumeOptions],
) -> RunResult:
    """Play the rest of a run and return the results.

    The rest are the conversations that were not played and those that infrastructure broke.

    Args:
        folder: The run's folder.
        retry_invalid: Whether to play conversations again, once, in which the simulated user failed
            a check.
        trust: Whether to resume a run that somebody else made, with all code, addresses and keys
            that it names.
        options: Options that differ from those of the run; a new budget starts at zero.
    """
    job = resume_job(Path(folder), by_field(options, "option", "resume"), trust=trust)
    again = invalid_cells(job.store) if retry_invalid else ()
    return _result(play(job, lambda *_: None, again))


def load(folder: str | Path, rules: str | None = None, judge: str | None = None) -> RunResult:
    """Open a run's results by its newest scoring, among those by the given rules and judge."""
    with open_run(Path(folder), write=False) as store:
        return RunResult(Path(folder), *chosen_scoring(store, rules, judge_name(judge)))


def frames(
    run: str | Path | RunResult, rules: str | None = None, judge: str | None = None
) -> "RunFrames":
    """Return a run's results as polars frames by name, each built on first use.

    Args:
        run: A run or its folder.
        rules: The rule set of the scoring; None for the newest scoring.
        judge: The judge of the scoring; None for the newest scoring.
    """
    if isinstance(run, RunResult) and rules is None and judge is None:
        return run.frames
    folder = run.folder if isinstance(run, RunResult) else run
    return load(folder, rules, judge).frames


def compare(  # noqa: PLR0913 - keyword options of one call
    a: str | Path | RunResult,
    b: str | Path | RunResult | None = None,
    *,
    agents: Sequence[str] = (),
    versus: str | None = None,
    rules: str | None = None,
    judge: str | None = None,
    by: str | None = None,
) -> RunComparison:
    """Compare run B with run A cell by cell, or every two cells of one run.

    Args:
        a: A run or its folder.
        b: Another run or its folder; None to compare the cells of `a` with each other.
        agents: Compare only these agents; empty for all.
        versus: The agent whose cells are B; the cells of the one agent in `agents` are A.
        rules: The rule set of the scorings; None for the newest scoring that all runs have.
        judge: The judge of the scorings.
        by: Compare only cells of one run that differ in this alone: `agent`, or an axis such as
            `voice`.

    Raises:
        DragomanError: If there is nothing to compare or the scorings differ.
    """
    if isinstance(agents, str):
        raise UsageError(f"agents must be a list of names, not the string {agents!r}")
    folders = [
        entry.folder if isinstance(entry, RunResult) else Path(entry)
        for entry in (a, b)
        if entry is not None
    ]
    return compare_runs(
        folders, ComparisonOptions(tuple(agents), versus, rules, judge_name(judge), by)
    )


def _result(played: PlayedRun) -> RunResult:
    return RunResult(played.folder, played.rules, played.judge)


def _named_apart(agents: Sequence[str | ResolvedParticipant]) -> list[str | ResolvedParticipant]:
    """Number the agents that would otherwise share one name.

    They are closures of one function, or objects of one class.
    """
    seen: dict[str, int] = {}
    apart: list[str | ResolvedParticipant] = []
    for agent in agents:
        if isinstance(agent, ResolvedParticipant) and not agent.spec:
            seen[agent.name] = count = seen.get(agent.name, 0) + 1
            name = agent.name if count == 1 else f"{agent.name}#{count}"
            apart.append(msgspec.structs.replace(agent, name=name))
        else:
            apart.append(agent)
    return apart
