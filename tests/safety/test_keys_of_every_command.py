"""Every command with canaries as keys: its output and files contain no key."""

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.cli.test_processes import names
from tests.safety.canaries import canaries
from tests.safety.conftest import Watched
from tests.safety.echoing import WAYS, EchoServer
from typer.main import get_command

from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.cli.commands.tree import command_line
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

Words = tuple[object, ...]

SHORT = ("--limit", 1, "--max-steps", 3, "--patience", 0.2, "--read-timeout", 5)
FOR_GOOD = ("refused", "moved", "named", "quoted", "coded")
"""Answers that are not tried again, for commands that would try for half an hour."""

NEVER_ENDING = {"view", "world serve"}
"""Serve until they are stopped: `test_keys_of_processes` has them."""

AGENT = """
import os


def agent(messages, tools):
    raise RuntimeError(f"bad key {os.environ['OPENAI_API_KEY']} at {dict(os.environ)}")
"""
RECIPE = """
out = "trained"
model = "base"
rows = ["rows.jsonl"]
"""
PLAN = """
dataset = "planned"

[[collect]]
sources = ["documents"]
licence = "CC0-1.0"

[generate]
model = "{model}"

[answer]
model = "{model},{model}&temperature=0.5"

[check]
model = "{model}"

[split]
"""


def chat(echo: EchoServer, way: str, more: str = "") -> str:
    return f"compatible/any?base_url={echo.at(way)}{more}"


def talks(echo: EchoServer) -> Iterator[Words]:
    """Yield runs in which a server repeats the whole request that it got, in every way."""
    numbers = itertools.count()
    talk = ("run", "sample:shop", *SHORT)

    def out() -> tuple[str, str]:
        return ("--out", f"run{next(numbers)}")

    for way in WAYS:
        yield (*talk, "--agent", chat(echo, way), "--no-preflight", *out())
        yield (*talk, "--agent", chat(echo, way, "&stream=on"), "--no-preflight", *out())
        yield (*talk, "--agent", f"{echo.at(way)}/agent", "--no-preflight", *out())
        if way == "words":
            agent = f"compatible-realtime/any?base_url={echo.at(way)}"
            yield (*talk, "--agent", agent, "--voice", "studio", "--no-preflight", *out())
        yield (*talk, "--agent", "gold", "--user", chat(echo, way), *out())
        judges = ("--judge", chat(echo, way), "--user-judge", chat(echo, way))
        yield (*talk, "--agent", "silent", "--user", chat(echo, "words"), *judges, *out())
        batch = ("--batch", f"{echo.origin}=0.01")
        yield (*talk, "--agent", chat(echo, way), *batch, "--no-preflight", *out())
        for line in (
            ("--voice", "studio", "--speaker", f"compatible/v?model=m&base_url={echo.at(way)}"),
            ("--voice", "studio", "--asr", chat(echo, way)),
        ):
            yield (*talk, "--agent", "gold", *line, "--no-preflight", *out())
    both = f"compatible/any?base_url={echo.at('refused')}|{echo.at('page')}"
    yield (*talk, "--agent", both, "--no-preflight", *out())
    for scheme in ("http", "https"):
        behind = f"compatible/any?base_url={scheme}://models.invalid/v1"
        yield (*talk, "--agent", behind, "--no-preflight", *out())
        yield (*talk, "--agent", behind, *out())
    yield (*talk, "--agent", "breaking:agent", *out())
    yield (*talk, "--agent", "openai/any", "--dry-run")


def mistaken() -> Iterator[Words]:
    """Yield runs in which a key stands in a wrong place: it is not repeated."""
    key = quote(canaries()["OPENAI_BASE_URL"], safe="")
    host, talk = "127.0.0.1:9", ("run", "sample:shop", *SHORT)
    for agent in (
        f"http://me:{key}@{host}/agent",
        f"http://{host}/agent?token={key}",
        f"compatible/any?base_url=http://me:{key}@{host}/v1",
        f"compatible/any?base_url=http://{host}/v1&api_key={key}",
        f"compatible/any?base_url=http://{host}/v1&key_env={key}",
        f"compatible-realtime/any?base_url=ws://me:{key}@{host}/v1",
        "openai/any",
    ):
        yield (*talk, "--agent", agent, "--no-preflight")
    yield (*talk, "--agent", "gold", "--search", f"http://me:{key}@{host}/search")
    yield (*talk, "--agent", "gold", "--batch", f"http://me:{key}@{host}=1")
    yield (*talk, "--agent", "gold", "--rate", f"http://me:{key}@{host}=5rpm")
    speaker = f"compatible/v?model=m&base_url=http://me:{key}@{host}/v1"
    yield (*talk, "--agent", "gold", "--voice", "studio", "--speaker", speaker)


def of_models(echo: EchoServer) -> Iterator[Words]:
    """Yield the other commands that ask models, of servers that say all back."""
    for number, way in enumerate(WAYS):
        model = chat(echo, way)
        quick = ("--patience", 0.2)
        memory = ("--memory", f"memory{number}.sqlite", "--out", f"translated{number}")
        yield ("translate", "sample:shop", "--to", "th", "--model", model, *memory, *quick)
        yield ("curate", "generate", "data", "--model", model, "--kinds", "single=2", *quick)
        two = f"{model},{model}&temperature=0.5"
        yield ("curate", "rate", "data", "--model", two, *quick)
        yield ("curate", "answer", "data", "--model", two, *quick)
        yield ("curate", "check", "data", "--model", f"rules,{model}", *quick)
        if way not in FOR_GOOD:
            continue
        yield ("score", "mine", "--rubric", "errors@1", "--judge", model, "--anew")
        yield ("score", "mine", "--judge", model, "--user-judge", model, "--anew")
        said = ("speak", "courier", "--sample", 1, "--out")
        yield (*said, f"said{number}", "--rewriter", model, "--topics", model, "--texts-only")
        tts = f"compatible/v?model=m&base_url={echo.at(way)}"
        yield (*said, f"spoken{number}", "--tts", tts, "--asr", "simulated:15")
        yield (*said, f"heard{number}", "--tts", "us", "--asr", model)


def of_files(echo: EchoServer) -> Iterator[Words]:
    """Yield every command that reads the files of others, and the remaining commands."""
    yield ("list", "models")
    for kind in ("agents", "options", "voices", "recognizers", "measures", "suites"):
        yield ("list", kind)
    yield ("resume", "mine")
    yield ("resume", "run0")
    for command in (
        "show",
        "errors",
        "usage",
        "report",
        "plots",
        "attribute",
        "validate",
        "verify",
    ):
        yield (command, "mine")
    yield ("upgrade", "mine")
    yield ("merge", "mine", "mine", "--out", "merged")
    yield ("label-check", "mine")
    yield ("heard", "It costs $5", "it costs five dollars", "--value", "$5")
    yield ("judge-check", "mine", "--template", "labels.csv")
    yield ("figures", "mine")
    yield ("blame", "mine")
    yield ("fields", "courier")
    yield ("critical-fields", "courier")
    yield ("table", "mine")
    yield ("show", "mine", "too-late")
    yield ("show", "run0")
    yield ("report", "run0")
    yield ("compare", "mine", "run0")
    yield ("leaderboard", "mine", "--style", "bfcl-audio", "--out", "board.md")
    for form in ("tau2", "jsonl", "csv", "parquet", "junit", "inspect"):
        yield ("export", "mine", "--to", form, "--out", f"exported-{form}")
    yield ("import", "exported-tau2", "--out", "imported")
    yield ("merge", "mine", "run0", "--out", "merged")
    yield ("merge", "mine", "mine", "--out", "merged")
    yield ("bundle", "mine")
    yield ("unbundle", "mine.zip", "--out", "unbundled")
    yield ("rows", "mine", "--out", "rows.jsonl")
    yield ("check", "sample:shop", "--judge", chat(echo, "words"))
    yield ("lint", "translated0")
    for action in ("show", "export"):
        more = ("--out", "out.tmx") if action == "export" else ()
        yield ("memory", action, "memory0.sqlite", *more)
    yield ("memory", "import", "out.tmx", "other.sqlite")
    yield ("memory", "compare", "memory0.sqlite", "other.sqlite", "--suite", "sample:shop")
    yield ("review", "export", "sample:shop", "--to", "th", "--out", "th.xlsx")
    yield ("review", "import", "sample:shop", "th.xlsx", "--to", "th")
    yield ("review", "status", "--memory", "memory0.sqlite")
    yield ("world", "documents", "--out", "world-documents")
    yield ("finetune", "recipe.toml")
    yield ("finetune-study", "recipe.toml")
    yield ("tiny-model", "base", "--rows", "rows.jsonl")
    yield ("init", "new.toml", "--yes")
    yield ("data", "pull", "tau2", "--from", "documents")
    yield ("cache", "info")
    yield ("doctor",)
    yield ("demo", "--out", "demonstration")
    yield ("cache", "clear")


def of_datasets() -> Iterator[Words]:
    """Yield the commands on datasets that ask no model themselves."""
    yield ("curate", "run", "plan.toml")
    yield ("curate", "collect", "data", "documents", "--licence", "CC0-1.0")
    yield ("curate", "verify", "data", "--calls", 1, "--seconds", 0.1, "--pause", 0)
    yield ("curate", "monitor", "data", "--pause", 0)
    for step in ("filter", "split", "card", "status", "list"):
        yield ("curate", step, "data")
    yield ("curate", "export", "data", "--to", "itc", "--out", "exported-data")
    yield ("curate", "review", "export", "data", "--out", "sheets", "--annotators", "ana,bo")
    yield ("curate", "review", "import", "data", "sheets/ana.csv", "--annotator", "ana")
    yield ("curate", "review", "settle", "data")


def prepared(watched: Watched, echo: EchoServer) -> None:
    """Write the files that commands read."""
    work = watched.work
    (work / "breaking.py").write_text(AGENT)
    (work / "recipe.toml").write_text(RECIPE)
    (work / "plan.toml").write_text(PLAN.format(model=chat(echo, "words")))
    documents = load_bundled_apis().documents
    (work / "documents").mkdir()
    page = {
        "openapi": "3.0.0",
        "info": {"title": "A", "version": "1"},
        "servers": [{"url": echo.at("words")}],
        "paths": {"/a": {"get": {"operationId": "a", "summary": "Says.", "responses": {}}}},
    }
    (work / "documents" / "a.json").write_text(json.dumps(page))
    with Dataset(work / "data") as dataset:
        dataset.put(
            [
                StepOutcome(
                    StepLine("collect", "file", each.id, "kept", source="world"),
                    (NewItem("document", each.id, each),),
                )
                for each in documents[:2]
            ]
        )
    done = watched("run", "sample:shop", "--agent", "gold", "--out", "mine")
    assert done.returncode == 0, done.stderr


def name_of(words: Words, known: set[str]) -> str:
    """Return the command that words begin with."""
    texts = [str(word) for word in words]
    return next(" ".join(texts[:n]) for n in (3, 2, 1) if " ".join(texts[:n]) in known)


def cases(echo: EchoServer) -> Iterator[Words]:
    """Yield the commands to try, so that each reads files of earlier ones."""
    return itertools.chain(talks(echo), of_models(echo), of_datasets(), of_files(echo))


def test_every_command_has_a_case(echo: EchoServer) -> None:
    known = set(names(get_command(command_line())))
    assert {name_of(words, known) for words in cases(echo)} == known - NEVER_ENDING


@pytest.mark.slow
@pytest.mark.nightly
def test_no_command_prints_or_leaves_a_key(
    watched: Watched, echo: EchoServer, speech_models: Path
) -> None:
    cached = watched.home / "CACHE" / "dragoman"
    cached.mkdir(parents=True)
    shutil.copytree(speech_models, cached / "speech")
    prepared(watched, echo)
    for words in cases(echo):
        done = watched(*words)
        assert "Traceback" not in done.stderr, (words, done.stderr)
        assert "No such option" not in done.stderr, (words, done.stderr)
    assert watched.found() == []


@pytest.mark.slow
@pytest.mark.nightly
def test_a_key_that_is_written_where_none_belongs_is_not_repeated(watched: Watched) -> None:
    for words in mistaken():
        done = watched(*words)
        assert done.returncode != 0, words
        assert "Traceback" not in done.stderr, (words, done.stderr)
    assert watched.found() == []
