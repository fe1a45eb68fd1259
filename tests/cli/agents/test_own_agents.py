"""Agents, users and judges that people bring themselves."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

AGENTS = """
import asyncio
import pathlib
import threading


def plain(messages, tools):
    assert messages[0]["role"] == "system", messages
    assert messages[-1]["role"] in {"user", "tool"}, messages
    assert {tool["type"] for tool in tools} == {"function"}, tools
    return "I cannot help you with that."


async def patient(messages, tools):
    await asyncio.sleep(0)
    return {"content": "I cannot help you with that."}


class Stateful:
    def __call__(self, messages, tools):
        return "I cannot help you with that."


stateful = Stateful()


def caller(messages, tools):
    if messages[-1]["role"] == "user":
        arguments = {"first_name": "Ines", "last_name": "Carvalho", "zip": "04101"}
        return {"tool_calls": [{"name": "find_user_id_by_name_zip", "arguments": arguments}]}
    if "carvalho" in messages[-1]["content"] and len(messages) < 6:
        return {"tool_calls": [{"name": "get_order_details", "arguments": '{"order_id": "#S1000005"}'}]}
    return "The tracking number is 660017783004."


def broken(messages, tools):
    if pathlib.Path("mended").exists():
        return "I cannot help you with that."
    raise RuntimeError("the line is dead\\nand the phone too")


def talkative(messages, tools):
    print("debugging")
    return "I cannot help you with that."


def cut_off(messages, tools):
    raise ConnectionError("no route to the model")


def sleeps(messages, tools):
    threading.Event().wait(0.3)


def broken_at_times(messages, tools):
    if "#S1000005" in messages[-1]["content"] and not pathlib.Path("mended").exists():
        raise ConnectionError("no route to the model")
    return "I cannot help you with that."


def number(messages, tools):
    return 42


def nothing(messages, tools):
    return None


def blank(messages, tools):
    return "  \\n "


def bad_call(messages, tools):
    return {"tool_calls": [{"name": "no_such_tool", "arguments": "{not json"}]}


def not_finite(messages, tools):
    arguments = {"order_id": float("nan")}
    return {"tool_calls": [{"name": "get_order_details", "arguments": arguments}]}


def enormous(messages, tools):
    arguments = {"order_id": 10**400}
    return {"tool_calls": [{"name": "get_order_details", "arguments": arguments}]}


def no_json(messages, tools):
    return {"tool_calls": [{"name": "get_order_details", "arguments": {"order_id": object()}}]}


def half_a_character(messages, tools):
    return "\\ud800 is half a character"


async def gives_up(messages, tools):
    raise asyncio.CancelledError


def leaves(messages, tools):
    raise SystemExit(3)


class Odd(BaseException):
    pass


RAISED = {
    "stops": GeneratorExit, "interrupts": KeyboardInterrupt, "exits": SystemExit, "odd": Odd,
    "iterates": StopIteration, "iterates_later": StopAsyncIteration, "cancels": asyncio.CancelledError,
    "deep": RecursionError, "full": MemoryError,
}


def _raising(kind):
    def agent(messages, tools):
        raise kind("on purpose")

    async def waiting(messages, tools):
        await asyncio.sleep(0)
        raise kind("on purpose")

    class Participant:
        name = "raises"

        async def open(self, opening):
            return self

        async def reply(self, heard, tools):
            raise kind("on purpose")

        async def close(self):
            raise kind("on purpose")

    return agent, waiting, Participant()


for _name, _kind in RAISED.items():
    globals()[_name], globals()[f"{_name}_async"], globals()[f"{_name}_object"] = _raising(_kind)


async def leaves_in_a_task(messages, tools):
    async def leave():
        raise SystemExit(3)

    asyncio.create_task(leave())
    await asyncio.sleep(5)


def loud(messages, tools):
    return "\\x1b]0;pwned\\x07\\x1b[31mred <script>alert(1)</script> [bold]x[/bold] \\u202e\\x00"


everybody = threading.Barrier(40)


def waits_for_all(messages, tools):
    everybody.wait(timeout=3)
    return "I cannot help you with that."


three = 3


class FailsToOpen:
    name = "fails to open"

    async def open(self, opening):
        raise RuntimeError("cannot open")


class FailsToReply:
    name = "fails to reply"

    async def open(self, opening):
        return self

    async def reply(self, heard, tools):
        raise RuntimeError("cannot reply")

    async def close(self):
        pass


class FailsToClose(FailsToReply):
    async def reply(self, heard, tools):
        from dragoman.core.protocols import SessionReply
        from dragoman.core.replies import text_reply

        return SessionReply(text_reply("Goodbye."))

    async def close(self):
        raise RuntimeError("cannot close")


class RepliesWithText(FailsToReply):
    async def reply(self, heard, tools):
        return "not an answer"


class Picky(FailsToReply):
    def __init__(self, needed):
        pass
"""


@pytest.fixture(autouse=True)
def _own(folder: Path) -> None:
    (folder / "own.py").write_text(AGENTS)
    (folder / "syntax.py").write_text("def broken(:\n")
    (folder / "raising.py").write_text("raise RuntimeError('at import')\n")


@pytest.fixture
def cell_of(run_json: RunJson) -> RunJson:
    """Run one agent of the module on the sample and return the only cell."""

    def call(agent: str, *options: str, status: int = 0) -> Any:  # noqa: ANN401 - whatever JSON holds
        run = ("run", "sample:shop", "--agent", f"own:{agent}", *options, "--out", "mine")
        (cell,) = run_json(*run, status=status)["cells"]
        return cell

    return call


@pytest.mark.parametrize("agent", ["plain", "patient", "stateful"])
def test_a_function_or_a_callable_object_of_ones_own_is_an_agent(
    cell_of: RunJson, agent: str
) -> None:
    cell = cell_of(agent, "--judge", "assume-met")

    assert cell["agent"] == f"own:{agent}"
    assert cell["endings"] == {"user_stop": 5}
    assert cell["pass_hat"] == {"1": 0.2}
    assert cell["infrastructure_errors"] == 0


def test_an_agents_calls_are_executed_and_their_results_come_back_to_it(
    cell_of: RunJson, dragoman: Cli
) -> None:
    cell = cell_of("caller", "--tasks", "too-late", "--judge", "rule")

    assert cell["pass_hat"] == {"1": 1}
    assert cell["tool_errors"] == 0
    shown = dragoman("show", "mine", "too-late").stdout
    assert "calls find_user_id_by_name_zip" in shown
    assert "calls get_order_details" in shown


def test_plain_functions_wait_side_by_side_as_many_as_there_are_conversations(
    cell_of: RunJson,
) -> None:
    cell = cell_of("waits_for_all", "--trials", "8", "--concurrency", "40")

    assert cell["infrastructure_errors"] == 0


def test_usage_counts_the_calls_of_an_own_agent(run_json: RunJson) -> None:
    result = run_json("run", "sample:shop", "--agent", "own:plain")

    (usage,) = result["usage"]
    assert (usage["purpose"], usage["model"], usage["calls"]) == ("agent", "own:plain", 5)


def test_what_an_agent_breaks_is_reported_apart_and_left_out_of_the_figures(
    run_json: RunJson,
) -> None:
    result = run_json("run", "sample:shop", "--agent", "own:broken_at_times", "--out", "mine")

    (cell,) = result["cells"]
    assert result["infrastructure_errors"] == cell["infrastructure_errors"] == 1
    assert cell["endings"] == {"user_stop": 4, "infrastructure_error": 1}
    assert cell["tasks"] + cell["left_out"] == 5
    (why,) = (reason for reason in cell["unscored"] if reason.startswith("infrastructure"))
    assert "ConnectionError" in why
    assert "no route to the model" in why


def test_a_run_with_broken_conversations_says_how_to_try_them_again(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "own:cut_off", "--out", "mine")

    assert "5 conversations ended by infrastructure errors" in done.stdout
    assert "dragoman resume mine" in done.stdout
    assert "Traceback" not in done.stderr


def test_an_agent_whose_code_raises_is_told_where_and_is_not_called_infrastructure(
    dragoman: Cli, run_json: RunJson
) -> None:
    done = dragoman("run", "sample:shop", "--agent", "own:broken", "--out", "mine")

    assert done.returncode == 1
    line = AGENTS[: AGENTS.index("raise RuntimeError")].count("\n") + 1
    error = "RuntimeError: the line is dead and the phone too"
    where = f"own:broken raised {error} (own.py, line {line})"
    shown = " ".join(done.stdout.split())
    assert f"ended: 5 code_error ({where})" in shown
    assert "0 infrastructure errors" in shown
    assert "5 code errors" in shown
    assert "start a new run. Details: dragoman show mine" in done.stdout
    assert "Traceback" not in done.stderr
    (cell,) = run_json("resume", "mine", status=1)["cells"]
    assert (cell["code_errors"], cell["infrastructure_errors"]) == (5, 0)
    assert cell["ending_details"] == {"code_error": where}
    assert cell["unscored"] == {f"the code raised: {where}": 5}
    assert (cell["tasks"], cell["left_out"]) == (0, 5)


@pytest.mark.parametrize(
    ("agent", "options", "ended"),
    [
        (
            "nothing",
            (),
            "5 agent_error (it returned None: an answer is text, or an object with `content` or `tool_calls`)",
        ),
        ("number", (), "5 agent_error (Expected `object`, got `int`)"),
        ("blank", (), "5 agent_error (the reply has neither words nor calls)"),
        ("plain", ("--max-steps", "2"), "5 max_steps (the limit of steps was reached)"),
        ("sleeps", ("--timeout", "0.05"), "5 timeout (the agent did not answer in time)"),
    ],
)
def test_a_summary_says_how_conversations_ended_where_it_was_not_by_their_own_end(
    dragoman: Cli, agent: str, options: tuple[str, ...], ended: str
) -> None:
    done = dragoman("run", "sample:shop", "--agent", f"own:{agent}", *options, "--out", "mine")

    assert f"ended: {ended} " in f"{' '.join(done.stdout.split())} "


def test_what_an_agent_prints_is_no_part_of_the_results(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "own:talkative", "--json")

    assert done.stdout.startswith('{"run":')
    assert done.stderr.count("debugging") == 5


def test_a_summary_is_silent_on_endings_where_all_were_regular(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "own:plain", "--out", "mine")

    assert "ended:" not in done.stdout


def test_the_command_that_tries_again_can_be_pasted_into_a_shell(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "own:cut_off", "--out", "my runs/one")

    line = next(line for line in done.stdout.splitlines() if "dragoman resume" in line)
    words = shlex.split(line[line.index("dragoman resume") :])
    assert words == ["dragoman", "resume", "my runs/one"]


def test_resume_tries_again_what_infrastructure_broke_and_nothing_else(
    run_json: RunJson, folder: Path
) -> None:
    run_json("run", "sample:shop", "--agent", "own:broken_at_times", "--out", "mine")
    before = run_json("show", "mine", "larger-jacket")
    (folder / "mended").touch()

    result = run_json("resume", "mine")

    assert result["infrastructure_errors"] == 0
    assert result["cells"][0]["endings"] == {"user_stop": 5}
    assert run_json("show", "mine", "larger-jacket") == before
    assert (
        run_json("run", "sample:shop", "--agent", "own:plain")["cells"][0]["pass_hat"]
        == (result["cells"][0]["pass_hat"])
    )


@pytest.mark.parametrize("agent", ["number", "nothing", "blank"])
def test_an_answer_that_is_none_is_the_agents_own_fault(cell_of: RunJson, agent: str) -> None:
    cell = cell_of(agent, "--judge", "assume-met")

    assert cell["endings"] == {"agent_error": 5}
    assert cell["infrastructure_errors"] == 0
    assert (cell["tasks"], cell["pass_hat"]) == (5, {"1": 0})


@pytest.mark.parametrize("agent", ["bad_call", "not_finite", "enormous"])
def test_calls_that_make_no_sense_are_tool_errors_of_the_agent(
    cell_of: RunJson, agent: str
) -> None:
    cell = cell_of(agent, "--judge", "assume-met", "--max-errors", "3")

    assert cell["endings"] == {"too_many_errors": 5}
    assert cell["tool_errors"] == 15
    assert (cell["tasks"], cell["pass_hat"]) == (5, {"1": 0})


@pytest.mark.parametrize("agent", ["no_json", "half_a_character"])
def test_an_answer_that_json_cannot_hold_spoils_no_other_conversation(
    cell_of: RunJson, agent: str
) -> None:
    cell = cell_of(agent)

    assert cell["missing"] == 0
    assert sum(cell["endings"].values()) == 5
    assert set(cell["endings"]) <= {"agent_error", "infrastructure_error", "too_many_errors"}


def test_an_agent_that_cancels_itself_is_an_error_of_its_code(cell_of: RunJson) -> None:
    cell = cell_of("gives_up", status=1)

    assert (cell["missing"], cell["code_errors"]) == (0, 5)


@pytest.mark.parametrize("form", ["", "_async", "_object"])
@pytest.mark.parametrize(
    "agent",
    [
        *("stops", "interrupts", "exits", "odd", "iterates", "iterates_later", "cancels"),
        *("deep", "full"),
    ],
)
def test_whatever_an_agent_raises_ends_its_own_conversation(
    cell_of: RunJson, agent: str, form: str
) -> None:
    cell = cell_of(f"{agent}{form}", "--limit", "2", status=1)

    assert (cell["missing"], cell["code_errors"]) == (0, 2)


def test_an_agents_task_that_ends_the_program_is_told_in_one_line(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "own:leaves_in_a_task", "--out", "mine")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("dragoman: ")]
    assert "the user's own code ended the program: SystemExit: 3 (own.py" in line


def test_a_participant_that_cannot_close_has_had_its_conversation(cell_of: RunJson) -> None:
    cell = cell_of("FailsToClose")

    assert (cell["missing"], cell["infrastructure_errors"]) == (0, 0)


@pytest.mark.parametrize("agent", ["FailsToOpen", "FailsToReply", "RepliesWithText"])
def test_a_participant_of_ones_own_that_breaks_is_an_error_of_its_code(
    cell_of: RunJson, agent: str
) -> None:
    cell = cell_of(agent, status=1)

    assert (cell["missing"], cell["code_errors"]) == (0, 5)


def test_what_an_agent_says_cannot_steer_the_terminal_or_the_report(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    run_json("run", "sample:shop", "--agent", "own:loud", "--out", "mine")

    shown = dragoman("show", "mine", "too-late", COLUMNS="200").stdout
    assert dragoman("report", "mine").returncode == 0
    html = (folder / "mine" / "report.html").read_text("utf-8")

    assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(shown)
    assert r"\x1b[31mred <script>alert(1)</script> [bold]x[/bold] \u202e\x00" in shown
    assert "alert(1)" not in html


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("own:missing", "own"),
        ("own:three", "neither a function"),
        ("no_such_module:agent", "no_such_module"),
        ("own.plain", "MODULE:ATTRIBUTE"),
        ("own:", "no attribute"),
    ],
)
def test_an_agent_that_is_not_there_is_named_in_one_line(
    refused: Refused, spec: str, words: str
) -> None:
    assert words in refused("run", "sample:shop", "--agent", spec, status=2)


@pytest.mark.parametrize("spec", ["syntax:agent", "raising:agent", ":agent", "..own:plain"])
def test_a_module_that_cannot_be_imported_is_named_in_one_line(refused: Refused, spec: str) -> None:
    assert spec in refused("run", "sample:shop", "--agent", spec, status=2)


def test_a_participant_class_that_needs_arguments_is_refused_in_one_line(refused: Refused) -> None:
    assert "own:Picky" in refused("run", "sample:shop", "--agent", "own:Picky", status=2)


def test_an_own_user_takes_the_place_of_the_offline_one(run_json: RunJson) -> None:
    result = run_json(
        "run", "sample:shop", "--agent", "silent", "--user", "own:patient", "--limit", 1
    )

    assert [entry["purpose"] for entry in result["usage"]] == ["user"]


# Scripted models


def _script(path: Path, *replies: object) -> str:
    path.write_text(json.dumps({"*": replies}))
    return f"scripted/{path.name}"


def test_scripted_models_play_agent_user_and_judge(run_json: RunJson, folder: Path) -> None:
    agent = _script(
        folder / "agent.json",
        {
            "tool_calls": [
                {"name": "get_order_details", "arguments": {"order_id": "#S1000005"}},
                {"name": "get_order_details", "arguments": "{broken"},
            ]
        },
        {"content": "The tracking number is 660017783004."},
    )
    user = _script(folder / "user.json", {"content": "Where is it?"}, {"content": "###STOP###"})
    judge = _script(
        folder / "judge.json",
        {"content": '{"verdicts": [{"id": 1, "met": true, "why": "it was said"}]}'},
    )

    result = run_json(
        *("run", "sample:shop", "--tasks", "too-late", "--agent", agent),
        *("--user", user, "--judge", judge, "--out", "mine"),
    )

    (cell,) = result["cells"]
    assert (cell["tasks"], cell["pass_hat"], cell["tool_errors"]) == (1, {"1": 1}, 1)
    assert {entry["purpose"]: entry["calls"] for entry in result["usage"]}.items() >= {
        ("agent", 2),
        ("user", 2),
    }


def test_what_the_judge_consumed_is_part_of_the_usage(run_json: RunJson, folder: Path) -> None:
    judge = _script(
        folder / "judge.json", {"content": '{"verdicts": [{"id": 1, "met": true, "why": ""}]}'}
    )

    result = run_json(
        *("run", "sample:shop", "--tasks", "too-late", "--agent", "gold", "--judge", judge)
    )

    assert [entry["purpose"] for entry in result["usage"]] == ["judge"]


def test_a_judge_that_answers_badly_leaves_the_task_out_and_says_why(
    run_json: RunJson, folder: Path
) -> None:
    judge = _script(folder / "judge.json", {"content": "Sure, all fine."})

    (cell,) = run_json(
        *("run", "sample:shop", "--tasks", "too-late", "--agent", "gold", "--judge", judge)
    )["cells"]

    assert (cell["tasks"], cell["left_out"]) == (0, 1)
    assert cell["pass_hat"] == {"1": None}
    assert "judge failed" in next(iter(cell["unscored"]))


def test_a_judge_that_failed_is_asked_again_by_scoring_again(
    run_json: RunJson, folder: Path
) -> None:
    judge = _script(folder / "judge.json", {"content": "Sure, all fine."})
    options = ("--tasks", "too-late", "--agent", "gold", "--judge", judge, "--out", "mine")
    run_json("run", "sample:shop", *options)
    _script(folder / "judge.json", {"content": '{"verdicts": [{"id": 1, "met": true}]}'})

    (cell,) = run_json("score", "mine")["cells"]

    assert (cell["tasks"], cell["pass_hat"]) == (1, {"1": 1})


def test_a_script_that_is_used_up_is_an_infrastructure_fault(
    run_json: RunJson, folder: Path
) -> None:
    agent = _script(folder / "agent.json", {"content": "Anything else?"})

    result = run_json("run", "sample:shop", "--agent", agent, "--limit", 1, status=1)

    assert result["infrastructure_errors"] == 1
    assert "used up" in next(iter(result["cells"][0]["unscored"]))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        ('{"*": [{"content": "x"', "truncated"),
        ('{"*": [{"contents": "x"}]}', "contents"),
        ("[]", "Expected"),
    ],
)
def test_a_script_that_is_none_is_named_in_one_line(
    refused: Refused, folder: Path, content: str | None, words: str
) -> None:
    if content is not None:
        (folder / "script.json").write_text(content)

    line = refused("run", "sample:shop", "--agent", "scripted/script.json", status=2)

    assert "script.json" in line
    assert words in line


def test_a_received_run_takes_a_persons_word(folder: Path, dragoman: Cli, refused: Refused) -> None:
    (folder / "agents.py").write_text(AGENTS)
    assert dragoman("run", "sample:shop", "--agent", "agents:plain", "--out", "r").returncode == 0
    elsewhere = {"XDG_STATE_HOME": str(folder / "state")}
    for command in ("resume", "blame"):
        line = refused(command, "r", status=2, **elsewhere)
        assert "it runs code, agents:plain: give --trust if you know where it comes from" in line
    assert dragoman("resume", "r", "--trust", **elsewhere).returncode == 0
    assert dragoman("resume", "r", **elsewhere).returncode == 0
