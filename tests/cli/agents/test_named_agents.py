"""Names of agents on the command line, and their use in place of an agent."""

from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you with that."))])) as serving:
        yield serving


def test_commands_show_and_choose_an_agent_by_its_name(
    dragoman: Cli, run_json: RunJson, folder: Path, server: ModelServer
) -> None:
    spec = f"compatible/m?base_url={server.url}"
    options = ("--limit", 1, "--agent", f"v1={spec},v2={spec}&temperature=0", "--out", "mine")
    run = run_json("run", "sample:shop", *options)
    assert [cell["agent"] for cell in run["cells"]] == ["v1", "v2"]
    compared = run_json("compare", "mine", "--agent", "v1", "--versus", "v2")
    assert compared["comparisons"][0]["a"]["agent"] == "v1"
    shown = dragoman("show", "mine", "larger-jacket", "--agent", "v2")
    assert shown.stdout.startswith("sample:shop, task larger-jacket, trial 0, en/text/none, v2")
    assert dragoman("export", "mine", "--to", "jsonl", "--out", "rows", "--agent", "v2").stdout
    (rows,) = (folder / "rows").iterdir()
    assert '"v2"' in rows.read_text()
    assert "127.0.0.1" not in rows.read_text()
    assert dragoman("resume", "mine").returncode == 0


def test_a_grid_file_names_agents(run_json: RunJson, folder: Path) -> None:
    (folder / "grid.toml").write_text(
        'suite = "sample:shop"\nagents = ["v1=literal", "v2=silent"]\nlimit = 1\n'
    )
    planned = run_json("run", "grid.toml", "--dry-run")
    assert [cell["agent"] for cell in planned["cells"]] == ["v1", "v2"]


@pytest.mark.parametrize(
    ("agents", "why"),
    [
        ("v1=gold,v1=literal", "two agents are called 'v1': give each a name of its own"),
        ("gold=literal", "gold=: gold is an agent that ships: choose another name"),
        ("a b=gold", "'a b'= is not a name of an agent"),
        ("v1=", "v1= names no agent: write v1=PROVIDER/MODEL"),
        ("v1=nobody", "unknown agent 'nobody'"),
    ],
)
def test_what_cannot_be_a_name_is_refused(refused: Refused, agents: str, why: str) -> None:
    assert why in refused("run", "sample:shop", "--agent", agents, status=2)


@pytest.mark.parametrize(
    "options",
    [
        ("--user", "v2=offline"),
        ("--user", "v2=openai/m"),
        ("--user", "v2=module:function"),
        ("--judge", "v2=rule"),
        ("--judge", "v2=openai/m"),
        ("--user-judge", "v2=openai/m"),
        ("--clarify", "v2=openai/m"),
        ("--exposure", "2+v2=openai/m", "--persona", "easy"),
        ("--embeddings", "v2=openai/m"),
        ("--voice", "studio", "--asr", "v2=openai/m"),
        ("--voice", "studio", "--speaker", "v2=openai/alloy?model=tts-1"),
    ],
)
def test_who_is_no_agent_has_no_name(refused: Refused, options: tuple[str, ...]) -> None:
    line = refused("run", "sample:shop", "--agent", "gold", *options, status=2)
    assert line == "dragoman: v2=: only an agent is given a name: leave v2= out"


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/chat/completions", "/v1/completions", "/v1/responses", "/api/chat"]
)
@pytest.mark.parametrize("option", ["--agent", "--user", "--judge", "--user-judge"])
def test_the_address_of_a_model_server_tells_the_right_form(
    refused: Refused, folder: Path, server: ModelServer, option: str, path: str
) -> None:
    host = server.url.removesuffix("/v1")
    given = {"--agent": "gold", "--user": "offline", option: f"{host}{path}"}
    words = [word for pair in given.items() for word in pair]
    line = refused("run", "sample:shop", *words, status=2)
    assert f"write compatible/MODEL?base_url={host}/v1" in line
    assert server.log.outcomes == {}
    assert not (folder / "runs").exists()
