"""A headless browser, steered over its debugging protocol."""

import asyncio
import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

TIME_LIMIT = 60.0

POLL = """new Promise((done) => {
  const look = () => (%s) ? done(true) : setTimeout(look, 20);
  look();
})"""
"""What waits in the page until an expression holds."""


class Tab:
    """One open page: evaluates expressions in it and keeps what its console complained of."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._sent = 0
        self.complaints: list[str] = []

    async def send(self, method: str, **parameters: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Send a command and return its result."""
        self._sent += 1
        await self._socket.send_json({"id": self._sent, "method": method, "params": parameters})
        async for message in self._socket:
            answer = json.loads(message.data)
            if answer.get("id") == self._sent:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") in {"Runtime.exceptionThrown", "Log.entryAdded"}:
                self.complaints.append(json.dumps(answer["params"]))
        raise AssertionError(f"the browser went away during {method}")

    async def value(self, expression: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return the value of an expression in the page."""
        done = await self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait until an expression holds."""
        async with asyncio.timeout(TIME_LIMIT):
            found = await self.value(POLL % expression)
        assert found is True

    async def open(self, address: str, width: int = 1280, scheme: str = "light") -> None:
        """Open an address as on a screen of that width, and wait until its script has run."""
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        await self.send(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        await self.send("Page.navigate", url="about:blank")
        await self.until("location.href === 'about:blank'")
        await self.send("Page.navigate", url=address)
        await self.until("document.getElementById('count')?.textContent")


Steps = Callable[[Tab], Coroutine[Any, Any, None]]
Browse = Callable[[Steps], list[str]]


@pytest.fixture(scope="module")
def browse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browse]:
    """Run steps in a tab of a headless browser and return what its console complained of."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("neither chromium nor google-chrome is installed")
    profile = tmp_path_factory.mktemp("profile")
    command = [
        *(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"),
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield lambda steps: asyncio.run(_in_tab(profile, steps))
        finally:
            process.terminate()


async def _in_tab(profile: Path, steps: Steps) -> list[str]:
    async with asyncio.timeout(TIME_LIMIT), aiohttp.ClientSession() as session:
        port = await _port(profile)
        async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
            (page, *_) = [entry for entry in await answer.json() if entry["type"] == "page"]
        async with session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=2**28) as socket:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Log"):
                await tab.send(f"{domain}.enable")
            await steps(tab)
            return tab.complaints


async def _port(profile: Path) -> int:
    """Return the port that a starting browser chose, as it writes it down."""
    while True:
        with contextlib.suppress(FileNotFoundError, IndexError, ValueError):
            return int((profile / "DevToolsActivePort").read_text().splitlines()[0])
        await asyncio.sleep(0.05)
