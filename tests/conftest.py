"""Fixtures shared by all tests: the bundled sample, and real data if available."""

import contextlib
import fcntl
import functools
import gc
import gzip
import hashlib
import importlib
import io
import json
import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import msgspec
import pytest
import typer.main
from hypothesis import settings
from tests.browser import browse, browser, fail_if_skipped

from dragoman.benchmarks.bfcl.agentic_suite import AgenticSuite
from dragoman.benchmarks.bfcl.categories import BfclSuite, load_suite, read_downloaded_file
from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.cli.commands.tree import command_line
from dragoman.cli.main import main
from dragoman.cli.progress import LINE_PACE, LinePace
from dragoman.core.audio import Audio
from dragoman.core.capabilities import ExternalServices
from dragoman.core.protocols import Provenance, Suite
from dragoman.core.recordings import SPEAKER
from dragoman.core.replies import Stage
from dragoman.core.tasks import fixed_messages
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import AudioSetFiles
from dragoman.store.audio_set_format import (
    SETTINGS,
    SPEECH,
    TEXTS,
    SpeechLine,
    TranscriptLine,
    encode_line,
    transcripts_name,
)

__all__ = ["browse", "browser"]

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

# The number of examples of a property comes from a profile: `pytest --hypothesis-profile nightly`.
# A test that needs more or fewer takes a multiple or a fraction of them. The profiles that judge a
# change draw the same examples each time, so that the verdict is about the change; `quick` and
# `search` draw others.
for _profile, _examples, _is_same in (
    ("quick", 20, False),
    ("default", 30, True),
    ("nightly", 200, True),
    ("search", 600, False),
):
    settings.register_profile(_profile, max_examples=_examples, derandomize=_is_same, deadline=None)
settings.load_profile("default")


# Marks of all tests in a folder.
MARKED_FOLDERS = {
    "chaos": ("chaos", "slow"),
    "conformance": ("conformance",),
    "speech/embedded": ("speech",),
    "conditions/voice/asr_error_simulation": ("slow",),  # for the languages' lists
    "whisper": ("whisper",),
}

# Commands are built from their declarations once for each first word, as in a process.
COMMANDS = functools.cache(typer.main.get_command)
DECLARED = functools.cache(lambda word: command_line([word]))

NOT_QUICK = {"slow", "speech", "chaos", "conformance"}


# Thresholds of Python's cyclic collector, for its young and its older objects.
COLLECTOR = (10_000, 20, 50)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the collector walk thousands of tests rarely: at its own pace it takes a fifth of all CPU time."""
    gc.disable()
    yield
    gc.set_threshold(*COLLECTOR)
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_unconfigure() -> Iterator[None]:
    """Keep an ending interpreter from walking its objects: the walk takes seconds."""
    yield
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folder."""
    for item in items:
        for name in folder_marks(item.path):
            item.add_marker(name)


@functools.cache
def folder_marks(file: Path) -> tuple[str, ...]:
    """Return the marks of a file's tests by its folder."""
    folders = {ROOT / "tests" / name: marks for name, marks in MARKED_FOLDERS.items()}
    return tuple(mark for folder in file.parents if folder in folders for mark in folders[folder])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped browser test on machines where browser tests must run."""
    report = yield
    fail_if_skipped(getattr(item, "fixturenames", []), report)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that took more than a second and are not marked."""
    names = sorted(
        f"{report.duration:.1f} s {report.nodeid}"
        for report in terminalreporter.getreports("passed")
        if report.when == "call" and report.duration > 1 and NOT_QUICK.isdisjoint(report.keywords)
    )
    if names:
        terminalreporter.section("more than a second, and not marked slow")
        terminalreporter.line("\n".join(names))


def shared_folder(variable: str, default: str) -> Path:
    """Return a folder of real material, or skip; with DRAGOMAN_REQUIRE_DATA=1, fail."""
    folder = Path(os.environ.get(variable) or SHARED / default)
    if folder.is_dir():
        return folder
    reason = f"{folder} is absent: set {variable} to compare with recorded material"
    if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def read_file(folder: Path, name: str) -> bytes:
    """Read a file that is stored raw or gzipped."""
    raw = folder / name
    return (
        raw.read_bytes() if raw.exists() else gzip.decompress((folder / f"{name}.gz").read_bytes())
    )


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Record the tests' runs as their own, not as those of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def shop() -> DomainSuite:
    """The bundled sample suite."""
    return sample_suite()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real benchmark data."""
    return shared_folder("DRAGOMAN_DATA", "data")


@pytest.fixture(scope="session")
def truth_folder() -> Path:
    """The folder of recorded verdicts of the references."""
    return shared_folder("DRAGOMAN_TRUTH", "truth")


@pytest.fixture(scope="session")
def seeds_folder() -> Path:
    """The folder of the papers' texts."""
    return shared_folder("DRAGOMAN_SEEDS", "seeds")


@pytest.fixture(scope="session")
def retail(data_folder: Path) -> DomainSuite:
    """tau2 retail from the folder of real data."""
    folder = data_folder / "tau2" / "retail"
    return DomainSuite(
        "tau2:retail",
        lambda name: read_file(folder, name),
        Provenance("tau2-bench", "MIT", "", ""),
    )


@pytest.fixture(scope="session")
def speech_models(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of recognizers' language models, kept until their code changes."""
    made_by = hashlib.sha256()
    for name in ("espeakng-loader", "pocketsphinx"):
        with contextlib.suppress(PackageNotFoundError):
            made_by.update(version(name).encode())
    for package in ("speech/embedded", "conditions/voice"):
        for file in sorted((ROOT / "src" / "dragoman" / package).rglob("*.*")):
            if file.suffix != ".pyc":
                made_by.update(file.read_bytes())
    kept = getattr(pytestconfig, "cache", None)  # absent if the plugin is switched off
    name = f"speech-{made_by.hexdigest()[:16]}"
    return Path(kept.mkdir(name)) if kept else tmp_path_factory.mktemp(name)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, speech_models: Path) -> Iterator[Path]:
    """A cache for all tests that name none, so that no personal cache is read or written."""
    cache = tmp_path_factory.mktemp("own-cache")
    (cache / "dragoman").mkdir()
    (cache / "dragoman" / "speech").symlink_to(speech_models)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(cache))
        yield cache


@pytest.fixture(scope="session")
def in_process() -> Callable[..., CompletedProcess[str]]:
    """Return a function that runs the command line in this process.

    For example: `in_process("run", ..., cwd=folder, NAME=...)`. It costs a thirtieth of a process.
    Behaviour that only a process shows (start-up, signals, kills, descriptors) needs a process.
    """
    return run_here


_PROGRESS = re.compile(r"\d s (?:so far|left)|per second|\d+ of \d+ after \d+ s")


def without_progress(errors: str) -> list[str]:
    """Return the lines of a process's output without progress, which a busy machine gets."""
    return [line for line in errors.splitlines() if not _PROGRESS.search(line)]


_QUIET = LinePace(first=600, every=600)
"""Commands of tests are short; on a busy machine they must not print progress either."""


def run_here(
    *arguments: object, cwd: Path | None = None, **environment: str
) -> CompletedProcess[str]:
    """Run the command line in this process and return its output and status."""
    words = ["dragoman", *map(str, arguments)]
    output, errors = _stream(), _stream()
    is_paced = LINE_PACE.get() != LinePace()
    with _as_a_process_of_its_own(words, cwd or Path.cwd(), environment, output, errors):
        pace = LINE_PACE.set(LINE_PACE.get() if is_paced else _QUIET)
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        else:
            status = 0
        finally:
            LINE_PACE.reset(pace)
    assert isinstance(status, int), status
    return CompletedProcess(words, status, _printed(output), _printed(errors))


@contextlib.contextmanager
def _as_a_process_of_its_own(
    words: list[str],
    cwd: Path,
    environment: Mapping[str, str],
    output: io.TextIOWrapper,
    errors: io.TextIOWrapper,
) -> Iterator[None]:
    """Give the interpreter the state of a new process, and restore the state afterwards."""
    loaded = set(sys.modules)
    importlib.invalidate_caches()
    with (
        contextlib.chdir(cwd),
        patch.dict(os.environ, environment),
        patch.multiple(sys, argv=words, path=[str(cwd), *sys.path]),
        patch.multiple(sys, stdin=io.StringIO(), stdout=output, stderr=errors),
        patch.object(sys.modules["__main__"], "__package__", None),  # usage begins with argv[0]
        patch.object(logging.root, "handlers", []),  # warnings go to standard error
        patch.object(typer.main, "get_command", COMMANDS),
        patch(
            "dragoman.cli.commands.tree.command_line",
            lambda words: DECLARED(words[0] if words else ""),
        ),
    ):
        yield
    if ROOT.is_relative_to(cwd):
        return  # these modules are the project and its libraries, not a user's
    for name in set(sys.modules) - loaded:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(f"{cwd}{os.sep}"):
            del sys.modules[name]


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)


def _printed(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@pytest.fixture(scope="session")
def once(
    tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Callable[[str, Callable[[Path], None]], Path]:
    """Return a function that makes a folder once for all workers of a session.

    The first worker fills the folder, and the others wait.
    """
    base = tmp_path_factory.getbasetemp()
    root = base if worker_id == "master" else base.parent

    def made(name: str, fill: Callable[[Path], None]) -> Path:
        folder = root / name
        with (root / f"{name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                draft = root / f"{name}.draft"
                shutil.rmtree(draft, ignore_errors=True)  # of a worker that did not finish it
                fill(draft)
                draft.rename(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def pulled_data(
    once: Callable[[str, Callable[[Path], None]], Path], data_folder: Path
) -> Callable[[str, Path], Path]:
    """Return a function that puts a source's real data into a cache, pulled once."""

    def lay(source: str, cache: Path) -> Path:
        def pull_into(folder: Path) -> None:
            done = run_here(
                *("data", "pull", source, "--from", data_folder / source),
                XDG_CACHE_HOME=str(folder),
            )
            assert done.returncode == 0, done.stderr

        whole = once(f"pulled-{source}", pull_into) / "dragoman" / "data" / source
        place = cache / "dragoman" / "data" / source
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(whole)
        return cache

    return lay


@pytest.fixture(scope="session")
def pulled(
    pulled_data: Callable[[str, Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A cache into which tau2's real data were pulled."""
    return pulled_data("tau2", tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def pulled_bfcl(
    pulled_data: Callable[[str, Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A cache into which BFCL's real data were pulled."""
    return pulled_data("bfcl", tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def translated(pulled: Path, pulled_data: Callable[[str, Path], Path]) -> Path:
    """The same cache with the translated artifacts in it, pulled by the command."""
    return pulled_data("seataubench", pulled)


@pytest.fixture
def in_languages(translated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same cache as that of this process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(translated))
    return translated


@pytest.fixture(scope="session")
def read_bfcl(pulled_bfcl: Path) -> Callable[[str], bytes]:
    """Return a function that reads BFCL's files by their short names, from pulled data."""
    return functools.partial(read_downloaded_file, pulled_bfcl / "dragoman" / "data")


@pytest.fixture(scope="session")
def load_bfcl(read_bfcl: Callable[[str], bytes]) -> Callable[[str], BfclSuite]:
    """Return a function that loads a BFCL category, or a group of them, from real data."""
    provenance = Provenance("BFCL v4", "Apache-2.0", "", "")
    return functools.cache(lambda name: load_suite(name, read_bfcl, provenance))


@pytest.fixture(scope="session")
def agentic_files() -> Mapping[str, bytes]:
    """BFCL's files of agents that remember or search, with a few entries of literals."""
    return {name: "\n".join(lines).encode() for name, lines in _agentic_lines().items()}


@pytest.fixture
def load_agentic_suite(agentic_files: Mapping[str, bytes]) -> Callable[..., AgenticSuite]:
    """Return a function that loads a category of these entries, with external services."""

    def load(category: str, outside: ExternalServices | None = None) -> AgenticSuite:
        source = Provenance("BFCL v4", "Apache-2.0", "", "")
        suite = load_suite(category, agentic_files.__getitem__, source)
        assert isinstance(suite, AgenticSuite)
        return suite if outside is None else suite.reaching(outside)

    return load


@pytest.fixture(scope="session")
def write_set() -> Callable[..., Path]:
    """Return a function that writes an audio set of chosen tasks.

    For example: `write_set(folder, suites, tasks, {"mixed": str.lower})`. Each recognizer is a
    function from a text to its recognized form. Without `audio` the set has no speech.
    """

    def write(
        folder: Path,
        suites: Sequence[Suite],
        tasks: Collection[str],
        heard: Mapping[str, Callable[[str], str]],
        audio: Callable[[str], Audio] | None = None,
    ) -> Path:
        sounds = AudioSetFiles(folder)
        files: dict[str, list[bytes]] = {
            name: [] for name in (TEXTS, SPEECH, *map(transcripts_name, heard))
        }
        chosen = [task for suite in suites for task in suite.tasks if task.id in tasks]
        said = [(task, *each) for task in chosen for each in fixed_messages(task)]
        for task, turn, place, text in said:
            at = {"task": task.id, "turn": turn, "place": place}
            kept = None if audio is None else sounds.keep(audio(text))
            stages = (Stage("synthesis", "espeak-ng:us", 7, {SPEAKER: "us"}),) if kept else ()
            message = {"suite": task.suite, **at, "text": text}
            line = {"spoken": {"message": message}, "whitelist": {"topics": {}}}
            files[TEXTS].append(msgspec.json.encode(line) + b"\n")
            spoken = {"said": f"um {text}", "audio": kept, "stages": stages}
            files[SPEECH].append(encode_line(msgspec.convert({**at, **spoken}, SpeechLine)))
            for name, hear in heard.items():
                words = {"words": hear(text), "text": hear(text), "source": ""}
                transcript = encode_line(msgspec.convert({**at, **words}, TranscriptLine))
                files[transcripts_name(name)].append(transcript)
        settings = {
            "suites": {suite.name: suite.provenance.digest for suite in suites},
            "seed": 1,
            "tts": ["us"] if audio else [],
            "line": "studio" if audio else "",
            "asr": list(heard),
        }
        atomic_write(folder / SETTINGS, msgspec.json.encode(settings))
        for name, lines in files.items():
            atomic_write(folder / name, lines)
        return folder

    return write


def _agentic_lines() -> dict[str, list[str]]:
    functions = {
        "memory_kv": ("core_memory_add", "core_memory_retrieve", "archival_memory_add"),
        "memory_rec_sum": ("memory_append", "memory_retrieve"),
        "memory_vector": ("core_memory_add", "archival_memory_add", "archival_memory_retrieve"),
        "web_search": ("search_engine_query", "fetch_url_content"),
    }
    parameters = {"type": "dict", "properties": {}}
    files = {
        f"multi_turn_func_doc/{name}.json": [
            json.dumps({"name": each, "description": "Does.", "parameters": parameters})
            for each in names
        ]
        for name, names in functions.items()
    }
    files["prompts.json"] = [json.dumps(_PROMPTS)]
    files["BFCL_v4_memory.json"] = [
        _spoken("memory_0-customer-0", [["What is my name?"]], "customer", "MemoryAPI"),
        _spoken("memory_1-customer-1", [["How much did I pay?"]], "customer", "MemoryAPI"),
        _spoken("memory_2-student-0", [["What do I study?"]], "student", "MemoryAPI"),
    ]
    files["possible_answer/BFCL_v4_memory.json"] = [
        _accepted("memory_0-customer-0", ["Michael"]),
        _accepted("memory_1-customer-1", ["$49.99", "49.99"]),
        _accepted("memory_2-student-0", ["Botany"]),
    ]
    files["memory_prereq_conversation/memory_customer.json"] = [
        _spoken("memory_prereq_0-customer-0", [["My name is Michael."], ["Bye."]], "customer"),
        _spoken("memory_prereq_1-customer-1", [["The lamp cost $49.99."]], "customer"),
    ]
    files["memory_prereq_conversation/memory_student.json"] = [
        _spoken("memory_prereq_2-student-0", [["I study Botany."]], "student"),
    ]
    files["BFCL_v4_web_search.json"] = [
        _spoken("web_search_0", [["How high is the tower of Orla?"]], "", "WebSearchAPI"),
    ]
    files["possible_answer/BFCL_v4_web_search.json"] = [_accepted("web_search_0", ["88 metres"])]
    return files


def _spoken(
    identity: str, turns: list[list[str]], scenario: str, of_class: str = "MemoryAPI"
) -> str:
    question = [[{"role": "user", "content": words} for words in turn] for turn in turns]
    entry = {"id": identity, "question": question, "involved_classes": [of_class]}
    return json.dumps({**entry, "scenario": scenario} if scenario else entry)


def _accepted(identity: str, answers: list[str]) -> str:
    return json.dumps({"id": identity, "ground_truth": answers, "source": "said"})


_STYLE = {
    "persona": "You compose.",
    "task": "",
    "tool_call_no_tag": "Write {output_format}.",
    "tool_call_with_tag": "",
    "multiturn_behavior": "",
    "available_tools": "{functions}",
}
_NOTES = {"any": "", "typed": "", "elements": ""}
_PROMPTS = {
    "constants": {
        "OUTPUT_FORMAT_MAPPING": {"python": "[f(a=1)]"},
        "PARAM_TYPE_MAPPING": {"python": ""},
        "PROMPT_STYLE_TEMPLATES": {"classic": _STYLE},
        "PROMPT_TEMPLATE_MAPPING": {"plaintext": "{persona} {tool_call_format} {available_tools}"},
        "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC": "More.",
        "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING": "{functions} More.",
        "ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT": "Answer as a dict.\n",
        "MEMORY_AGENT_SETTINGS": {"customer": "You serve.", "student": "You advise."},
        "MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL": "{scenario_setting} Core: {memory_content}\n",
        "MEMORY_BACKEND_INSTRUCTION_UNIFIED": "{scenario_setting} Memory: {memory_content}\n",
    },
    "language_notes": {"python": "", "java": "", "javascript": ""},
    "parameter_notes": {"java": _NOTES, "javascript": _NOTES},
    "float_note": "",
}
