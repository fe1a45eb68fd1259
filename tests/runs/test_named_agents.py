"""Agents with names of their own: keys, seeds, remembered replies, and runs that are gone on with."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import dragoman
from dragoman.api import RunResult
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.errors import StoreError, UsageError
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.runs.jobs import resume_job
from dragoman.runs.manifest import read_manifest, spec_keys
from dragoman.runs.merging import merge_runs
from dragoman.runs.plan import Cell, cell_rebuilder, cell_spec, conversation_seed, plan_cells
from dragoman.simulation.participants.canonical_arguments import canonical_name
from dragoman.store.run_store import open_run
from dragoman.testing.agent_server import serve_agent
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

CHAT = "compatible/m?base_url=http://127.0.0.1:9/v1&temperature=0.5"

RECORDED = {
    "gold": ("a75e466aef67d9d2df58fdd85eb5bb95", 79895188),
    CHAT: ("f009bc0935183677962f573bdd6d8c3e", 1618684855),
    "http://127.0.0.1:9/reply": ("cb40a84045ee984904b3b7bbe4568510", 907217704),
    "json:dumps": ("58f508a8c4623296b0a04fe449834e68", 488099986),
}
"""Keys and seeds of agents without names, from before agents could have names."""


def cells(*agents: str) -> tuple[Cell, ...]:
    config = RunConfig("sample:shop", agents, tasks=("two-swaps",), rules="dragoman-1")
    return plan_cells(build_setup(validated_config(config)))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you with that."))])) as serving:
        yield serving


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_an_agent_without_a_name_has_the_key_that_it_always_had() -> None:
    found = {cell.agent.name: (cell.key, cell.seed) for cell in cells(*RECORDED)}
    assert found == RECORDED
    assert all(cell.draw == f"{cell.key}-{cell.seed}" for cell in cells(*RECORDED))


def test_a_name_is_part_of_the_key_and_of_nothing_that_is_drawn() -> None:
    plain, first, second = cells(CHAT, f"v1={CHAT}", f"v2={CHAT}")
    assert [cell.agent.name for cell in (plain, first, second)] == [CHAT, "v1", "v2"]
    assert len({cell.key for cell in (plain, first, second)}) == 3
    assert {(cell.seed, cell.draw) for cell in (plain, first, second)} == {(plain.seed, plain.draw)}


def test_a_cell_of_a_named_agent_that_was_sent_elsewhere_is_the_same_there() -> None:
    setup = build_setup(RunConfig("sample:shop", (f"v1={CHAT}",), tasks=("two-swaps",)))
    (cell,) = plan_cells(setup)
    again = cell_rebuilder(setup)(cell_spec(cell, 0))
    assert (again.key, again.seed, again.draw) == (cell.key, cell.seed, cell.draw)


def test_canonical_arguments_of_a_named_agent_keep_its_draws() -> None:
    plain, named = cells(canonical_name("literal"), canonical_name("v1=literal"))
    assert named.agent.name == canonical_name("v1")
    assert (named.key == plain.key, named.seed == plain.seed) == (False, True)


def test_two_names_of_one_model_share_remembered_replies(
    server: ModelServer, tmp_path: Path
) -> None:
    spec = f"compatible/m?base_url={server.url}"
    first = dragoman.run("sample:shop", spec, limit=2, out=tmp_path / "plain")
    asked = server.log.outcomes["ok"]
    second = dragoman.run("sample:shop", f"v1={spec}", limit=2, out=tmp_path / "v1")
    assert server.log.outcomes["ok"] == asked > 0
    assert second.episodes["agent"].to_list() == ["v1", "v1"]
    assert second.episodes["seed"].to_list() == first.episodes["seed"].to_list()
    assert second.usage["replayed"].to_list() == second.usage["calls"].to_list()


def test_the_address_stands_in_the_manifest_alone(server: ModelServer, tmp_path: Path) -> None:
    async def play() -> RunResult:
        async with serve_agent("refuses", lambda *_: "No.") as address:
            agents = [f"v1=compatible/m?base_url={server.url}", f"v2={address}"]
            return await asyncio.to_thread(
                dragoman.run, "sample:shop", agents, limit=1, out=tmp_path / "run"
            )

    result = asyncio.run(play())
    with open_run(result.folder, write=False) as store:
        assert read_manifest(store).config.agents[0] == f"v1=compatible/m?base_url={server.url}"
    shown = {name: str(result.frames[name].to_dicts()) for name in result.frames}
    assert [name for name, rows in shown.items() if "127.0.0.1" in rows] == []
    assert result.usage.select("agent", "model").rows() == [
        ("v1", "compatible/m"),
        ("v2", "v2"),
    ]


def test_seeds_of_a_stored_run_are_those_of_its_conversations(tmp_path: Path) -> None:
    planned = cells("v1=literal", "literal")
    result = dragoman.run(
        "sample:shop",
        ["v1=literal", "literal"],
        tasks=["two-swaps"],
        rules="dragoman-1",
        out=tmp_path / "run",
    )
    assert result.episodes["seed"].to_list() == [cell.seed for cell in planned]
    with open_run(result.folder, write=False) as store:
        spec_key = spec_keys(read_manifest(store))
        seeds = [conversation_seed(spec_key(cell)) for cell in store.cells()]
    assert seeds == [cell.seed for cell in planned]


def test_a_run_of_named_agents_is_gone_on_with_merged_and_compared(tmp_path: Path) -> None:
    for share in ("1/2", "2/2"):
        dragoman.run("sample:shop", "v1=literal", shard=share, out=tmp_path / f"part-{share[0]}")
    whole = tmp_path / "whole"
    merged = merge_runs([tmp_path / "part-1", tmp_path / "part-2"], whole, None, lambda: None)
    assert (merged.left, merged.conflicts) == (0, [])
    assert dragoman.resume(whole, shard="").episodes["agent"].unique().to_list() == ["v1"]
    dragoman.run("sample:shop", "v1=silent", out=tmp_path / "other")
    found = dragoman.compare(whole, tmp_path / "other", agents=["v1"]).frame
    assert found["agent_a"].unique().to_list() == found["agent_b"].unique().to_list() == ["v1"]


def test_runs_whose_agents_share_a_name_alone_are_not_merged(tmp_path: Path) -> None:
    dragoman.run("sample:shop", "v1=literal", limit=1, out=tmp_path / "a")
    dragoman.run("sample:shop", "v1=silent", limit=1, out=tmp_path / "b")
    with pytest.raises(StoreError):
        merge_runs([tmp_path / "a", tmp_path / "b"], tmp_path / "out", None, lambda: None)


def test_functions_are_named_by_a_mapping(tmp_path: Path) -> None:
    def polite(messages: object, tools: object) -> str:
        return f"Sorry, no. {len(str(messages)) * 0}{tools is None}"

    result = dragoman.run(
        "sample:shop",
        agent={"v1": polite, "v2": lambda *_: "No.", "base": "literal"},
        limit=1,
        out=tmp_path / "run",
    )
    assert result.episodes["agent"].to_list() == ["v1", "v2", "base"]
    assert result.by("agent")["agent"].to_list() == ["v1", "v2", "base"]


def test_a_named_agent_whose_spec_is_gone_cannot_be_gone_on_with(tmp_path: Path) -> None:
    dragoman.run("sample:shop", {"v1": lambda *_: "No."}, limit=1, out=tmp_path / "run")
    with pytest.raises(UsageError, match="has no attribute"):
        resume_job(tmp_path / "run")
