"""`dragoman translate` against a local server that translates for show."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.resources import files as files_of
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.store.translation_memory import MemoryEntry, SourceText, TranslationMemory
from dragoman.testing.fake_translation_llm import FakeTranslationLlm, TranslationMistakes
from dragoman.testing.fault_injection import Faults, RateLimited
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]


@pytest.fixture
def answers() -> FakeTranslationLlm:
    return FakeTranslationLlm()


@pytest.fixture
def model(answers: FakeTranslationLlm) -> Iterator[str]:
    with ModelServer(answers) as server:
        yield f"compatible/any?base_url={server.url}"


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_suite_is_translated_into_two_languages_and_the_second_time_nothing_is_sent(
    dragoman: Cli, folder: Path, model: str, answers: FakeTranslationLlm, texts: int
) -> None:
    asked = ("translate", "sample:shop", "--to", "th,vi", "--model", model, "--out", "out")
    first = dragoman(*asked, "--json")
    assert first.returncode == 0, first.stderr
    reported = json.loads(first.stdout)
    assert [each["states"] for each in reported["languages"]] == [
        {"asked": texts},
        {"asked": texts},
    ]
    assert reported["usage"][0]["calls"] == 6
    assert set(answers.sent.values()) == {1}
    for code in ("th", "vi"):
        assert {"tools.json", "db.json", "policy.md", "tasks.json"} <= files(
            folder / "out" / "sample" / code
        )
    written = (folder / "out" / "sample" / "th" / "tasks.json").read_bytes()
    before = answers.sent.total()
    second = json.loads(dragoman(*asked, "--json").stdout)
    assert answers.sent.total() == before
    assert [each["states"] for each in second["languages"]] == [{"known": texts}, {"known": texts}]
    assert (folder / "out" / "sample" / "th" / "tasks.json").read_bytes() == written


def test_a_dry_run_needs_no_key_and_writes_nothing(dragoman: Cli, folder: Path, texts: int) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", "openai/gpt-4.1", "--dry-run")
    done = dragoman(*asked)
    assert done.returncode == 0, done.stderr
    assert "Nothing was sent" in done.stdout
    (planned,) = json.loads(dragoman(*asked, "--json").stdout)["languages"]
    assert (planned["texts"], planned["known"], planned["requests"]) == (texts, 0, 3)
    assert planned["cost"] > 0
    assert list(folder.iterdir()) == []
    unpriced = dragoman(*asked[:-2], "compatible/any", "--dry-run", "--json")
    assert json.loads(unpriced.stdout)["languages"][0]["cost"] is None


def test_a_dry_run_promises_the_requests_that_are_then_sent(dragoman: Cli, model: str) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--json")
    (planned,) = json.loads(dragoman(*asked, "--dry-run").stdout)["languages"]
    (used,) = json.loads(dragoman(*asked).stdout)["usage"]
    assert planned["requests"] == used["calls"]
    assert planned["tokens_in"] == pytest.approx(used["tokens_in"], rel=0.5)


def test_mistakes_of_a_model_are_mended_or_listed(dragoman: Cli, folder: Path, texts: int) -> None:
    mistakes = TranslationMistakes(
        stubborn=0.6, leaves_out=0.6, bad_json=0.4, doubles_id=0.5, invents_id=0.5, fences=0.5
    )
    answers = FakeTranslationLlm(mistakes, seed=3)
    behaviour = ServerConfig(Faults(transport=(RateLimited(rate=0.3, retry_after=0),)))
    with ModelServer(answers, behaviour) as server:
        model = f"compatible/any?base_url={server.url}"
        done = dragoman("translate", "sample:shop", "--to", "zh", "--model", model, "--json")
    assert done.returncode == 1
    (reported,) = json.loads(done.stdout)["languages"]
    assert set(answers.mistakes) >= {"leaves_out", "bad_json", "doubles_id", "invents_id"}
    assert reported["states"]["asked"] + len(reported["untranslated"]) == texts
    listed = {found["address"] for found in reported["anomalies"] if found["severity"] == "refuse"}
    refused = {
        text["addresses"][0]
        for text in reported["untranslated"]
        if text["why"] == "every answer was refused"
    }
    assert listed == refused
    assert refused
    assert (folder / "translations" / "sample" / "zh" / "tasks.json").is_file()


def test_without_a_model_what_the_memory_has_is_put_in_and_the_rest_is_called_untranslated(
    dragoman: Cli, folder: Path, texts: int
) -> None:
    source = SourceText("en", "th", "sample/text", "Items to give back.")
    with TranslationMemory(folder / "memory.sqlite") as memory:
        memory.put([MemoryEntry(source, "สินค้าที่จะคืน", "reviewed", "a person", 1)])
    asked = ("translate", "sample:shop", "--to", "th", "--model", "glossary")
    done = dragoman(*asked, "--memory", "memory.sqlite", "--json")
    (reported,) = json.loads(done.stdout)["languages"]
    assert done.returncode == 1
    assert reported["states"] == {"known": 1, "given up": texts - 1}
    assert len(reported["untranslated"]) == texts - 1
    tools = (folder / "translations" / "sample" / "th" / "tools.json").read_text("utf-8")
    assert "สินค้าที่จะคืน" in tools
    assert "Items to get instead" in tools
    assert {text["why"] for text in reported["untranslated"]} == {
        "neither the memory nor the glossary has it"
    }


def test_a_file_that_somebody_edited_is_left_alone(dragoman: Cli, folder: Path, model: str) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out")
    dragoman(*asked)
    policy = folder / "out" / "sample" / "th" / "policy.md"
    policy.write_text("# ของฉัน\n", "utf-8")
    done = dragoman(*asked)
    assert done.returncode == 1
    assert (
        "policy.md: not replaced, because it was changed or written by another program"
        in done.stdout
    )
    assert policy.read_text("utf-8") == "# ของฉัน\n"


def test_a_file_that_somebody_else_made_is_left_alone(
    dragoman: Cli, folder: Path, model: str
) -> None:
    theirs = folder / "out" / "sample" / "th"
    theirs.mkdir(parents=True)
    (theirs / "policy.md").write_text("# ของเขา\n", "utf-8")
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out", "--json")
    done = dragoman(*asked)
    assert done.returncode == 1
    (reported,) = json.loads(done.stdout)["languages"]
    assert reported["left_alone"] == ["policy.md"]
    assert (theirs / "policy.md").read_text("utf-8") == "# ของเขา\n"
    assert "tasks.json" in reported["written"]


def test_only_what_is_stale_is_written_where_that_is_asked_for(
    dragoman: Cli, folder: Path, model: str
) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out", "--json")
    dragoman(*asked)
    (folder / "out" / "sample" / "th" / "policy.md").unlink()
    (reported,) = json.loads(dragoman(*asked, "--only-stale").stdout)["languages"]
    assert reported["written"] == ["policy.md"]
    (reported,) = json.loads(dragoman(*asked, "--components", "tools,tasks").stdout)["languages"]
    assert reported["written"] == ["tools.json", "tasks.json"]


def test_a_budget_stops_it_and_the_same_command_goes_on(
    dragoman: Cli, model: str, answers: FakeTranslationLlm
) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out")
    small = ("--batch-size", 5, "--concurrency", 1)
    stopped = dragoman(*asked, *small, "--max-cost", "500 tokens")
    assert stopped.returncode == 1
    assert "the budget of 500 tokens is spent" in stopped.stderr
    assert "the same command continues" in stopped.stderr
    done = dragoman(*asked, *small)
    assert done.returncode == 0, done.stderr
    assert set(answers.sent.values()) == {1}


def test_an_edit_that_was_taken_over_into_the_memory_is_written_like_everything_else(
    dragoman: Cli, folder: Path, model: str
) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out")
    dragoman(*asked)
    policy = folder / "out" / "sample" / "th" / "policy.md"
    edited = policy.read_text("utf-8").replace("\n", "\n\n", 1)
    policy.write_text(edited, "utf-8")
    took = ("memory", "import", "out", "out/translation_memory.sqlite", "--suite", "sample:shop")
    assert dragoman(*took, "--to", "th").returncode == 0
    done = dragoman(*asked, "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["languages"][0]["left_alone"] == []
    assert policy.read_text("utf-8") == edited


def test_the_manifest_says_how_much_is_untranslated(dragoman: Cli, folder: Path) -> None:
    dragoman("translate", "sample:shop", "--to", "th", "--model", "glossary")
    manifest = folder / "translations" / "sample" / "th" / "translation_manifest.json"
    policy = json.loads(manifest.read_text("utf-8"))["assets"]["policy.md"]
    assert (policy["model"], policy["untranslated"], policy["texts"]) == ("glossary", 1, {})


def test_a_model_can_be_stopped_by_hand_and_the_same_command_goes_on(
    folder: Path, answers: FakeTranslationLlm, texts: int
) -> None:
    behaviour = ServerConfig(capacity=Capacity(latency_seconds=0.2))
    with ModelServer(answers, behaviour) as server:
        command = [
            *(sys.executable, "-m", "dragoman", "translate", "sample:shop", "--to", "th"),
            *("--model", f"compatible/any?base_url={server.url}", "--batch-size", "5"),
            *("--concurrency", "1", "--json"),
        ]
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while process.poll() is None and answers.delivered.total() < 15:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130, errors
        assert errors.count("\n") == 1
        assert "the same command continues" in errors
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    (reported,) = json.loads(done.stdout)["languages"]
    assert reported["states"]["known"] >= 10
    assert sum(reported["states"].values()) == texts


def test_two_processes_that_share_a_memory_agree_on_every_text(
    folder: Path, answers: FakeTranslationLlm
) -> None:
    with ModelServer(answers, ServerConfig(capacity=Capacity(latency_seconds=0.05))) as server:
        processes = [
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "dragoman", "translate", "sample:shop", "--to", "th"),
                    *("--model", f"compatible/any?base_url={server.url}", "--batch-size", "4"),
                    *("--memory", "shared.sqlite", "--out", name),
                ],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in ("one", "two")
        ]
        for process in processes:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
    one, two = (folder / name / "sample" / "th" / "tasks.json" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_without_its_key_a_model_leaves_nothing_behind(dragoman: Cli, folder: Path) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", "openai/gpt-4.1")
    done = dragoman(*asked, OPENAI_API_KEY="")
    assert done.returncode == 2
    assert "openai/gpt-4.1 needs a key" in done.stderr
    assert list(folder.iterdir()) == []


REFUSED = [
    (("sample:shop", "--to", "th"), "no model: name one with --model"),
    (("sample:shop", "--model", "glossary"), "no language: name one with --language"),
    (("sample:shop", "--to", "th", "--model", "nobody/x"), "unknown model provider 'nobody'"),
    (("sample:shop", "--to", "xx", "--model", "glossary"), "xx"),
    (("sample:shop", "--to", "en", "--model", "glossary"), "--language en: that is the language"),
    (("nowhere", "--to", "th", "--model", "glossary"), "unknown suite 'nowhere'"),
    (
        ("sample:shop", "--to", "th", "--model", "glossary", "--components", "tool"),
        "--components tool: there is none of that name",
    ),
    (("sample:shop", "--to", "th", "--model", "glossary", "--batch-size", "0"), "--batch-size 0"),
    (
        ("sample:shop", "--to", "th", "--model", "glossary", "--max-cost", "5 apples"),
        "not a budget: '5 apples'",
    ),
]


@pytest.mark.parametrize(
    ("options", "reported"), REFUSED, ids=[reported for _, reported in REFUSED]
)
def test_a_mistake_is_one_line(
    dragoman: Cli, folder: Path, options: tuple[str, ...], reported: str
) -> None:
    done = dragoman("translate", *options)
    assert done.returncode == 2, done.stderr
    assert reported in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "translations" / "sample").exists()


def test_languages_that_would_share_a_folder_are_refused(dragoman: Cli, folder: Path) -> None:
    shipped = (
        files_of("dragoman.conditions.language.language_files")
        .joinpath("th.toml")
        .read_text("utf-8")
    )
    (folder / "same.toml").write_text(shipped, "utf-8")
    (folder / "own.toml").write_text(shipped.replace('"Thai"', '"My Thai"'), "utf-8")
    (folder / "en.toml").write_text(shipped.replace('code = "th"', 'code = "en"'), "utf-8")
    asked = ("translate", "sample:shop", "--model", "glossary", "--dry-run", "--json")
    once = json.loads(dragoman(*asked, "--to", "th,th,same.toml").stdout)
    assert [each["language"] for each in once["languages"]] == ["th"]
    shared = dragoman(*asked, "--to", "th", "--to", "own.toml")
    assert (shared.returncode, shared.stderr) == (
        2,
        "dragoman: --language own.toml: another language has the code th too\n",
    )
    english = dragoman(*asked, "--to", "en.toml")
    assert "--language en.toml: that is the language that is translated from" in english.stderr


def test_a_manifest_names_the_model_that_translated_whoever_writes_the_files(
    dragoman: Cli, folder: Path, model: str
) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--out", "out", "--json", "--model")
    dragoman(*asked, model)
    path = folder / "out" / "sample" / "th" / "translation_manifest.json"
    before = path.read_bytes()
    assert json.loads(before)["assets"]["tasks.json"]["model"] == "compatible/any"
    dragoman(*asked, "glossary")
    assert path.read_bytes() == before


def test_where_no_file_is_stale_nothing_is_asked_even_without_the_memory(
    dragoman: Cli, model: str, answers: FakeTranslationLlm
) -> None:
    asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out", "--json")
    dragoman(*asked)
    sent = answers.sent.total()
    again = (*asked, "--only-stale", "--memory", "another.sqlite")
    (planned,) = json.loads(dragoman(*again, "--dry-run").stdout)["languages"]
    assert (planned["texts"], planned["requests"]) == (0, 0)
    done = dragoman(*again)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["languages"][0]["written"] == []
    assert answers.sent.total() == sent
