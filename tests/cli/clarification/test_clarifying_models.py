"""Agents that ask how something is written: a model over loopback takes every course there is."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.registry.suites import load_suite
from dragoman.testing.chat_requests import Call, ChatBody, Function
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

RECOGNITION_ERRORS = '''
from dragoman.core.layers import Layer


class Spoken:
    """Whoever listens writes words for what was spelled."""

    async def carry(self, utterance):
        heard = utterance.intended.replace("_", " ")
        return type(utterance)(utterance.intended, spoken=utterance.intended, heard=heard)

    def take_usage(self):
        return ()


def ears(value, suite):
    return Layer("ears", "ears-1", channel=lambda talk, side: Spoken() if side == "user" else None)
'''
REQUEST = "Move 'final report.pdf' within document directory to 'temp' directory in document"
QUESTION = "Just to be sure, is the file called final report.pdf, or is it final_report.pdf?"
LOST = "I created 'temp' inside 'document', but there is no 'final report.pdf'. Where is that file?"


def calls(*named: tuple[str, Mapping[str, object]]) -> CannedReply:
    """A reply that calls."""
    functions = [Function(name, json.dumps(arguments)) for name, arguments in named]
    return CannedReply(None, tuple(Call("", function) for function in functions))


def moving(source: str) -> CannedReply:
    """The calls of the first turn, with a name for the file."""
    return calls(
        ("cd", {"folder": "document"}),
        ("mkdir", {"dir_name": "temp"}),
        ("mv", {"source": source, "destination": "temp"}),
    )


LATER = {
    "Perform a detailed search": calls(
        ("cd", {"folder": "temp"}),
        ("grep", {"file_name": "final_report.pdf", "pattern": "budget analysis"}),
    ),
    "Upon identifying": calls(("sort", {"file_name": "final_report.pdf"})),
    "Move 'previous report.pdf'": calls(
        ("cd", {"folder": ".."}),
        ("mv", {"source": "previous_report.pdf", "destination": "temp"}),
        ("cd", {"folder": "temp"}),
        ("diff", {"file_name1": "final_report.pdf", "file_name2": "previous_report.pdf"}),
    ),
}


class Scripted:
    """Answers by how the last message begins: the agent's own way, or the judge's."""

    def __init__(
        self, agent: Mapping[str, CannedReply], judge: Mapping[str, str] | None = None
    ) -> None:
        self._agent = agent
        self._judge = judge or {}
        self.judged: list[str] = []

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        last = request.messages[-1]
        if request.model == "judge":
            self.judged.append(last.text)
            found = [each for begins, each in self._judge.items() if begins in last.text]
            return CannedReply(found[0] if found else '{"allowed": false, "message": ""}')
        if last.role == "tool":
            is_lost = '"error"' in last.text
            return CannedReply(LOST if is_lost else "Done.")
        said = [reply for begins, reply in self._agent.items() if last.text.startswith(begins)]
        return said[0] if said else Unanswered(f"nothing to {last.text[:80]}")


@pytest.fixture
def recognizers(folder: Path) -> Path:
    """The folder with a package whose axis `recognizers` loses unheard values."""
    (folder / "own_ears.py").write_text(RECOGNITION_ERRORS)
    package = folder / "own_ears-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: own-ears\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[dragoman.layers]\nears = own_ears:ears\n")
    return folder


def events(episode: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for event in episode["events"]:
        if event["type"] == "move" and event["reply"]["type"] == "said":
            yield event["by"], event["reply"]["utterance"]["intended"]


@pytest.mark.usefixtures("recognizers")
@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        pytest.param(
            {REQUEST: CannedReply(QUESTION), "final_report.pdf": moving("final_report.pdf")},
            (1, ["allowed", "no question"]),
            id="wanted",
        ),
        pytest.param(
            {REQUEST: moving("final report.pdf")},
            (0, ["no question"]),
            id="failing",
        ),
        pytest.param(
            {REQUEST: CannedReply("Could you confirm your password for the folder 'document'?")},
            (0, ["outside"]),
            id="rejected",
        ),
        pytest.param(
            {REQUEST: CannedReply("What a tidy folder you have! How are you today?")},
            (0, ["no question"]),
            id="chat",
        ),
    ],
)
def test_the_final_report_is_found_by_who_asks_for_its_name_and_lost_by_who_acts_at_once(
    run_json: RunJson,
    dragoman: Cli,
    pulled_bfcl: Path,
    first: dict[str, CannedReply],
    wanted: tuple[int, list[str]],
) -> None:
    with ModelServer(Scripted(first | LATER)) as server:
        options = (
            *("--agent", f"compatible/agent?base_url={server.url}", "--tasks", "multi_turn_base_0"),
            *("--axis", "ears=human", "--clarify", "rule", "--out", "here"),
        )
        (cell,) = run_json("run", "bfcl:multi_turn_base", *options, cache=pulled_bfcl)["cells"]

    passes, reasons = wanted
    assert cell["pass_hat"] == {"1": passes}
    shown = run_json("show", "here", "multi_turn_base_0", cache=pulled_bfcl)
    found = [entry["reason"] for entry in shown["episode"]["clarifications"]]
    assert found[: len(reasons)] == reasons
    text = dragoman("show", "here", "multi_turn_base_0", cache=pulled_bfcl).stdout
    assert ("judged" in text, "answered" in text) == (True, True)


@pytest.mark.usefixtures("recognizers")
def test_over_several_turns_a_model_judges_what_was_meant_heard_and_said(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    agent = {REQUEST: CannedReply(QUESTION), "It is final_report.pdf.": moving("final_report.pdf")}
    approval = '{"allowed": true, "message": "It is final_report.pdf."}'
    answers = Scripted(agent | LATER, {QUESTION: approval})
    with ModelServer(answers) as server:
        options = (
            *("--agent", f"compatible/agent?base_url={server.url}", "--tasks", "multi_turn_base_0"),
            *("--clarify", f"compatible/judge?base_url={server.url}", "--axis", "ears=human"),
        )
        (cell,) = run_json("run", "bfcl:multi_turn_base", *options, cache=pulled_bfcl)["cells"]

    assert cell["pass_hat"] == {"1": 1}
    first, second, *_ = answers.judged
    assert "<intended_request>\nMove 'final_report.pdf' within" in first
    assert "<asr_text>\nMove 'final report.pdf' within" in first
    assert '"source":"final_report.pdf"' in first
    assert "It is final_report.pdf." not in second


SINGLE = {
    "Find the area": calls(("calculate_triangle_area", {"base": 10, "height": 5})),
    "Calculate the factorial": CannedReply("Is the number 5?"),
    "Yes, 5": calls(("math_factorial", {"number": 5})),
    "Calculate the hypotenuse": CannedReply("Could you confirm your email, please?"),
    "Find the roots": CannedReply("What a lovely equation! How are you today?"),
}
NUMBER = '{"allowed": true, "message": "Yes, 5"}'
APPROVES_ALL = {
    "the number 5": NUMBER,
    "your email": '{"allowed": true, "message": "x: 4"}',
    "a lovely": '{"allowed": true, "message": "Find the roots of a quadratic equation"}',
}


@pytest.mark.parametrize("judge", ["rule", "model"])
def test_in_a_single_turn_an_agent_acts_asks_what_it_may_what_it_may_not_or_chats(
    run_json: RunJson, pulled_bfcl: Path, judge: str
) -> None:
    answers = Scripted(SINGLE, {"the number 5": NUMBER})
    with ModelServer(answers) as server:
        judging = judge if judge == "rule" else f"compatible/judge?base_url={server.url}"
        options = (
            *("--agent", f"compatible/agent?base_url={server.url}", "--limit", 4),
            *("--clarify", "none", "--clarify", judging, "--out", "here"),
        )
        cells = run_json("run", "bfcl:simple_python", *options, cache=pulled_bfcl)["cells"]
        asked = len(answers.judged)

    assert [cell["axes"]["clarify"] for cell in cells] == ["none", judging]
    assert [cell["pass_hat"]["1"] for cell in cells] == [0.25, 0.5]
    assert asked == (0 if judge == "rule" else 3)
    label = cells[1]["condition"]
    reasons = []
    for number in range(4):
        place = ("show", "here", f"simple_python_{number}", "--condition", label)
        episode = run_json(*place, cache=pulled_bfcl)["episode"]
        reasons += [entry["reason"] for entry in episode.get("clarifications", ())]
    refused = ["outside", "no question"] if judge == "rule" else ["judge", "judge"]
    assert reasons == ["allowed", *refused]


def test_calls_that_are_written_as_text_are_no_words_to_judge(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    area = {"Find the area": CannedReply("[calculate_triangle_area(base=10, height=5)]")}
    with ModelServer(Scripted(area)) as server:
        options = (
            *("--agent", f"compatible/agent?calls=python&base_url={server.url}", "--limit", 1),
            *("--clarify", "rule", "--out", "here"),
        )
        (cell,) = run_json("run", "bfcl:simple_python", *options, cache=pulled_bfcl)["cells"]

    assert cell["pass_hat"] == {"1": 1}
    episode = run_json("show", "here", "simple_python_0", cache=pulled_bfcl)["episode"]
    assert "clarifications" not in episode


def test_an_approval_that_may_not_be_is_taken_back_and_the_run_goes_on(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    with ModelServer(Scripted(SINGLE, APPROVES_ALL)) as server:
        options = (
            *("--agent", f"compatible/agent?base_url={server.url}", "--limit", 4),
            *("--clarify", f"compatible/judge?base_url={server.url}", "--out", "here"),
        )
        result = run_json("run", "bfcl:simple_python", *options, cache=pulled_bfcl)

    for task, reason in (("simple_python_2", "outside"), ("simple_python_3", "leak")):
        episode = run_json("show", "here", task, cache=pulled_bfcl)["episode"]
        (entry,) = episode["clarifications"]
        assert entry["reason"] == reason
        assert json.loads(entry["answer"])["allowed"] is True
    figures = {
        row["figure"]: row["value"]
        for row in result["measures"]
        if row["measure"] == "clarifications"
    }
    assert (figures["judged"], figures["rejected"], figures["rejected: leak"]) == (3, 2, 1)


@pytest.fixture
def recorded(
    write_set: Callable[..., Path],
    pulled_bfcl: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A set of the one entry, in which the characters of names were not heard."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    suite = load_suite("bfcl:multi_turn_base")
    heard = {"simulated:15": lambda text: text.replace("_", " ")}
    return write_set(folder / "spoken", [suite], ["multi_turn_base_0"], heard)


@pytest.mark.parametrize(
    ("first", "whitelist", "wanted"),
    [
        pytest.param(
            {REQUEST: CannedReply(QUESTION), "final_report.pdf": moving("final_report.pdf")},
            {"source_file": "final_report.pdf"},
            (1, ["allowed", "no question"]),
            id="wanted",
        ),
        pytest.param(
            {REQUEST: moving("final report.pdf")},
            {"source_file": "final_report.pdf"},
            (0, ["no question"]),
            id="failing",
        ),
        pytest.param(
            {REQUEST: CannedReply(QUESTION)}, {}, (0, ["nothing to clarify"]), id="not in the set"
        ),
    ],
)
def test_of_a_set_what_its_whitelists_have_may_be_confirmed(
    run_json: RunJson,
    recorded: Path,
    first: dict[str, CannedReply],
    whitelist: dict[str, str],
    wanted: tuple[int, list[str]],
) -> None:
    cache = Path(os.environ["XDG_CACHE_HOME"])
    texts = recorded / "texts.jsonl"
    topics = f'"topics":{json.dumps(whitelist)}'
    texts.write_text(texts.read_text().replace('"topics":{}', topics, 1))
    with ModelServer(Scripted(first | LATER)) as server:
        options = (
            *("--agent", f"compatible/agent?base_url={server.url}", "--voice", "recorded"),
            *("--clarify", "rule", "--out", "here"),
        )
        (cell,) = run_json("run", "set:spoken", *options, cache=cache)["cells"]

    passes, reasons = wanted
    assert cell["pass_hat"] == {"1": passes}
    shown = run_json("show", "here", "multi_turn_base_0", cache=cache)
    found = [entry["reason"] for entry in shown["episode"]["clarifications"]]
    assert found[: len(reasons)] == reasons


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Yes, it is the number 5.", "unreadable"),
        ('{"allowed": true, "message": "Yes, 5", "why": "it was asked"}', "unreadable"),
        ('{"allowed": "yes", "message": "Yes, 5"}', "unreadable"),
        ('{"allowed": true, "message": "Yes, 5 of the password swordfish"}', "reply outside"),
        (
            '{"allowed": true, "message": "Calculate the factorial of 5 using math functions."}',
            "leak",
        ),
    ],
)
def test_whatever_a_judge_answers_the_turn_ends_and_the_other_tasks_are_played(
    run_json: RunJson, pulled_bfcl: Path, answer: str, reason: str
) -> None:
    with ModelServer(Scripted(SINGLE, {"the number 5": answer})) as server:
        options = (
            *("--agent", f"compatible/agent?base_url={server.url}", "--limit", 2),
            *("--clarify", f"compatible/judge?base_url={server.url}", "--out", "here"),
        )
        (cell,) = run_json("run", "bfcl:simple_python", *options, cache=pulled_bfcl)["cells"]

    assert cell["pass_hat"] == {"1": 0.5}
    episode = run_json("show", "here", "simple_python_1", cache=pulled_bfcl)["episode"]
    (entry,) = episode["clarifications"]
    assert (entry["reason"], entry["answer"]) == (reason, answer)
