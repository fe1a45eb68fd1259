"""Agents behind HTTP, from the command line to the stored records."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from dragoman.core.episodes import Episode, Message
from dragoman.store.run_store import open_run

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]
Serve = Callable[..., str]

TOKEN = "tok-3141592653"  # noqa: S105 - no secret outside this test
AGENTS = """
import json


def caller(messages, tools):
    words = " ".join(str(message["content"]) for message in messages if message["role"] == "user")
    results = [message["content"] for message in messages if message["role"] == "tool"]
    usage = {"input_tokens": len(messages), "output_tokens": 1}
    for word in words.split():
        if "@" in word and not results:
            call = {"name": "find_user_id_by_email", "arguments": {"email": word.strip(".,")}}
            return {"content": "One moment …", "tool_calls": [call, call], "usage": usage}
    if results and len(results) < 3:
        call = {"name": "get_order_details", "arguments": "{broken"}
        return {"tool_calls": [{"id": "a", "type": "function", "function": call}], "usage": usage}
    if "#S1000005" in words:
        return {"content": None}
    return {"content": "Das kann ich leider nicht — désolé, 抱歉.", "usage": usage}
"""

LOGGING = """
import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with pathlib.Path("requests.jsonl").open("a") as log:
            log.write(json.dumps([self.headers["Authorization"], request]) + "\\n")
        called = request["messages"][-1]["role"] == "tool"
        call = {"name": "find_user_id_by_email", "arguments": {"email": "nobody@example.com"}}
        body = json.dumps({"content": "I cannot help."} if called else {"tool_calls": [call]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *parts):
        pass


HTTPServer.request_queue_size = 64
server = HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
"""


@pytest.fixture
def serve(folder: Path) -> Iterator[Serve]:
    """Start a Python program that prints an address and serves there; return the address."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> str:
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    (folder / "own.py").write_text(AGENTS)
    (folder / "logging_server.py").write_text(LOGGING)
    yield start
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


Played = dict[tuple[str, int], Episode]


def played(folder: Path) -> dict[str, Played]:
    """Return a run's conversations by agent, without model names and times.

    An answer that equals an earlier one is requested again: those attempts are excluded, too.
    """
    by_agent: dict[str, Played] = {}
    with open_run(folder, write=False) as store:
        cells = {cell.key: cell for cell in store.cells()}
        for key, _, episode in store.episodes():
            events = tuple(
                replace(event, raw=msgspec.UNSET) if isinstance(event, Message) else event
                for event in episode.events
            )
            usage = tuple(
                replace(entry, model="", seconds=0.0, faults={}) for entry in episode.usage
            )
            alike = replace(episode, events=events, usage=usage, started=0.0, seconds=0.0)
            cell = cells[key]
            by_agent.setdefault(cell.agent, {})[cell.task, cell.trial] = alike
    return by_agent


@pytest.mark.slow
def test_the_sample_played_through_http_is_as_in_process(
    run_json: RunJson, serve: Serve, folder: Path
) -> None:
    url = serve("-m", "dragoman.testing.agent_server", "own:caller")

    result = run_json(
        *("run", "sample:shop", "--agent", "own:caller", "--agent", url),
        *("--trials", 2, "--judge", "rule", "--out", "mine"),
    )

    conversations = played(folder / "mine")
    assert len(conversations[url]) == 10
    assert conversations[url] == conversations["own:caller"]
    own, over_http = result["cells"]
    assert (own["agent"], over_http["agent"]) == ("own:caller", url)
    assert over_http["tool_errors"] == own["tool_errors"] > 0
    assert set(own["endings"]) >= {"agent_error", "user_stop"}
    same = [{**cell, "agent": "", "identity": ""} for cell in (own, over_http)]
    assert same[0] == same[1]


def test_a_conversation_is_one_session_and_no_two_share_one(
    run_json: RunJson, serve: Serve, folder: Path
) -> None:
    url = serve("logging_server.py")

    run_json("run", "sample:shop", "--agent", url, "--trials", 2, "--out", "mine")

    requests = [
        json.loads(line)[1] for line in (folder / "requests.jsonl").read_text().splitlines()
    ]
    beginnings: dict[str, set[str]] = {}
    for request in requests:
        beginning = f"{request['metadata']} {request['messages'][:3]}"
        beginnings.setdefault(request["session"], set()).add(beginning)
    assert len(requests) > len(beginnings) == 10
    assert {len(seen) for seen in beginnings.values()} == {1}


def test_the_agent_is_told_what_a_chat_model_is_told_and_never_its_task(
    run_json: RunJson, serve: Serve, folder: Path
) -> None:
    url = serve("logging_server.py")

    run_json("run", "sample:shop", "--agent", url, "--tasks", "return-poles", "--out", "mine")

    text = (folder / "requests.jsonl").read_text()
    (_, request), *_ = map(json.loads, text.splitlines())
    system, greeting, question = request["messages"]
    assert [m["role"] for m in (system, greeting, question)] == ["system", "assistant", "user"]
    assert "<policy>" in system["content"]
    assert {tool["type"] for tool in request["tools"]} == {"function"}
    assert "return-poles" not in text


def test_a_token_is_in_no_file_and_no_output(dragoman: Cli, serve: Serve, folder: Path) -> None:
    url = serve("logging_server.py")

    done = dragoman(
        *("run", "sample:shop", "--agent", url, "--limit", 2, "--out", "mine", "--json"),
        DRAGOMAN_AGENT_TOKEN=TOKEN,
    )
    assert dragoman("report", "mine").returncode == 0

    assert done.returncode == 0
    sent = {json.loads(line)[0] for line in (folder / "requests.jsonl").read_text().splitlines()}
    assert sent == {f"Bearer {TOKEN}"}
    assert TOKEN not in done.stdout + done.stderr
    with open_run(folder / "mine", write=False) as store:
        assert TOKEN.encode() not in store.manifest()
        stored = [msgspec.json.encode(episode) for _, _, episode in store.episodes()]
    assert len(stored) == 2
    assert not [episode for episode in stored if TOKEN.encode() in episode]
    files = [path.read_bytes() for path in (folder / "mine").iterdir()]
    assert not [content for content in files if TOKEN.encode() in content]


def test_an_address_with_credentials_is_refused_in_one_line(refused: Refused) -> None:
    line = refused("run", "sample:shop", "--agent", "http://me:hunter2@host/agent", status=2)

    assert "hunter2" not in line
    assert "DRAGOMAN_AGENT_TOKEN" in line


@pytest.mark.slow
def test_a_path_that_does_not_exist_ends_the_run_in_one_line(dragoman: Cli, serve: Serve) -> None:
    url = serve("-m", "dragoman.testing.agent_server", "own:caller")

    done = dragoman("run", "sample:shop", "--agent", f"{url}/nowhere", "--out", "mine")

    assert done.returncode == 1
    assert "refused with status 404" in done.stderr
    assert "check the path of its address" in done.stderr
    assert "Traceback" not in done.stderr
