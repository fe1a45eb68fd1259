"""Error tags on the command line: HTTP judges that work and HTTP judges that misbehave."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Spoil = Callable[[list[dict[str, Any]]], str]

LINE = re.compile(r"^\[turn (\d+)\] (agent|user)(?:: | calls )(.*)$", re.MULTILINE)


def as_it_is(turns: list[dict[str, Any]]) -> str:
    return json.dumps({"turns": turns})


def with_an_invented_quote(turns: list[dict[str, Any]]) -> str:
    turns[-1]["errors"] = [error("agent", "minor", ["other"], "what nobody ever said")]
    return as_it_is(turns)


MISBEHAVIOURS: dict[str, tuple[Spoil, str]] = {
    "half": (lambda turns: as_it_is(turns[: len(turns) // 2]), "turns not answered"),
    "nowhere": (
        lambda turns: as_it_is([*turns, {**turns[0], "turn": 99}]),
        "of turn 99, which nobody asked about",
    ),
    "inventing": (with_an_invented_quote, "quote not in the conversation"),
    "prose": (lambda _: "All of it went well.", "not the JSON asked for"),
    "nothing": (lambda _: "", "judge failed"),
}


def error(side: str, severity: str, tags: list[str], quote: str) -> dict[str, Any]:
    return {"severity": severity, "tags": tags, "why": f"the {side} erred", "quote": quote}


class Judge:
    """A judge that finds a critical error in each agent's last turn.

    It also finds a minor error in the user's first turn. For a silent agent it quotes the first
    turn. A model that is named after a misbehaviour misbehaves until it is corrected.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.is_mended = False

    def __call__(self, request: ChatBody) -> CannedReply:
        self.calls.append(request.model)
        said: dict[int, tuple[str, str]] = {}
        for turn, side, text in LINE.findall(request.messages[-1].text):
            said.setdefault(int(turn), (side, text))
        greeting = next(iter(said.values()))[1]
        turns: list[dict[str, Any]] = [
            {"turn": turn, "by": side, "errors": []} for turn, (side, _) in said.items()
        ]
        for side, severity, tags in (
            ("agent", "critical", ["Missed required action", "policy violation"]),
            ("user", "minor", ["hallucination"]),
        ):
            own = [entry for entry in turns if entry["by"] == side]
            entry = own[-1] if side == "agent" else own[0]
            own_words = said[entry["turn"]][1]
            quote = own_words if re.search(r"\w", own_words) else greeting
            entry["errors"] = [error(side, severity, tags, quote)]
        spoil, _ = MISBEHAVIOURS.get(request.model, (as_it_is, ""))
        return CannedReply((as_it_is if self.is_mended else spoil)(turns))


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def server(judge: Judge) -> Iterator[str]:
    with ModelServer(judge) as running:
        yield running.url


@pytest.fixture
def cli(folder: Path, in_process: Cli) -> Cli:
    """Run a command in a folder with a run of two tasks by two agents."""
    agents = ("--agent", "gold", "--agent", "silent")
    options = (*agents, "--tasks", "two-swaps,larger-jacket", "--out", "mine")
    done = in_process("run", "sample:shop", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return lambda *words: in_process(*words, cwd=folder)


@pytest.fixture
def score(cli: Cli, server: str) -> Callable[..., None]:
    """Have models of these names judge the run."""

    def call(*models: str, repeat: int = 1) -> None:
        named = ",".join(f"compatible/{model}?base_url={server}" for model in models)
        asked = ("--rubric", "errors@1", "--judge", named, "--repeat", repeat)
        done = cli("score", "mine", *map(str, asked))
        assert done.returncode == 0, done.stderr

    return call


def summary(cli: Cli, *words: str) -> dict[str, Any]:
    done = cli("errors", "mine", *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_unknown_words_are_unscored_and_read_by_the_lenient_rules(
    cli: Cli, score: Callable[..., None]
) -> None:
    score("m", repeat=2)

    strict = summary(cli, "--by", "agent")
    assert {group["judge"].partition(",")[0][-2:] for group in strict["judged"]} >= {"#2"}
    first = strict["judged"][0]
    assert (first["values"], first["suite"]) == ({"agent": "gold"}, "sample:shop")
    agent, user = first["sides"]
    assert (agent["critical"]["count"], agent["critical"]["n"], agent["unscored"]) == (2, 2, 0)
    assert agent["tags_unscored"] == 2
    assert {tag["critical"]["n"] for tag in agent["tags"]} == {0}
    (reported,) = (tag for tag in user["tags"] if tag["tag"] == "hallucination")
    assert (reported["minor"]["count"], reported["minor"]["n"]) == (2, 2)
    audit = {
        row["written"]: (row["errors"], row["read_as"], row["lenient"]) for row in strict["audit"]
    }
    assert audit == {
        "Missed required action": (4, "missed_required_action", "missed_required_action"),
        "policy violation": (
            4,
            "unscored: is not a tag of the agent",
            "guideline_violation",
        ),
        "hallucination": (4, "hallucination", "hallucination"),
    }

    lenient = summary(cli, "--tag-rules", "dragoman-error-tags-2-lenient")
    agent = lenient["judged"][0]["sides"][0]
    assert agent["tags_unscored"] == 0
    counted = {tag["tag"]: tag["critical"]["count"] for tag in agent["tags"]}
    assert {name for name, count in counted.items() if count} == {
        "guideline_violation",
        "missed_required_action",
    }


@pytest.mark.parametrize("model", MISBEHAVIOURS)
def test_a_judge_that_misbehaves_leaves_conversations_unscored_until_it_is_asked_again(
    cli: Cli, score: Callable[..., None], judge: Judge, model: str
) -> None:
    score(model)

    (group,) = summary(cli, "--by", "language")["judged"]
    assert sum(group["unscored"].values()) == 4
    assert all(MISBEHAVIOURS[model][1] in why for why in group["unscored"])
    for figures in group["sides"]:
        assert (figures["unscored"], figures["tags_unscored"]) == (4, 4)
        assert figures["critical"] == {"count": 0, "n": 0, "interval": None}
    shown = cli("errors", "mine").stdout
    assert re.search(r"4 unscored: judge failed|2 unscored: judge failed", " ".join(shown.split()))

    judge.is_mended = True
    asked = len(judge.calls)
    score(model)
    (group,) = summary(cli, "--by", "language")["judged"]
    assert group["unscored"] == {}
    assert len(judge.calls) > asked
    asked = len(judge.calls)
    score(model)
    assert len(judge.calls) == asked, "what was judged is not judged again"


def test_failure_modes_and_tags_stand_beside_each_other(
    cli: Cli, score: Callable[..., None]
) -> None:
    score("m")
    assert summary(cli)["modes"] == []
    assert cli("score", "mine", "--measure", "modes").returncode == 0

    found = summary(cli, "--by", "agent", "--tag-rules", "dragoman-error-tags-2-lenient")
    gold, silent = found["modes"]
    assert gold["board"]["modes"] == []
    missed = {mode["subject"]: mode["mode"] for mode in silent["board"]["modes"]}
    assert missed["get_order_details"] == "not called"
    assert set(missed.values()) == {"not called"}
    tag_agreements = {
        (group["values"]["agent"], agreement["tag"]): agreement
        for group in found["judged"]
        for agreement in group["twins"]
    }
    assert tag_agreements["silent", "missed_required_action"]["both"] == 2
    assert tag_agreements["gold", "missed_required_action"]["tag_alone"] == 2
    shown = " ".join(cli("errors", "mine").stdout.split())
    assert "dragoman show mine larger-jacket --trial 0 --agent silent" in shown
    assert "tags as they were written" in shown


def test_several_runs_are_read_together_and_a_judge_has_the_groups_that_it_was_asked_about(
    cli: Cli, score: Callable[..., None]
) -> None:
    score("m")
    options = ("--agent", "gold", "--tasks", "return-poles", "--out", "other")
    assert cli("run", "sample:shop", *options).returncode == 0
    assert cli("score", "other", "--measure", "modes").returncode == 0
    found = json.loads(cli("errors", "mine", "other", "--by", "agent", "--json").stdout)
    judged = {group["values"]["agent"]: group for group in found["judged"]}
    assert judged["gold"]["sides"][0]["conversations"] == 3
    assert judged["gold"]["unscored"] == {"not judged": 1}
    assert [group["board"]["unscored"] for group in found["modes"]] == [
        {"not measured": 2},
        {"not measured": 2},
    ]
    options = ("--agent", "careful", "--tasks", "too-late", "--out", "third")
    assert cli("run", "sample:shop", *options).returncode == 0
    found = json.loads(cli("errors", "mine", "third", "--by", "agent", "--json").stdout)
    assert {group["values"]["agent"] for group in found["judged"]} == {"gold", "silent"}


def test_all_tables_are_written_as_markdown_and_csv(
    cli: Cli, score: Callable[..., None], folder: Path
) -> None:
    score("m", "half")
    cli("score", "mine", "--measure", "modes")
    done = cli("errors", "mine", "--out", "e.md", "--out", "e.csv")
    assert done.returncode == 0, done.stderr
    text = (folder / "e.md").read_text()
    assert "errors of the user by tag" in text.replace("\\", "")
    with (folder / "e.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["table"] for row in rows} == {"severity", "tag", "agreement", "mode", "audit"}
    critical = [
        (row["count"], row["n"], row["unscored"])
        for row in rows
        if (row["table"], row["side"], row["kind"]) == ("severity", "agent", "critical")
    ]
    assert sorted(critical) == [("0", "0", "2"), ("0", "0", "2"), ("2", "2", "0"), ("2", "2", "0")]


def test_every_reported_error_is_exported_as_the_judge_wrote_it(
    cli: Cli, score: Callable[..., None], folder: Path
) -> None:
    assert cli("export", "mine", "--to", "csv", "--out", "before").returncode == 0
    with (folder / "before" / "errors.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == []
    score("m")
    done = cli("export", "mine", "--to", "csv", "--out", "after")
    assert done.returncode == 0, done.stderr
    with (folder / "after" / "errors.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 3, "two tags of the agent's error and one of the user's"
    (found,) = (
        row
        for row in rows
        if (row["agent"], row["task"], row["tag"]) == ("gold", "two-swaps", "policy violation")
    )
    assert (found["by"], found["severity"], found["why"]) == (
        "agent",
        "critical",
        "the agent erred",
    )
    assert found["quote"]
    assert found["language"] == "en"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "nothing was measured: `dragoman score mine --measure modes`"),
        (("--out", "e.pdf"), "--out e.pdf: neither .md nor .csv"),
        (("--tag-rules", "kind"), "kind"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    cli: Cli, words: tuple[str, ...], why: str
) -> None:
    done = cli("errors", "mine", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
