"""Ends of conversations: near-miss stop words, silent users, and calls in words."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.runs.manifest import read_manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun
from dragoman.store.run_store import create_run, open_run

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

TASK = "where-is-my-parcel"
RUN = ("run", "courier", "--tasks", TASK, "--no-cache")

TALK = """
said = iter({user!r})


def user(messages, tools):
    return next(said, {last!r})


def agent(messages, tools):
    return {agent!r}
"""


@pytest.fixture
def talk(run_json: RunJson, folder: Path) -> RunJson:
    """Play one conversation and return the run's object; the last words of the user repeat."""

    def play(
        user: list[str], *options: str, agent: str = "Anything else?", out: str = "mine"
    ) -> Any:  # noqa: ANN401 - whatever JSON holds
        module = f"talk_{out}"
        source = TALK.format(user=user[:-1], last=user[-1], agent=agent)
        (folder / f"{module}.py").write_text(source, "utf-8")
        names = ("--agent", f"{module}:agent", "--user", f"{module}:user")
        return run_json(*RUN, *names, *options, "--out", out)

    return play


@pytest.mark.parametrize(
    "written", ["### STOP###", "**###STOP###**", "###stop###", "###STOP###.", "<STOP>"]
)
def test_a_token_that_is_almost_right_ends_the_conversation_and_is_noted(
    talk: RunJson, run_json: RunJson, dragoman: Cli, written: str
) -> None:
    (cell,) = talk(["Where is my parcel?", f"Thank you. {written}"])["cells"]

    assert (cell["endings"], cell["near_tokens"], cell["invalid"]) == ({"user_stop": 1}, 1, 0)
    shown = run_json("show", "mine", TASK)
    assert shown["episode"]["ending"] == {"reason": "user_stop", "near_token": written}
    last = shown["episode"]["events"][-1]
    assert last["near_token"] == written
    assert last["reply"]["utterance"]["intended"] == "Thank you. ###STOP###"
    printed = dragoman("show", "mine", TASK).stdout
    assert f'the stop token was written "{written}"' in " ".join(printed.split())


@pytest.mark.parametrize("rules", ["dragoman-1", "tau2-1.0.1"])
def test_under_earlier_rules_and_the_references_it_is_words_for_the_agent(
    talk: RunJson, run_json: RunJson, rules: str
) -> None:
    options = ("--rules", rules, "--max-steps", "6")
    (cell,) = talk(["Where is my parcel?", "### STOP###"], *options)["cells"]

    assert (cell["rules"], cell["endings"]) == (rules, {"max_steps": 1})
    assert cell["near_tokens"] == 0
    events = run_json("show", "mine", TASK)["episode"]["events"]
    assert [event for event in events if "near_token" in event] == []
    assert events[-1]["reply"]["utterance"] == {"intended": "Anything else?"} or (
        events[-1]["reply"]["utterance"] == {"intended": "### STOP###"}
    )


@pytest.mark.parametrize("silence", ["", " \n", "...", "\u200b", "###END###"])
def test_a_user_who_says_nothing_twice_is_an_invalid_user(
    talk: RunJson, run_json: RunJson, silence: str
) -> None:
    (cell,) = talk(["Where is my parcel?", silence])["cells"]

    assert cell["endings"] == {"user_error": 1}
    assert cell["ending_details"] == {"user_error": "the user said nothing, twice"}
    assert (cell["invalid"], cell["tasks"]) == (1, 0)
    assert cell["unscored"] == {"the user simulator failed: the user said nothing, twice": 1}
    words = [
        event["reply"].get("utterance", {}).get("intended")
        for event in run_json("show", "mine", TASK)["episode"]["events"]
    ]
    assert words.count("Anything else?") == 1


def test_a_user_who_says_nothing_once_is_asked_again_and_goes_on(
    talk: RunJson, run_json: RunJson
) -> None:
    (cell,) = talk(["Where is my parcel?", "", "Thank you.", "###STOP###"])["cells"]

    assert (cell["endings"], cell["invalid"]) == ({"user_stop": 1}, 0)
    events = run_json("show", "mine", TASK)["episode"]["events"]
    assert [event.get("asked_again", False) for event in events if event["by"] == "user"] == [
        False,
        True,
        False,
    ]


def test_under_the_first_version_signs_alone_go_to_the_agent(talk: RunJson) -> None:
    options = ("--rules", "dragoman-1", "--max-steps", "6")
    (cell,) = talk(["Where is my parcel?", "..."], *options)["cells"]

    assert (cell["endings"], cell["invalid"]) == ({"max_steps": 1}, 0)


LEAKED = '<tool_call>{"name": "track_parcel", "arguments": {}}</tool_call>'


def test_replies_that_look_like_calls_are_counted_and_said_once(
    talk: RunJson, run_json: RunJson, dragoman: Cli
) -> None:
    found = talk(["Where is my parcel?", "And now?", "###STOP###"], agent=LEAKED)

    assert found["cells"][0]["calls_in_text"] == 2
    assert found["warnings"] == [
        "talk_mine:agent: 2 replies look like tool calls in text: is the server's tool parser on?"
    ]
    assert dragoman("resume", "mine").stdout.count("look like tool calls") == 1
    assert run_json("show", "mine", TASK)["episode"]["calls_in_text"] == 2


def test_words_are_not_counted_as_calls(talk: RunJson) -> None:
    found = talk(["Where is it?", "###STOP###"], agent="I call track_parcel next.")
    assert (found["cells"][0]["calls_in_text"], found["warnings"]) == (0, [])


def test_runs_of_two_versions_are_compared_once_they_are_scored_alike_and_that_is_said(
    talk: RunJson, run_json: RunJson, dragoman: Cli
) -> None:
    talk(["Where is it?", "###STOP###"], "--rules", "dragoman-1", out="a")
    talk(["Where is it?", "###STOP###"], out="b")

    refused = dragoman("compare", "a", "b")
    assert refused.returncode != 0
    assert "rules dragoman-1 with judge none and by rules dragoman-2 with judge none" in (
        " ".join(refused.stderr.split())
    )
    run_json("score", "a", "--rules", "dragoman-2")
    notes = run_json("compare", "a", "b")["notes"]
    assert "rules of play differ: dragoman-1 in A, dragoman-2 in B" in notes


def test_score_says_which_scoring_other_commands_read_if_it_is_not_the_requested_one(
    talk: RunJson, dragoman: Cli
) -> None:
    talk(["Where is it?", "###STOP###"], "--rules", "dragoman-1")
    notice = (
        "show, table and other commands read the newest scoring (rules dragoman-2); "
        "for the scores above, give them --rules dragoman-1"
    )
    assert notice not in dragoman("score", "mine", "--rules", "dragoman-2").stderr

    assert notice in dragoman("score", "mine", "--rules", "dragoman-1").stderr
    assert notice not in dragoman("score", "mine", "--rules", "dragoman-1", "--quiet").stderr


def test_a_run_keeps_its_rules_when_it_is_scored_and_resumed(
    talk: RunJson, run_json: RunJson
) -> None:
    talk(["Where is it?", "###STOP###"], "--rules", "dragoman-1")
    assert {cell["rules"] for cell in run_json("score", "mine")["cells"]} == {"dragoman-1"}
    assert {cell["rules"] for cell in run_json("resume", "mine")["cells"]} == {"dragoman-1"}


def test_a_run_whose_record_names_no_rules_was_played_under_the_first_version(
    talk: RunJson, run_json: RunJson, folder: Path
) -> None:
    talk(["Where is it?", "###STOP###"], "--rules", "dragoman-1")
    with open_run(folder / "mine", write=False) as store:
        manifest, cells, tasks = json.loads(store.manifest()), store.cells(), store.tasks()
        episodes = [StoredEpisode(key, 0, episode) for key, _, episode in store.episodes()]
    assert manifest["config"].pop("rules") == "dragoman-1"
    new = NewRun(json.dumps(manifest).encode(), cells, tasks)
    create_run(folder / "older", new, episodes).close()

    assert {cell["rules"] for cell in run_json("score", "older", "--trust")["cells"]} == {
        "dragoman-1"
    }
    with open_run(folder / "older", write=False) as store:
        assert read_manifest(store).config.rules == "dragoman-1"


def test_a_new_run_names_its_rules_in_its_record(talk: RunJson, folder: Path) -> None:
    talk(["Where is it?", "###STOP###"])
    with open_run(folder / "mine", write=False) as store:
        assert json.loads(store.manifest())["config"]["rules"] == "dragoman-2"
