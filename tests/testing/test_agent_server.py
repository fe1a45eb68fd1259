"""A function served over HTTP answers as it does in process."""

import asyncio
import io
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from dragoman.simulation.participants.python_function import AgentFunction
from dragoman.testing.agent_server import MOST_REQUEST_BYTES, serve_agent

REQUEST = {
    "session": "s",
    "messages": [{"role": "user", "content": "où ? 在哪里"}],
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}],
    "metadata": {"seed": 0, "dragoman": "0", "must_call": False},
}
Answer = tuple[int, Any]


async def post(url: str, body: bytes, **headers: str) -> Answer:
    sent = {"Content-Type": "application/json"} | headers
    async with (
        aiohttp.ClientSession() as client,
        client.post(url, data=io.BytesIO(body), headers=sent) as response,
    ):
        text = await response.text()
        return response.status, json.loads(text) if response.status != 413 else text


async def asked(function: AgentFunction, body: bytes, times: int) -> list[Answer]:
    async with serve_agent("mine", function) as url:
        return await asyncio.gather(*(post(url, body) for _ in range(times)))


def ask(function: AgentFunction, body: object = REQUEST) -> Answer:
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    (answer,) = asyncio.run(asked(function, encoded, 1))
    return answer


async def patient(messages: list[dict[str, object]], tools: list[dict[str, object]]) -> object:
    await asyncio.sleep(0)
    return {"content": str(messages[-1]["content"]), "usage": {"input_tokens": len(tools)}}


def calling(messages: object, tools: object) -> object:  # noqa: ARG001 - an agent's signature
    return {"tool_calls": [{"name": "look", "arguments": '{"q": "é"}'}, {"name": "look"}]}


def failing(messages: object, tools: object) -> object:  # noqa: ARG001 - an agent's signature
    raise RuntimeError("the line is dead\nand the phone too")


def test_a_function_is_given_the_conversation_and_its_words_are_sent() -> None:
    usage = {"input_tokens": 1, "output_tokens": None}
    assert ask(patient) == (200, {"content": "où ? 在哪里", "usage": usage})


def test_calls_are_sent_with_ids_of_their_own() -> None:
    status, answer = ask(calling)

    assert status == 200
    assert answer["tool_calls"] == [
        {"id": "call_1_0", "name": "look", "arguments": {"q": "é"}},
        {"id": "call_1_1", "name": "look", "arguments": {}},
    ]


def test_plain_functions_wait_side_by_side() -> None:
    everybody = threading.Barrier(8)

    def waits_for_all(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
        everybody.wait(timeout=30)
        return "together"

    answers = asyncio.run(asked(waits_for_all, json.dumps(REQUEST).encode(), 8))

    assert [status for status, _ in answers] == [200] * 8


def test_an_error_of_the_function_is_one_line() -> None:
    status, answer = ask(failing)

    assert status == 500
    reported = r"mine raised RuntimeError: the line is dead and the phone too \(test_agent_server\.py, line \d+\)"
    assert re.fullmatch(reported, answer["error"])


@pytest.mark.parametrize("given", [42, None, {"content": 5}, "\ud800"])
def test_what_is_no_answer_is_sent_as_one_that_says_nothing_and_told(
    capsys: pytest.CaptureFixture[str], given: object
) -> None:
    status, answer = ask(lambda messages, tools: given)  # noqa: ARG005 - an agent's signature

    assert (status, answer["content"]) == (200, None)
    assert capsys.readouterr().err.startswith("dragoman.testing.agent_server: mine gave no answer")


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", b'{"session": "s"}', b"[" * 100_000])
def test_a_request_that_is_none_is_refused_in_one_line(body: bytes) -> None:
    status, answer = ask(calling, body)

    assert status == 400
    assert answer["error"].startswith("not a request for a reply")
    assert len(answer["error"].splitlines()) == 1


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_a_web_page_does_not_reach_the_function(header: dict[str, str], status: int) -> None:
    reached: list[object] = []

    async def go() -> int:
        async with serve_agent("mine", lambda messages, tools: reached.append(messages)) as url:  # noqa: ARG005 - an agent's signature
            return (await post(url, json.dumps(REQUEST).encode(), **header))[0]

    assert asyncio.run(go()) == status
    assert reached == []


def test_names_of_this_machine_reach_it(capsys: pytest.CaptureFixture[str]) -> None:
    async def go() -> list[int]:
        async with serve_agent("mine", patient) as url:
            port = url.split(":")[2].split("/")[0]
            hosts = ("localhost:9", "[::1]:9", "127.0.0.1")
            body = json.dumps(REQUEST).encode()
            own = await post(url, body, Origin=f"http://127.0.0.1:{port}")
            return [own[0], *[(await post(url, body, Host=host))[0] for host in hosts]]

    assert asyncio.run(go()) == [200] * 4
    assert capsys.readouterr().err == ""


def test_a_request_beyond_all_measure_is_refused() -> None:
    assert ask(calling, b"x" * (MOST_REQUEST_BYTES + 1))[0] == 413


def test_an_answer_beyond_all_measure_is_a_failure() -> None:
    status, answer = ask(lambda messages, tools: "x" * 5_000_000)  # noqa: ARG005 - an agent's signature
    assert status == 500
    assert answer["error"].startswith("mine answered with 5,000,")


AGENT = "def agent(messages, tools):\n    return 'hello'\n\n\nthree = 3\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(AGENT)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dragoman.testing.agent_server", *arguments]


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[str]:
    with subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


def test_a_process_of_its_own_prints_its_address_first(module: Path) -> None:
    with served(module, "own:agent", "--port", "0") as url:
        status, answer = asyncio.run(post(url, json.dumps(REQUEST).encode()))

    assert url.startswith("http://127.0.0.1:")
    assert (status, answer["content"]) == (200, "hello")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("own:nobody",), "module 'own' has no attribute 'nobody'"),
        (("missing:agent",), "cannot import 'missing'"),
        (("own:three",), "own:three: not a function of (messages, tools)"),
        (("own:agent", "--port", "70000"), "port 70000: no such port"),
    ],
)
def test_a_mistake_in_what_was_asked_is_one_line(
    module: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = subprocess.run(
        command(*arguments), cwd=module, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("dragoman.testing.agent_server: ")
    assert words in line


@pytest.mark.slow
def test_a_port_that_is_taken_is_one_line(module: Path) -> None:
    with served(module, "own:agent") as url:
        port = url.split(":")[2].removesuffix("/agent")
        done = subprocess.run(
            command("own:agent", "--port", port),
            cwd=module,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 2
    assert f"port {port}: Address already in use: choose another, or 0" in done.stderr
