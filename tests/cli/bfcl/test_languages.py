"""BFCL in a language: translated by a local server for show, played, proved."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.runs.manifest import read_manifest
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fake_translation_llm import FakeTranslationLlm
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

SUITE = "bfcl:live_parallel"
FILE = "BFCL_v4_live_parallel.json"
ASKED = "live_parallel_5-2-0"


@pytest.fixture
def thai(dragoman: Cli, folder: Path, pulled_bfcl: Path) -> Path:
    """The folder of the category in Thai, of a kind."""
    with ModelServer(FakeTranslationLlm()) as server:
        model = f"compatible/any?base_url={server.url}"
        done = dragoman(
            *("translate", SUITE, "--to", "th", "--model", model, "--out", "out"), cache=pulled_bfcl
        )
    assert done.returncode == 0, done.stderr
    return folder / "out" / "bfcl" / "th"


def in_thai(*scenarios: str) -> tuple[str, ...]:
    return ("--language", "th", "--scenario", ",".join(scenarios), "--assets", "out")


def entries(folder: Path) -> dict[str, Any]:
    lines = map(json.loads, (folder / FILE).read_text("utf-8").splitlines())
    return {line["id"]: line for line in lines}


def test_gold_is_proved_and_every_label_is_taken(
    run_json: RunJson, thai: Path, pulled_bfcl: Path
) -> None:
    (checked,) = run_json("check", SUITE, *in_thai("tasks+tools"), cache=pulled_bfcl)["checks"]

    assert (checked["tasks"], checked["passed"], checked["failing"]) == (16, 16, [])
    assert (checked["labels"], checked["refused"]) == (46, [])
    english = {each["kind"]: (each["english"], each["texts"]) for each in checked["coverage"]}
    # One question is already in Chinese.
    assert english["questions"] == (1, 15)
    assert english["instructions"] == (0, 1)
    assert thai.is_dir()


def test_every_scenario_is_played_and_keeps_what_it_was_made_of(
    run_json: RunJson, refused: Refused, thai: Path, pulled_bfcl: Path
) -> None:
    options = in_thai("tasks", "tools", "tasks+tools")
    result = run_json("run", SUITE, "--agent", "gold", "--out", "r", *options, cache=pulled_bfcl)

    assert {cell["condition"]: cell["pass_hat"]["1"] for cell in result["cells"]} == {
        "th:tasks/text/none": 1.0,
        "th:tools/text/none": 1.0,
        "th:tools+tasks/text/none": 1.0,
    }
    again = run_json("score", "r", "--rules", "bfcl-v4", cache=pulled_bfcl)
    assert {cell["pass_hat"]["1"] for cell in again["cells"]} == {1.0}
    (thai / FILE).write_text(f"{(thai / FILE).read_text('utf-8')}\n", "utf-8")
    assert "th:tasks/text/none looks like has changed" in refused(
        "score", "r", "--anew", cache=pulled_bfcl, status=1
    )


def answered(dragoman: Cli, folder: Path, cache: Path, unit: str, *options: str) -> float:
    """Return the reward of a call with a unit on one question."""
    calls = [
        {"name": "get_current_weather", "arguments": {"location": city, "unit": unit}}
        for city in ("Boston, MA", "San Francisco, CA")
    ]
    (folder / "script.json").write_text(json.dumps({ASKED: [{"tool_calls": calls}]}), "utf-8")
    done = dragoman(
        *("run", SUITE, "--tasks", ASKED, "--agent", "scripted/script.json", "--json", *options),
        cache=cache,
    )
    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    return float(cell["pass_hat"]["1"])


def test_a_label_counts_as_its_value_where_tools_are_in_the_language(
    dragoman: Cli, folder: Path, thai: Path, pulled_bfcl: Path
) -> None:
    unit = entries(thai)[ASKED]["function"][0]["parameters"]["properties"]["unit"]
    fahrenheit = unit["enum"][1]
    assert fahrenheit != "fahrenheit"

    def earned(label: str, *options: str) -> float:
        return answered(dragoman, folder, pulled_bfcl, label, *options)

    assert earned(fahrenheit, *in_thai("tools")) == 1.0
    assert earned("fahrenheit", *in_thai("tools")) == 1.0
    assert earned("kelvin", *in_thai("tools")) == 0.0
    assert earned(fahrenheit, *in_thai("tasks")) == 0.0
    assert earned(fahrenheit) == 0.0
    assert earned("fahrenheit") == 1.0


def test_calls_in_text_are_offered_and_read_in_the_language(
    run_json: RunJson, thai: Path, pulled_bfcl: Path
) -> None:
    function = entries(thai)[ASKED]["function"][0]
    label = function["parameters"]["properties"]["unit"]["enum"][1]
    asked: list[str] = []

    def answer(request: ChatBody) -> CannedReply:
        asked.extend(message.text for message in request.messages)
        calls = ", ".join(
            f"get_current_weather(location={city!r}, unit={label!r})"
            for city in ("Boston, MA", "San Francisco, CA")
        )
        return CannedReply(f"[{calls}]")

    with ModelServer(answer) as server:
        agent = f"compatible/any?base_url={server.url}&calls=python"
        (cell,) = run_json(
            *("run", SUITE, "--tasks", ASKED, "--agent", agent, *in_thai("tasks+tools")),
            cache=pulled_bfcl,
        )["cells"]
    assert cell["pass_hat"]["1"] == 1.0
    prompt, question = asked
    assert function["description"] in prompt
    assert "Retrieves the current weather" not in prompt
    assert question == entries(thai)[ASKED]["question"][0][0]["content"]


def test_what_differs_in_more_than_texts_is_refused(
    refused: Refused, thai: Path, pulled_bfcl: Path
) -> None:
    content = (thai / FILE).read_text("utf-8")
    (thai / FILE).write_text(content.replace('"location"', '"place"'), "utf-8")

    why = refused("run", SUITE, "--agent", "gold", *in_thai("tasks"), cache=pulled_bfcl, status=1)

    assert f"{FILE}: live_parallel_0-0-0" in why


@pytest.mark.parametrize(
    ("options", "status", "what"),
    [
        (("--scenario", "tasks"), 2, "use --assets with a folder that holds bfcl/LANGUAGE"),
        (("--scenario", "tasks", "--assets", "."), 1, "holds no translated domain"),
    ],
)
def test_a_folder_must_be_named(
    refused: Refused, pulled_bfcl: Path, options: tuple[str, ...], status: int, what: str
) -> None:
    given = ("--agent", "gold", "--language", "th", *options)
    assert what in refused("run", SUITE, *given, cache=pulled_bfcl, status=status)


def test_where_all_is_in_the_language_agents_are_told_to_speak_it_and_what_is_not_there_is_said(
    run_json: RunJson, dragoman: Cli, thai: Path, pulled_bfcl: Path
) -> None:
    played = ("run", SUITE, "--agent", "gold", "--limit", "2", "--out", "r")
    done = dragoman(*played, *in_thai("domain"), "--full", cache=pulled_bfcl)
    printed = " ".join((done.stdout + done.stderr).split())
    assert "has no greeting and no policy and no database" in printed
    with open_run(thai.parents[2] / "r", write=False) as store:
        (localization,) = read_manifest(store).localization_records.values()
    assert "Thai" in localization.instructions["agent"]
    assert list(localization.assets) == [f"bfcl/th/{FILE}"]
    beside = dragoman(
        *("run", SUITE, "--agent", "gold", "--limit", "1", *in_thai("domain", "interaction")),
        cache=pulled_bfcl,
    )
    assert beside.returncode == 0, beside.stderr
    assert "its questions are the conversation" in " ".join(beside.stdout.split())
    (checked,) = run_json("check", SUITE, *in_thai()[:2], "--assets", "out", cache=pulled_bfcl)[
        "checks"
    ]
    assert checked["condition"] == "th:domain/text/none"
    assert checked["passed"] == 16


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--scenario", "interaction"), "its questions are the conversation"),
        (("--scenario", "conversation+tools"), "its questions are the conversation"),
        (
            ("--scenario", "tasks", "--voice", "simulated:10"),
            "needs the conversation in that language",
        ),
        (("--scenario", "tools", "--language", "th+vi"), "which languages cannot share"),
    ],
)
def test_conditions_that_questions_do_not_have_are_named(
    dragoman: Cli, pulled_bfcl: Path, options: tuple[str, ...], why: str
) -> None:
    language = () if "--language" in options else ("--language", "th")
    done = dragoman(
        *("run", SUITE, "--agent", "gold", "--limit", "1", "--assets", "out"),
        *(*language, *options),
        cache=pulled_bfcl,
    )
    assert why in " ".join((done.stdout + done.stderr).split())
