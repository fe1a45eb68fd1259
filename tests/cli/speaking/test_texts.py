"""`dragoman speak`: the texts of audio sets, their whitelists and their card."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

SPEAK = ("speak", "courier", "--texts-only", "--out")


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "texts.jsonl").read_bytes().splitlines()]


def script(folder: Path, answer: object) -> str:
    reply = [{"content": json.dumps(answer)}]
    (folder / "script.json").write_text(json.dumps({"*": reply}), "utf-8")
    return "scripted/script.json"


def test_a_set_says_of_every_message_how_its_values_are_found(
    run_json: RunJson, folder: Path
) -> None:
    card = run_json(*SPEAK, "set")
    counts = card["categories"]["courier"]
    assert (counts["messages"], counts["lost"]) == (33, 0)
    assert sum(counts["found"].values()) == counts["values"] > 20

    saturday = next(
        line
        for line in lines(folder / "set")
        if line["spoken"]["message"]["task"] == "saturday-morning"
    )
    assert saturday["whitelist"]["topics"] == {"day": "Saturday morning"}
    (proof,) = saturday["spoken"]["proof"]
    assert (proof["topic"], proof["how"]) == ("day", "exactly")
    assert run_json("speak", "--verify", "set") == {
        "set": "set",
        "problems": [],
        "unchecked": [],
    }


@pytest.mark.nightly
def test_a_sample_has_whole_tasks_and_all_that_a_smaller_one_has(
    run_json: RunJson, refused: Refused, folder: Path
) -> None:
    drawn: list[dict[str, dict[str, Any]]] = []
    for count in (4, 9):
        card = run_json(*SPEAK, f"of-{count}", "--sample", str(count))
        assert card["categories"]["courier"]["messages"] == count
        drawn += [
            {each["spoken"]["message"]["task"]: each for each in lines(folder / f"of-{count}")}
        ]
        assert run_json("speak", "--verify", f"of-{count}")["problems"] == []
    smaller, larger = drawn
    assert smaller.items() <= larger.items()
    assert "holds a set with another sample" in refused(*SPEAK, "of-4", status=2)
    assert "a number of tasks, or 0 for all" in refused(*SPEAK, "none", "--sample", "-1", status=2)


@pytest.mark.slow
def test_a_set_that_was_cut_off_goes_on_to_the_same_bytes(run_json: RunJson, folder: Path) -> None:
    run_json(*SPEAK, "set")
    texts, card = folder / "set" / "texts.jsonl", folder / "set" / "card.json"
    whole = texts.read_bytes(), card.read_bytes()
    for kept in (0, 1, len(whole[0]) // 2, len(whole[0]) - 1):
        texts.write_bytes(whole[0][:kept])
        card.unlink()
        run_json(*SPEAK, "set")
        assert (texts.read_bytes(), card.read_bytes()) == whole


def test_the_table_counts_values_by_how_they_are_found(dragoman: Cli) -> None:
    printed = dragoman(*SPEAK, "set", COLUMNS="120").stdout
    assert "category" in printed
    assert "in words" in printed
    assert "courier" in printed
    assert "values by dragoman-values-1, words by dragoman-verbalization-2" in printed


def test_a_set_that_was_changed_is_found_out(
    run_json: RunJson, dragoman: Cli, folder: Path
) -> None:
    run_json(*SPEAK, "set")
    texts = folder / "set" / "texts.jsonl"
    first, second, *others = texts.read_bytes().splitlines(keepends=True)
    texts.write_bytes(b"".join((first, second.replace(b"Saturday", b"Sunday", 2), *others)))
    found = dragoman("speak", "--verify", "set")
    assert found.returncode == 1
    assert "its card does not tell what is in it" in found.stdout

    texts.write_bytes(b"".join((first, *others)))
    found = dragoman("speak", "--verify", "set")
    assert "its 32 messages are not the 33 of courier" in found.stdout

    texts.write_bytes(first[:-9])
    assert "line 1: no line of a set" in dragoman("speak", "--verify", "set").stderr


def test_a_model_that_loses_values_is_not_believed_and_one_that_keeps_them_is(
    run_json: RunJson, folder: Path
) -> None:
    model = script(folder, {"said": "Um, on Saturday morning please."})
    run_json(*SPEAK, "set", "--rewriter", model)
    grades = {
        line["spoken"]["message"]["task"]: line["spoken"]["grade"] for line in lines(folder / "set")
    }
    assert grades["saturday-morning"] == "model"
    assert grades["fifteen-or-fifty"] != "model"
    reasons = json.loads((folder / "set" / "card.json").read_bytes())["reasons"]
    assert reasons["fifteen-or-fifty/0.0"][0] == "model: '50' not found again"
    assert run_json("speak", "--verify", "set")["problems"] == []


def test_topics_that_a_model_named_stand_beside_those_of_the_gold_calls(
    run_json: RunJson, folder: Path
) -> None:
    run_json(*SPEAK, "set", "--topics", script(folder, {"topics": {"day": "weekday"}}))
    found = {line["spoken"]["message"]["task"]: line["whitelist"] for line in lines(folder / "set")}
    assert found["saturday-morning"] == {
        "topics": {"day": "Saturday morning"},
        "named": {"weekday": "Saturday morning"},
    }
    assert found["fifteen-or-fifty"]["why"] == "topic 'day' is invented"


def repeated(request: ChatBody) -> CannedReply:
    """Say a text as it was typed."""
    text = json.loads(request.messages[-1].text)["text"]
    return CannedReply(json.dumps({"said": text}))


def test_a_spent_budget_leaves_what_came_and_the_same_command_goes_on(
    run_json: RunJson, dragoman: Cli, folder: Path
) -> None:
    with ModelServer(repeated) as server:
        model = f"compatible/any?base_url={server.url}"
        asked = (*SPEAK, "set", "--rewriter", model, "--concurrency", "1")
        stopped = dragoman(*asked, "--max-cost", "500 tokens")
        assert stopped.returncode == 1
        assert "the same command continues" in stopped.stderr
        before = lines(folder / "set")
        assert 0 < len(before) < 33
        card = run_json(*asked)
    assert lines(folder / "set")[: len(before)] == before
    assert card["categories"]["courier"]["grades"] == {"model": 33}
    assert card["usage"][0]["calls"] == 33


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("courier",), "name the set's folder with --out SET"),
        ((*SPEAK[1:], "set", "--concurrency", "0"), "--concurrency 0: at least 1"),
        (("--texts-only", "--out", "set"), "no suite: name one"),
        (("sample:shop", "--texts-only", "--out", "set"), "its users' words are not fixed"),
        (("none", "--texts-only", "--out", "set"), "unknown suite 'none'"),
    ],
)
def test_what_cannot_be_spoken_is_one_line(
    refused: Refused, arguments: tuple[str, ...], why: str
) -> None:
    assert why in refused("speak", *arguments, status=2)


def test_a_folder_with_another_set_is_refused(run_json: RunJson, refused: Refused) -> None:
    run_json(*SPEAK, "set")
    line = refused(*SPEAK, "set", "--seed", "2", status=2)
    assert "set holds a set with another seed (1, not 2): name another folder" in line


def test_a_folder_without_a_set_cannot_be_verified(refused: Refused) -> None:
    assert "settings.json: cannot be read" in refused("speak", "--verify", "none", status=1)
