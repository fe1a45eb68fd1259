"""The bundled world's tasks from the command line: agents that know the plan, words, and nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]


@pytest.mark.slow
def test_gold_lexical_and_silent_stand_in_their_order(in_process: Cli, tmp_path: Path) -> None:
    done = in_process(
        "run", "itc:world", "--agent", "gold,lexical,silent", "--out", "run", "--json", cwd=tmp_path
    )
    found = json.loads(done.stdout)
    rates = {cell["agent"]: cell["pass_hat"]["1"] for cell in found["cells"]}
    assert rates["gold"] == 1.0
    assert 0.0 < rates["lexical"] < 0.5
    assert rates["silent"] == 0.0
    shares = [
        row["value"]
        for row in found["measures"]
        if row["agent"] == "lexical"
        and row["figure"] in {"hallucinated", "missing", "extra", "wrong"}
    ]
    assert sum(shares) == pytest.approx(2.0)


def test_a_part_has_one_language_and_others_are_named(in_process: Cli, tmp_path: Path) -> None:
    done = in_process("run", "itc:world/xx", "--agent", "gold", cwd=tmp_path)
    assert done.returncode == 2
    assert "it has no queries in 'xx', but in" in done.stderr
    unknown = in_process("run", "itc:nowhere", "--agent", "gold", cwd=tmp_path)
    assert unknown.returncode == 2
    assert "unknown suite 'itc:nowhere'" in unknown.stderr


@pytest.fixture(scope="module")
def played(in_process: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("itc")
    in_process("run", "itc:world/pt", "--agent", "gold,silent", "--out", "run", cwd=folder)
    return folder


def test_the_leaderboard_is_written_for_papers_and_programs(
    in_process: Callable[..., CompletedProcess[str]], played: Path
) -> None:
    outs = ("--out", "board.tex", "--out", "board.json")
    done = in_process("leaderboard", "run", "--style", "itc", *outs, cwd=played)

    assert done.returncode == 0, done.stderr
    assert r"\begin{tabular}" in (played / "board.tex").read_text("utf-8")
    assert json.loads((played / "board.json").read_text("utf-8"))["board"]["averaging"] == "macro"


def test_the_leaderboard_names_its_average_and_takes_tasks_apart(
    in_process: Cli, played: Path
) -> None:
    reported = in_process("leaderboard", "run", "--style", "itc", "--averaging", "seal", cwd=played)
    assert "Scores, seal" in reported.stdout
    assert "By language, seal" in reported.stdout
    assert "averaging: seal" in reported.stdout
    asked = (
        "leaderboard",
        "run",
        "--style",
        "itc",
        "--json",
        "--out",
        "board.csv",
        "--out",
        "board.md",
    )
    summary = json.loads(in_process(*asked, cwd=played).stdout)["board"]
    assert summary["averaging"] == "macro"
    assert {group["axis"] for group in summary["groups"]} == {
        "all", "language", "country", "category", "kind of call",
    }  # fmt: skip
    assert (
        (played / "board.csv").read_text().startswith("suite,agent,condition,by,group,part,figure,")
    )
    assert "Errors: shares that sum to 100" in (played / "board.md").read_text()


def test_what_does_not_go_with_the_board_is_one_line(in_process: Cli, played: Path) -> None:
    wrong = in_process("leaderboard", "run", "--style", "itc", "--averaging", "x", cwd=played)
    assert (wrong.returncode, "choose macro, micro, seal" in wrong.stderr) == (2, True)
    other = in_process("leaderboard", "run", "--averaging", "macro", cwd=played)
    assert (other.returncode, "goes with --style itc" in other.stderr) == (2, True)


ANSWERS = '''
def thinks(messages, tools):
    """Say what the function would be, in English, in the form that is asked for."""
    assert tools == []
    assert "Recherche d'adresse" in messages[0]["content"] or "as JSON:" in messages[0]["content"]
    if len(messages) > 2:
        return '{"Thought": "Nothing is left to be done for this request.", "Action": "[]"}'
    return 'Sure! {"Thought": "The request needs this function.", "Action": "[Nowhere(a=1)]"}'
'''


@pytest.mark.slow
def test_an_agent_of_ones_own_answers_with_thought_and_action(
    in_process: Cli, tmp_path: Path
) -> None:
    (tmp_path / "thinking.py").write_text(ANSWERS)
    agent = "thinking:thinks?calls=thought-action"
    done = in_process("run", "itc:world/pt", "--agent", agent, "--json", cwd=tmp_path)
    figures = {(row["part"], row["figure"]): row for row in json.loads(done.stdout)["measures"]}
    assert 0.0 <= figures["", "FM"]["value"] < 0.5
    assert figures["tool selection", "hallucinated"]["value"] > 0.0
    assert figures["", "LM lid.176"]["value"] == figures["", "LM langid"]["value"] == 0.0


@pytest.mark.nightly
def test_figures_in_the_docs_are_those_of_the_bundled_world(
    in_process: Cli, tmp_path: Path
) -> None:
    in_process("run", "itc:world", "--agent", "gold,lexical,silent", "--out", "run", cwd=tmp_path)
    reported = in_process("leaderboard", "run", "--style", "itc", "--json", cwd=tmp_path)
    page = (Path(__file__).parents[3] / "docs" / "reference" / "itc.md").read_text("utf-8")
    for group in json.loads(reported.stdout)["board"]["groups"]:
        if group["axis"] == "all":
            found = {(each["part"], each["name"]): each for each in group["figures"]}
            named = (("tool selection", "F1 macro"), ("tool invocation", "F1 macro"), ("", "exact"))
            cells = [_as_printed(found[each]) for each in named]
            assert f"| `{group['agent']}` | {' | '.join(cells)} | " in page


def _as_printed(figure: dict[str, Any]) -> str:
    low, high = figure["interval"]
    return f"{100 * figure['value']:.1f} [{100 * low:.0f}, {100 * high:.0f}]"
