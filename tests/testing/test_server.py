import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from dragoman.core.errors import UsageError
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.fault_injection import UNRESOLVABLE_URL
from dragoman.testing.request_log import LogLine, read_log
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, Outage, ServerConfig

Ask = Callable[..., list[Any]]

ANSWERS = RuleAnswers([Rule(ScriptedReply("Hello."))])
SAY = {"model": "m", "messages": [{"role": "user", "content": "Hi."}]}
RULES = '{"rules": [{"reply": {"content": "Hello."}}]}'


def port_of(server: ModelServer) -> int:
    return int(server.url.split(":")[2].removesuffix("/v1"))


def test_a_server_in_a_thread_stops_with_its_block(ask: Ask) -> None:
    before = threading.active_count()
    with ModelServer(ANSWERS) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert ask(server.url, SAY)[0].status == 200
    assert ask(server.url, SAY)[0].failure == "ClientConnectorError"
    assert threading.active_count() == before


def test_a_server_runs_in_the_callers_own_loop() -> None:
    async def asked() -> int:
        async with (
            ModelServer(ANSWERS) as server,
            aiohttp.ClientSession() as client,
            client.post(f"{server.url}/chat/completions", json=SAY) as response,
        ):
            return response.status

    assert asyncio.run(asked()) == 200


def test_many_servers_run_side_by_side(ask: Ask) -> None:
    with ModelServer(ANSWERS) as one, ModelServer(ANSWERS) as other:
        assert one.url != other.url
        assert ask(one.url, SAY)[0].status == ask(other.url, SAY)[0].status == 200
        assert one.log.started == other.log.started == 1


def test_a_port_that_is_taken_is_named() -> None:
    with ModelServer(ANSWERS) as server:
        port = port_of(server)
        second = ModelServer(ANSWERS, port=port)
        with (
            pytest.raises(UsageError, match=f"port {port}: Address already in use: choose"),
            second,
        ):
            pytest.fail("it started")


def test_an_outage_ends_when_it_is_told_to(ask: Ask) -> None:
    with ModelServer(ANSWERS) as server:
        server.outage = "unavailable"
        (down,) = ask(server.url, SAY)
        server.outage = None
        (up,) = ask(server.url, SAY)
        assert server.log.outcomes == {"outage": 1, "ok": 1}
    assert (down.status, up.status) == (503, 200)
    assert down.error["type"] == "server_error"


def test_connections_are_refused_and_the_same_port_comes_back(ask: Ask) -> None:
    with ModelServer(ANSWERS) as server:
        for _ in range(3):
            server.outage = "refused"
            assert ask(server.url, SAY)[0].failure == "ClientConnectorError"
            server.outage = None
            assert ask(server.url, SAY)[0].status == 200
        assert server.log.outcomes == {"ok": 3}


def test_a_connection_that_was_open_is_reset_by_a_refusal() -> None:
    async def asked() -> str:
        async with ModelServer(ANSWERS) as server, aiohttp.ClientSession() as client:
            url = f"{server.url}/chat/completions"
            async with client.post(url, json=SAY) as response:
                await response.read()
            server.outage = "refused"
            try:
                async with client.post(url, json=SAY):
                    return "answered"
            except aiohttp.ClientError as error:
                return type(error).__name__

    assert asyncio.run(asked()) in {"ClientOSError", "ServerDisconnectedError"}


def test_an_outage_may_be_planned(ask: Ask) -> None:
    planned = Capacity(outages=(Outage(0, 600, "refused"),))
    with ModelServer(ANSWERS, ServerConfig(capacity=planned)) as server:
        wait_until(lambda: server.outage == "refused")
        assert ask(server.url, SAY)[0].failure == "ClientConnectorError"


def test_a_planned_outage_ends(ask: Ask) -> None:
    planned = Capacity(outages=(Outage(0, 0.1),))
    with ModelServer(ANSWERS, ServerConfig(capacity=planned)) as server:
        wait_until(lambda: server.outage is None and ask(server.url, SAY)[0].status == 200)


def test_the_unresolvable_address_has_no_host(ask: Ask) -> None:
    (received,) = ask(UNRESOLVABLE_URL, SAY)
    assert received.failure in {"ClientConnectorDNSError", "ClientConnectorError"}


def test_calls_in_flight_when_a_client_is_killed_are_counted(tmp_path: Path) -> None:
    slow = ServerConfig(capacity=Capacity(latency_seconds=60))
    client = tmp_path / "client.py"
    client.write_text(CLIENT)
    log = tmp_path / "requests.jsonl"
    with ModelServer(ANSWERS, slow, log_file=log) as server:
        with subprocess.Popen([sys.executable, client, server.url]) as process:
            wait_until(lambda: server.log.in_flight == 5)
            process.send_signal(signal.SIGKILL)
        wait_until(lambda: server.log.in_flight == 0)
        assert server.log.outcomes == {"abandoned": 5}
    lines = read_log(log)
    assert lines.count(LogLine("ended", lines[0].content, "abandoned")) == 5
    assert [line.event for line in lines] == ["started"] * 5 + ["ended"] * 5


def test_a_stopping_server_does_not_wait_for_its_own_delays() -> None:
    slow = ServerConfig(capacity=Capacity(latency_seconds=600))
    with ModelServer(ANSWERS, slow) as server:
        asker = threading.Thread(target=asyncio.run, args=(give_up(server.url),))
        asker.start()
        wait_until(lambda: server.log.in_flight == 1)
    asker.join()
    assert server.log.outcomes == {"abandoned": 1}


async def give_up(url: str) -> None:
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.ClientError):
            await client.post(f"{url}/chat/completions", json=SAY)


@contextmanager
def served(*arguments: str | Path) -> Iterator[str]:
    command = [sys.executable, "-m", "dragoman.testing.server", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


@pytest.mark.slow
def test_a_process_of_its_own_prints_its_address_first(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "script.json").write_text(RULES)
    (tmp_path / "faults.json").write_text(
        '{"faults": {"transport": [{"kind": "server_error", "rate": 0.5}]}}'
    )
    bodies = [{**SAY, "user": str(index)} for index in range(20)]

    def statuses(seed: str) -> list[int]:
        files = ("--script", tmp_path / "script.json", "--faults", tmp_path / "faults.json")
        log = ("--log", tmp_path / f"{seed}.jsonl")
        with served(*files, *log, "--port", "0", "--seed", seed) as url:
            return [answer.status for answer in ask(url, *bodies)]

    first = statuses("1")
    assert first == statuses("1")
    assert first != statuses("2")
    assert len(read_log(tmp_path / "2.jsonl")) == 40


@pytest.mark.slow
def test_recorded_conversations_are_served_from_a_file(tmp_path: Path, ask: Ask) -> None:
    messages = [*SAY["messages"], {"role": "assistant", "content": "Hello."}]
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"conversations": [{"name": "1", "messages": messages}]}))
    with served("--script", path) as url:
        known, unknown = ask(url, SAY, {**SAY, "messages": [{"role": "user", "content": "?"}]})
    assert known.message["content"] == "Hello."
    assert unknown.error["message"] == "no recorded conversation begins with this message"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "faults", "said"),
    [
        (None, None, "script {script}: No such file or directory"),
        ("{", None, "script {script}: Input data was truncated"),
        ("{}", None, "script {script}: it holds rules, conversations, translations or curating"),
        ('{"rulez": []}', None, "script {script}: Object contains unknown field `rulez`"),
        (
            '{"rules": [{"when": {"matches": "("}, "reply": {}}]}',
            None,
            "script {script}: the pattern '(' is not a regular expression",
        ),
        (RULES, "[]", "faults {faults}: Expected `object`, got `array`"),
        (
            RULES,
            '{"faults": {"transport": [{"kind": "cut", "rate": 2}]}}',
            "faults {faults}: a rate is from 0 to 1, not 2.0 - at `$.faults.transport[0]`",
        ),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(
    tmp_path: Path, script: str | None, faults: str | None, said: str
) -> None:
    files = {"script": tmp_path / "script.json", "faults": tmp_path / "faults.json"}
    given: list[str | Path] = ["--script", files["script"]]
    if script is not None:
        files["script"].write_text(script)
    if faults is not None:
        files["faults"].write_text(faults)
        given += ["--faults", files["faults"]]
    done = command(*given)
    assert done.returncode == 2
    assert done.stderr.startswith(f"dragoman.testing.server: {said.format(**files)}")
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_is_no_run_cannot_be_replayed(tmp_path: Path) -> None:
    done = command("--replay", tmp_path)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_help_shows_an_example() -> None:
    done = command("--help")
    assert done.returncode == 0
    assert "example:\n  echo" in done.stdout


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dragoman.testing.server", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )


CLIENT = f"""
import asyncio, sys, aiohttp

async def main():
    async with aiohttp.ClientSession() as client:
        url = f"{{sys.argv[1]}}/chat/completions"
        await asyncio.gather(*(client.post(url, json={SAY!r}) for _ in range(5)))

asyncio.run(main())
"""


def wait_until(holds: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(1_000):
        if holds():
            return
        waiting.wait(0.01)
    pytest.fail("it never came")
