"""Languages on the command line."""

import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman.cli.run as run_command
from dragoman.cli.output import set_mode
from dragoman.composition.setup import build_setup
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.config.run_config import RunConfig
from dragoman.runs.manifest import read_manifest
from dragoman.store.run_store import open_run

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

MALAY = Path(__file__).parents[3] / "docs" / "examples" / "ms.toml"


def localization(folder: Path) -> dict[str, LocalizationRecord]:
    with open_run(folder, write=False) as store:
        return read_manifest(store).localization_records


def test_a_run_in_other_languages_needs_no_artifacts_where_only_words_are_in_them(
    run_json: RunJson, folder: Path
) -> None:
    result = run_json(
        *("run", "sample:shop", "--agent", "gold", "--out", "r"),
        *("--language", "en", "--language", "vi", "--language", MALAY),
        *("--scenario", "interaction"),
    )
    assert [(cell["condition"], cell["pass_hat"]["1"]) for cell in result["cells"]] == [
        ("en/text/none", 1.0),
        ("vi:interaction/text/none", 1.0),
        ("ms:interaction/text/none", 1.0),
    ]
    kept = localization(folder / "r")
    assert list(kept) == ["vi:interaction/text/none", "ms:interaction/text/none"]
    assert kept["ms:interaction/text/none"].greeting.startswith("Hai!")


def test_the_languages_that_were_spoken_are_measured(run_json: RunJson) -> None:
    pytest.importorskip("fasttext")
    result = run_json(
        *("run", "sample:shop", "--agent", "gold", "--out", "r"),
        *("--language", "en", "--language", "vi", "--scenario", "interaction"),
    )
    figures = {
        (each["condition"], each["part"], each["figure"]): (each["value"], each["n"])
        for each in result["measures"]
        if each["measure"] == "language"
    }
    english, other = "en/text/none", "vi:interaction/text/none"
    turns = figures[english, "user", "in its language"][1]
    assert turns > 0
    assert figures[english, "user", "in its language"] == (1.0, turns)
    assert figures[other, "user", "in its language"] == (0.0, turns)
    assert figures[other, "user", "English"] == (1.0, turns)


def test_a_run_in_english_alone_says_nothing_of_languages(run_json: RunJson) -> None:
    measured = run_json("run", "sample:shop", "--agent", "gold")["measures"]
    assert {row["measure"] for row in measured} == {"reward"}


def test_a_run_in_other_languages_can_be_scored_again_and_resumed(
    run_json: RunJson, dragoman: Cli
) -> None:
    options = ("--language", "th", "--scenario", "interaction", "--out", "r")
    first = run_json("run", "sample:shop", "--agent", "gold", *options)
    again = run_json("score", "r", "--anew")
    assert again["cells"][0]["pass_hat"] == first["cells"][0]["pass_hat"]
    assert dragoman("resume", "r").returncode == 0


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--scenario", "domain"), "a scenario needs a --language"),
        (("--language", "xx", "--scenario", "tools"), "unknown language 'xx'"),
        (("--language", "th", "--scenario", "x"), "unknown scenario 'x'"),
        (("--language", "th", "--scenario", "tools"), "has no translated artifacts"),
        (("--language", "no.toml", "--scenario", "tools"), "no.toml: the language cannot be read"),
    ],
)
def test_a_mistake_is_one_line(dragoman: Cli, options: tuple[str, ...], what: str) -> None:
    done = dragoman("run", "sample:shop", "--agent", "gold", *options)
    assert done.returncode in {1, 2}
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("dragoman: ")
    assert what in line


def test_a_grid_file_names_languages(run_json: RunJson, folder: Path) -> None:
    (folder / "grid.toml").write_text(
        'suite = "sample:shop"\nagents = ["gold"]\nlanguages = ["th"]\nscenarios = ["interaction"]\n'
    )
    result = run_json("run", "grid.toml")
    assert [cell["condition"] for cell in result["cells"]] == ["th:interaction/text/none"]


def test_a_conversation_is_shown_in_the_condition_that_is_named(
    run_json: RunJson, dragoman: Cli
) -> None:
    options = ("--language", "en", "--language", "th", "--scenario", "interaction", "--out", "r")
    run_json("run", "sample:shop", "--agent", "gold", *options)
    unclear = dragoman("show", "r", "two-swaps")
    assert "choose --condition of en/text/none, th:interaction/text/none" in unclear.stderr
    shown = run_json("show", "r", "two-swaps", "--condition", "th:interaction/text/none")
    assert shown["episode"]["events"][0]["reply"]["utterance"]["intended"].startswith("สวัสดี")


def test_languages_and_scenarios_are_listed(dragoman: Cli) -> None:
    assert "Thai (ภาษาไทย)" in dragoman("list", "languages").stdout
    assert "domain" in dragoman("list", "scenarios").stdout


@pytest.mark.slow
def test_a_suite_is_proved_in_a_language(run_json: RunJson, translated: Path) -> None:
    options = ("--language", "vi", "--scenario", "domain", "--judge", "assume-met")
    found = run_json("check", "tau2:retail", *options, cache=translated)
    (check,) = found["checks"]
    assert (check["condition"], check["passed"], check["tasks"]) == (
        "vi:domain/text/none",
        114,
        114,
    )
    assert (check["failing"], check["other_states"], check["refused"]) == ([], [], [])
    assert check["labels"] == 2
    coverage = {part["kind"]: part for part in check["coverage"]}
    assert coverage["tools of the agent"]["english"] == 0
    assert coverage["results"]["english"] > 0
    assert coverage["policy"] == {"kind": "policy", "texts": 1, "english": 0, "places": {}}


@pytest.mark.slow
def test_a_run_is_not_scored_by_other_labels_than_those_it_was_played_with(
    dragoman: Cli, translated: Path, folder: Path
) -> None:
    (released,) = (translated / "dragoman" / "data" / "seataubench").glob("*/retail/id")
    own = folder / "own" / "retail" / "ms"
    shutil.copytree(released, own)
    options = ("--language", MALAY, "--scenario", "tools+policy", "--assets", "own", "--limit", "2")
    done = dragoman(
        "run", "tau2:retail", "--agent", "gold", *options, "--out", "r", cache=translated
    )
    assert done.returncode == 0, done.stderr
    assert dragoman("score", "r", "--anew", cache=translated).returncode == 0
    (own / "policy.md").write_text("# Dasar\n")
    changed = dragoman("score", "r", "--anew", cache=translated)
    assert "what ms:tools+policy/text/none looks like has changed" in changed.stderr
    assert dragoman("resume", "r", cache=translated).returncode == 1


@pytest.mark.slow
def test_what_the_release_lacks_is_told_with_the_run(dragoman: Cli, translated: Path) -> None:
    options = ("--language", "th", "--scenario", "domain", "--limit", "2")
    done = dragoman("run", "tau2:airline", "--agent", "gold", "--full", *options, cache=translated)
    note = "th:domain/text/none: th: no database of the agent in airline: its names stay English"
    assert note in done.stdout
    checked = dragoman("check", "tau2:airline", *options[:4], cache=translated)
    assert "note: th: no database of the agent in airline" in checked.stdout


@pytest.mark.nightly
def test_the_released_systems_rules_fail_the_known_cancellations_and_ours_fail_none(
    run_json: RunJson, translated: Path
) -> None:
    check = ("check", "tau2:retail", "--language", "vi", "--scenario", "domain")
    judged = (*check, "--judge", "assume-met")

    ours = run_json(*judged, cache=translated)
    theirs = run_json(*judged, "--rules", "seatau", cache=translated, status=1)

    assert [len(found["failing"]) for found in (*ours["checks"], *theirs["checks"])] == [0, 18]


def test_agents_languages_and_scenarios_may_be_named_with_commas(run_json: RunJson) -> None:
    result = run_json(
        *("run", "sample:shop", "--agent", "gold,silent", "--limit", "1"),
        *("--language", "en,vi", "--scenario", "interaction"),
    )
    assert [(cell["agent"], cell["condition"]) for cell in result["cells"]] == [
        ("gold", "en/text/none"),
        ("silent", "en/text/none"),
        ("gold", "vi:interaction/text/none"),
        ("silent", "vi:interaction/text/none"),
    ]


def test_conditions_that_cannot_be_played_are_told_before_the_others_are_played(
    dragoman: Cli,
) -> None:
    grid = ("--language", "vi", "--scenario", "domain", "--limit", 1)
    run = ("run", "courier", "--agent", "gold", *grid)
    spoken = ("--voice", "text,telephone")

    usual = dragoman(*run, *spoken, "--out", "a")
    quiet = dragoman(*run, *spoken, "--out", "b", "--quiet")

    notice = "not played: vi:domain/telephone/none: no embedded recognizer for Vietnamese; use "
    lines = usual.stderr.splitlines()
    (at,) = (at for at, line in enumerate(lines) if line.startswith(notice))
    assert "--asr whisper/base (needs dragoman[whisper], 148 MB once)" in lines[at]
    assert at < lines.index("run: a")
    assert "Not played: vi:domain/telephone/none: " in usual.stdout
    assert quiet.stderr == ""


def test_many_reasons_are_told_at_the_start_by_their_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reasons = {f"en/text/none, agent a{number}": f"reason {number}" for number in range(5)}
    monkeypatch.setattr(run_command, "not_applicable", lambda _: reasons)

    set_mode("usual")
    run_command.tell_not_played(build_setup(RunConfig("sample:shop", ("gold",))))

    lines = capsys.readouterr().err.splitlines()
    assert lines[:3] == [
        f"not played: en/text/none, agent a{number}: reason {number}" for number in range(3)
    ]
    assert lines[3:] == ["not played: conditions for 2 more reasons: --dry-run names them"]
