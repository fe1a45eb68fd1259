"""The agent's knowledge of its user, set on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
TASKS = ("--tasks", "fifteen-or-fifty,saturday-morning,hold-until-after-work")
CONTEXT = {
    "age": "N/A",
    "gender": "N/A",
    "articulation_skill": 3,
    "language_understanding_skill": 6,
    "technical_skill": 4,
    "frustration_level": 2,
    "persona": "Mixes up numbers.",
    "reasoning": "Put a number right.",
}


@pytest.mark.slow
def test_an_agent_that_is_told_the_card_passes_what_it_loses_without(run_json: RunJson) -> None:
    grid = ("--persona", "none,hard", "--exposure", "0,1", "--agent", "literal,attentive")
    found = run_json("run", "courier", *TASKS, *grid, "--trials", 2, "--out", "here")
    rates = {
        (cell["axes"]["persona"], cell["axes"]["exposure"], cell["agent"]): cell["pass_hat"]["1"]
        for cell in found["cells"]
    }
    assert rates["hard", "0", "attentive"] == rates["hard", "0", "literal"] < 1
    assert rates["hard", "1", "literal"] == rates["hard", "0", "literal"]
    assert rates["hard", "1", "attentive"] == rates["none", "1", "attentive"] == 1
    compared = run_json("compare", "here", "--by", "exposure")["comparisons"]
    assert {tuple(entry["differs"]) for entry in compared} == {("exposure",)}


def test_the_agents_own_model_is_asked_about_its_user_and_told(
    run_json: RunJson, dragoman: Cli
) -> None:
    rules = RuleAnswers(
        [
            Rule(
                ScriptedReply(content=json.dumps(CONTEXT)),
                When(last_role="user", contains="</conversation>"),
            ),
            Rule(ScriptedReply(content="What is your phone, and what is your postcode?")),
        ]
    )
    with ModelServer(rules) as server:
        agent = f"compatible/agent?base_url={server.url}"
        options = ("--agent", agent, "--exposure", "2", "--persona", "chatty")
        one = ("--tasks", "saturday-morning", "--max-steps", 12, "--out", "here")
        found = run_json("run", "courier", *options, *one)
    purposes = {entry["purpose"] for entry in found["usage"]}
    assert "user context" in purposes
    shown = run_json("show", "here", "saturday-morning")["episode"]
    assert shown["contexts"][0]["about"] == CONTEXT
    assert "Mixes up numbers." in shown["briefed"][0]["text"]
    assert shown["briefed"][0]["at"] == shown["contexts"][0]["at"]
    printed = dragoman("show", "here", "saturday-morning").stdout
    assert "inferred" in printed
    assert "articulation skill: 3" in printed


def test_agents_without_a_model_are_left_out_and_said_to_be(run_json: RunJson) -> None:
    found = run_json("run", "courier", *TASKS, "--agent", "literal,gold", "--exposure", "0,2")
    assert {cell["axes"].get("exposure") for cell in found["cells"]} == {None}
    assert list(found["not_applicable"]) == [
        "en/text/none/exposure=2, agent literal",
        "en/text/none/exposure=2, agent gold",
    ]
    assert "2+PROVIDER/MODEL names one, 2+rules needs none" in next(
        iter(found["not_applicable"].values())
    )


def test_another_model_infers_for_agents_that_have_none(run_json: RunJson, folder: Path) -> None:
    (folder / "model.json").write_text(json.dumps({"*": [{"content": json.dumps(CONTEXT)}]}))
    exposure = ("--exposure", "2+scripted/model.json", "--persona", "elderly")
    one = ("--agent", "careful", "--tasks", "saturday-morning", "--out", "here")
    run_json("run", "courier", *exposure, *one)
    contexts = run_json("show", "here", "saturday-morning")["episode"]["contexts"]
    assert {entry["model"] for entry in contexts} == {"scripted/model.json"}


def test_rules_infer_where_no_model_is_asked_and_every_page_says_so(
    run_json: RunJson, dragoman: Cli
) -> None:
    grid = ("--agent", "careful", "--exposure", "2+rules", "--persona", "elderly")
    one = ("--tasks", "saturday-morning", "--out", "here")
    found = run_json("run", "courier", *grid, *one)
    assert found["usage"] == []
    episode = run_json("show", "here", "saturday-morning")["episode"]
    assert {entry["about"]["inferred_by"] for entry in episode["contexts"]} == {"rules"}
    assert "rules-1@" in dragoman("show", "here", "saturday-morning").stdout


def test_rules_infer_nothing_of_users_whose_language_they_do_not_know(
    refused: Refused, folder: Path
) -> None:
    (folder / "ms.toml").write_text((EXAMPLES / "ms.toml").read_text("utf-8"), "utf-8")
    options = ("--language", "ms.toml", "--scenario", "interaction", "--exposure", "2+rules")
    line = refused("run", "courier", "--agent", "literal", *options, status=2)
    assert "the rules know no words of ms: they know en, vi, th, id, tl, zh" in line


def test_cells_in_which_nothing_is_told_are_those_of_runs_without_the_option(
    run_json: RunJson,
) -> None:
    def keys(*options: str) -> set[str]:
        planned = run_json("run", "sample:shop", "--agent", "gold", *options, "--dry-run")
        return {cell["key"] for cell in planned["cells"]}

    assert keys() == keys("--exposure", "0")
    assert keys() < keys("--exposure", "0,1")


@pytest.mark.parametrize("value", ["3", "2+", "2+rule", "1+openai/gpt-4.1"])
def test_what_is_no_exposure_is_refused(value: str, refused: Refused) -> None:
    line = refused("run", "sample:shop", "--agent", "gold", "--exposure", value, status=2)
    assert f"--exposure {value}: choose 0 (nothing), 1 (the card), 2 " in line
