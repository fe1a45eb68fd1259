"""Every reported form of a server's answer ends as it should, through the real command.

`shared/inputs/wire` plays the forms; the table says for each what the conversation holds and whose doing
its end is. The same table stands in `docs/reference/providers.md`.
"""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.conftest import shared_folder

from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.store.run_store import open_run

FILE = Path(__file__).parents[3] / "docs" / "reference" / "providers.md"
PAGE = FILE.read_text("utf-8").partition("\n## What model servers send\n")[2]
ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<outcome>[^|]+) \| (?P<side>[^|]+) \|$", re.MULTILINE)
BYE = "says 'Goodbye.'"
SIDES = {"infrastructure_error": "infrastructure", "user_error": "user"}
"""Side that caused an end, if it was not the agent."""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[str]]]:
    """The address of a server that plays the forms, and their names."""
    folder = shared_folder("DRAGOMAN_INPUTS", "inputs") / "wire"
    spec = importlib.util.spec_from_file_location("wire_scenarios", folder / "scenarios.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    command = [sys.executable, str(folder / "server.py"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        yield f"http://127.0.0.1:{port}", list(module.SCENARIOS)
        process.kill()


def told_in_docs() -> dict[str, tuple[str, str]]:
    """Return the outcome and the side of every form in the page's table."""
    return {
        row["name"]: (row["outcome"].strip(), row["side"].strip()) for row in ROW.finditer(PAGE)
    }


def outcome_of(episode: Episode) -> tuple[str, str]:
    """Return what a conversation holds of the agent's first two replies, and whose doing its end is."""
    moves = [
        event for event in episode.events if isinstance(event, Message) and event.by == "agent"
    ]
    reported = [_told(move) for move in moves if not move.scripted][:2]
    while len(reported) > 1 and reported[-1] == BYE:
        reported.pop()
    return ", then ".join(reported) or "nothing", SIDES.get(episode.ending.reason, "agent")


def _told(move: Message) -> str:
    thought = "thinks, " if move.reasoning else ""
    match move.reply:
        case TextReply() as said:
            return f"{thought}says {said.text!r}"
        case UnparsedReply(error=error):
            return f"{thought}unusable: {error.partition(':')[0].partition(' (')[0]}"
        case ToolCallReply(calls=calls):
            named = (f"{call.name}{' (malformed)' if call.malformed else ''}" for call in calls)
            return f"{thought}calls {', '.join(named)}"


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.conformance
def test_every_form_ends_as_the_page_says(
    server: tuple[str, list[str]],
    tmp_path: Path,
    in_process: Callable[..., CompletedProcess[str]],
) -> None:
    address, names = server
    played = [name for name in names if not name.startswith("b_") and name not in REFUSED]
    agents = {
        f"compatible/x?base_url={address}/{name}/v1{'&stream=on' if name.startswith('s_') else ''}": name
        for name in played
    }
    given = (part for agent in agents for part in ("--agent", agent))
    options = ("--limit", "1", "--no-cache", "--no-preflight", "--patience", "2", "--out", "forms")
    done = in_process("run", "courier", *options, *given, cwd=tmp_path, COMPATIBLE_API_KEY="k")
    assert done.returncode == 0, done.stderr

    with open_run(tmp_path / "forms", write=False) as store:
        cells = {cell.key: agents[cell.agent] for cell in store.cells()}
        found = {cells[key]: outcome_of(episode) for key, _, episode in store.episodes()}

    assert found == {
        name: reported for name, reported in told_in_docs().items() if name not in REFUSED
    }


REFUSED = {
    "seed_400": "add seed=off to the model's parameters",
    "tool_choice_400": "start the server with a tool parser",
}
"""Forms that refuse whatever is asked: the run ends and says what to do."""


@pytest.mark.conformance
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_server_that_refuses_everything_ends_the_run_with_what_to_do(
    server: tuple[str, list[str]],
    tmp_path: Path,
    in_process: Callable[..., CompletedProcess[str]],
    name: str,
) -> None:
    agent = f"compatible/x?base_url={server[0]}/{name}/v1"
    options = ("--limit", "1", "--no-cache", "--agent", agent, "--out", "forms")
    done = in_process("run", "courier", *options, cwd=tmp_path, COMPATIBLE_API_KEY="k")
    assert done.returncode == 1
    assert REFUSED[name] in done.stderr
    assert "Traceback" not in done.stderr
    assert told_in_docs()[name] == (f"the run ends: {REFUSED[name]}", "user of the product")
