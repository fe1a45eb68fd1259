"""Dragoman from Python: run a grid, get frames.

import dragoman

def agent(messages, tools):
    return "I cannot help you with that."

result = dragoman.run("tau2:retail", agent=agent, trials=3)
result.cells      # one row per cell and k: pass^k, interval, bounds, tasks, left out
result.episodes   # one row per conversation
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.protocols import Participant
from dragoman.core.rules import find_rules
from dragoman.runs.invalid import invalid_cells
from dragoman.runs.jobs import resume_job
from dragoman.runs.play import Played, play, start
from dragoman.store.run import open_run
from dragoman.tables.comparing import RunComparison, Wanted, compare_runs
from dragoman.tables.outcomes import chosen_scoring, summary
from dragoman.wiring.config import RunConfig, checked
from dragoman.wiring.participants import Resolved, judge_name, resolve_object
from dragoman.wiring.prompts import prompts_for
from dragoman.wiring.setup import build_setup

AgentLike = str | Participant | Callable[..., Any]


class RunResult:
    """A finished or interrupted run, as polars data frames read on demand."""

    def __init__(self, folder: Path, rules: str, judge: str) -> None:
        self.folder = folder
        self.rules = rules
        self.judge = judge

    def __repr__(self) -> str:
        return f"RunResult({str(self.folder)!r}, rules={self.rules!r}, judge={self.judge!r})"

    @property
    def cells(self) -> Any:  # noqa: ANN401 - a polars.DataFrame, which is imported where it is made
        """One row per cell of the grid and k."""
        from dragoman.tables.frames import cells_frame

        with open_run(self.folder, write=False) as store:
            return cells_frame(summary(store, self.rules, self.judge))

    @property
    def episodes(self) -> Any:  # noqa: ANN401 - a polars.DataFrame
        """One row per planned conversation."""
        from dragoman.tables.frames import episodes_frame

        with open_run(self.folder, write=False) as store:
            return episodes_frame(store, self.rules, self.judge)

    @property
    def calls(self) -> Any:  # noqa: ANN401 - a polars.DataFrame
        """One row per tool call, with its arguments and result."""
        from dragoman.tables.frames import calls_frame

        with open_run(self.folder, write=False) as store:
            return calls_frame(store)

    @property
    def usage(self) -> Any:  # noqa: ANN401 - a polars.DataFrame
        """One row per cell, purpose (agent, user, judge) and model: calls, tokens, cost."""
        from dragoman.tables.frames import usage_frame

        with open_run(self.folder, write=False) as store:
            return usage_frame(summary(store, self.rules, self.judge))

    @property
    def scores(self) -> Any:  # noqa: ANN401 - a polars.DataFrame
        """One row per conversation and component of its score."""
        from dragoman.tables.frames import components_frame

        with open_run(self.folder, write=False) as store:
            return components_frame(store, self.rules, self.judge)


def run(  # noqa: PLR0913 - keyword options of one call
    suite: str,
    agent: AgentLike | Sequence[AgentLike] = (),
    *,
    user: str = "",
    judge: str = "none",
    user_judge: str = "none",
    rules: str = "dragoman-1",
    trials: int = 1,
    tasks: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    max_steps: int = 200,
    max_errors: int = 10,
    timeout: float | None = None,
    concurrency: int = 64,
    max_cost: str = "",
    prices: str | Path = "",
    cache: bool = True,
    languages: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    partition_seeds: Sequence[int] = (),
    assets: str | Path = "",
    voices: Sequence[str] = (),
    asr: Sequence[str] = (),
    speakers: Sequence[str] = (),
    embeddings: str = "",
    search: str = "",
    out: str | Path | None = None,
) -> RunResult:
    """Run a suite with one or more agents and return the results.

    Args:
        suite: A suite's name, for example `tau2:retail`.
        agent: A name (`gold`, `module:attribute`, `provider/model`), a function of messages and
            tools, a participant, or several of these.
        user: The user simulator; empty for the agent's partner (gold's own, else offline).
        judge: Who decides natural-language assertions: none, rule, assume-met or a model.
        user_judge: Who judges simulated users beside the rules: none or a model.
        rules: The rule set.
        trials: Conversations per task and agent.
        tasks: Task ids; empty for all.
        limit: At most so many tasks.
        seed: Changes every conversation's seed.
        max_steps: Replies and rounds of tools after which a conversation is ended.
        max_errors: Tool errors after which a conversation is ended.
        timeout: Seconds after which a conversation is ended.
        concurrency: Conversations at the same time.
        max_cost: Ends the run when so much is spent: `5 USD`, `2M tokens`, `90 min`.
        prices: A price table of one's own, laid over the one that ships.
        cache: Whether replies of models are remembered, and remembered ones are used.
        languages: Codes or TOML files; several that share tools are joined by `+`.
        scenarios: english, interaction, tools, domain, or surfaces joined by `+`; each language is
            played in each.
        partition_seeds: Deal tools to several languages; empty for the released partition.
        assets: A folder of translated artifacts; empty for those pulled.
        voices: Lines to speak over, `text` for none; empty for text alone.
        asr: Who hears what is said; several are given the same audio.
        speakers: The voices of users; empty for all of the language.
        embeddings: A model that makes embeddings, for `bfcl:memory_vector`.
        search: The address of a search engine, for `bfcl:web_search_base` and `_no_snippet`.
        out: The run's folder; a new one under `runs/` where it is None.

    Raises:
        DragomanError: With one line that says what is wrong and what to do.
    """
    if isinstance(tasks, str):
        raise UsageError(f"tasks must be a list of ids, not the string {tasks!r}")
    for name, given_names in (("languages", languages), ("scenarios", scenarios)):
        if isinstance(given_names, str):
            raise UsageError(f"{name} must be a list of names, not the string {given_names!r}")
    agents = [agent] if isinstance(agent, str) or not isinstance(agent, Sequence) else list(agent)
    prompts = prompts_for(suite, find_rules(rules))
    resolved = _named_apart(
        [e if isinstance(e, str) else resolve_object(e, prompts) for e in agents]
    )
    config = RunConfig(
        suite=suite,
        agents=tuple(entry if isinstance(entry, str) else entry.name for entry in resolved),
        user=user,
        judge=judge,
        user_judge=user_judge,
        rules=rules,
        trials=trials,
        tasks=tuple(tasks),
        limit=limit,
        seed=seed,
        max_steps=max_steps,
        max_errors=max_errors,
        timeout=timeout,
        concurrency=concurrency,
        max_cost=max_cost,
        prices=str(prices),
        cache=cache,
        languages=tuple(languages),
        scenarios=tuple(scenarios),
        partition_seeds=tuple(partition_seeds),
        assets=str(assets),
        voices=tuple(voices),
        asr=tuple(asr),
        speakers=tuple(speakers),
        embeddings=embeddings,
        search=search,
    )
    given = {entry.name: entry for entry in resolved if not isinstance(entry, str)}
    setup = build_setup(checked(config), given)
    return _result(play(start(setup, Path(out) if out is not None else None), lambda *_: None))


def resume(
    folder: str | Path,
    *,
    retry_invalid: bool = False,
    max_cost: str | None = None,
    trust: bool = False,
) -> RunResult:
    """Play what is left of a run, and what infrastructure broke, and return the results.

    Args:
        folder: The run's folder.
        retry_invalid: Whether to play again, once, where the simulated user failed a check.
        max_cost: What may be spent this time; None for the run's own limit, once more in full.
        trust: Whether to go on with a run that somebody else made, with all that it names.
    """
    changes = {} if max_cost is None else {"max_cost": max_cost}
    job = resume_job(Path(folder), changes, trust=trust)
    again = invalid_cells(job.store) if retry_invalid else ()
    return _result(play(job, lambda *_: None, again))


def load(folder: str | Path, rules: str | None = None, judge: str | None = None) -> RunResult:
    """Open a run's results by its newest scoring, among those by the rules and judge named."""
    with open_run(Path(folder), write=False) as store:
        return RunResult(Path(folder), *chosen_scoring(store, rules, judge_name(judge)))


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
        b: Another; None to compare the cells of `a`.
        agents: Only these agents; empty for all.
        versus: The agent whose cells are B, against those of the one agent that is named.
        rules: By which rules; None for the newest scoring that all runs have.
        judge: By which judge.
        by: Only cells of one run that differ in this alone: `agent`, or an axis such as `voice`.

    Raises:
        DragomanError: With one line, where there is nothing to compare or scorings differ.
    """
    if isinstance(agents, str):
        raise UsageError(f"agents must be a list of names, not the string {agents!r}")
    folders = [
        entry.folder if isinstance(entry, RunResult) else Path(entry)
        for entry in (a, b)
        if entry is not None
    ]
    return compare_runs(folders, Wanted(tuple(agents), versus, rules, judge_name(judge), by))


def _result(played: Played) -> RunResult:
    return RunResult(played.folder, played.rules, played.judge)


def _named_apart(agents: Sequence[str | Resolved]) -> list[str | Resolved]:
    """Number agents that one name would hide behind: closures of one function, objects of a class."""
    seen: dict[str, int] = {}
    apart: list[str | Resolved] = []
    for agent in agents:
        if isinstance(agent, Resolved):
            seen[agent.name] = count = seen.get(agent.name, 0) + 1
            name = agent.name if count == 1 else f"{agent.name}#{count}"
            apart.append(msgspec.structs.replace(agent, name=name))
        else:
            apart.append(agent)
    return apart
