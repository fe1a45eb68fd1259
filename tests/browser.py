"""A headless browser, steered over its debugging protocol: one process for all tests of a session."""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NoReturn

import aiohttp
import pytest

TIME_LIMIT = 300.0
"""Seconds after which a page that does not answer is given up: no page needs them."""

POLL = """new Promise((done) => {
  const look = () => (%s) ? done(true) : setTimeout(look, 20);
  look();
})"""
"""The script that waits in a page until an expression holds."""


def is_required() -> bool:
    """Return whether tests in a browser must run: on a CI machine a skipped test would go unseen."""
    return os.environ.get("CI") == "true"


def skip_unless_required(reason: str) -> NoReturn:
    """Skip a test that lacks something; with CI=true, fail."""
    if is_required():
        pytest.fail(f"{reason}, and with CI=true no test in a browser may be skipped")
    pytest.skip(reason)


def fail_if_skipped(fixtures: list[str], report: pytest.TestReport) -> None:
    """Turn a skipped browser test into a failed one on machines where these tests must run."""
    if (
        is_required()
        and report.skipped
        and "browse" in fixtures
        and not hasattr(report, "wasxfail")
    ):
        report.outcome = "failed"
        report.longrepr = f"skipped with CI=true: {report.longrepr}"


class Tab:
    """One open page: it evaluates expressions and records the errors of its console."""

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

    async def go(self, address: str, width: int = 1280, scheme: str = "light") -> None:
        """Open an address as on a screen of that width."""
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.send("Emulation.setEmulatedMedia", features=features)
        await self.send("Page.navigate", url="about:blank")
        await self.until("location.href === 'about:blank'")
        await self.send("Page.navigate", url=address)
        await self.until("location.href !== 'about:blank' && document.readyState === 'complete'")

    async def open(self, address: str, width: int = 1280, scheme: str = "light") -> None:
        """Open a report, and wait until its script has run."""
        await self.go(address, width, scheme)
        await self.until("document.getElementById('count')?.textContent")


Steps = Callable[[Tab], Coroutine[Any, Any, None]]
Browse = Callable[[Steps], list[str]]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start a headless browser, and return the folder of its profile."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        skip_unless_required("neither chromium nor google-chrome is installed")
    profile = tmp_path_factory.mktemp("profile")
    command = [
        *(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--disable-dev-shm-usage",  # it is 64 MB in a container
        *("--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"),
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield profile
        finally:
            process.terminate()


@pytest.fixture
def browse(browser: Path) -> Browse:
    """Run steps in a new tab and return the errors of its console."""

    async def in_tab(steps: Steps) -> list[str]:
        async with asyncio.timeout(TIME_LIMIT), _new_tab(browser) as tab:
            for domain in ("Page", "Runtime", "Log"):
                await tab.send(f"{domain}.enable")
            await steps(tab)
            return tab.complaints

    return lambda steps: asyncio.run(in_tab(steps))


@contextlib.asynccontextmanager
async def _new_tab(profile: Path) -> AsyncIterator[Tab]:
    """Open a tab that shares no storage with any other, and close it in the end."""
    root = f"ws://{await _address(profile)}"
    host = root.removesuffix(root[root.index("/devtools/") :])
    async with aiohttp.ClientSession() as session, session.ws_connect(root) as socket:
        whole = Tab(socket)
        context = (await whole.send("Target.createBrowserContext"))["browserContextId"]
        opened = await whole.send(
            "Target.createTarget", url="about:blank", browserContextId=context
        )
        page = f"{host}/devtools/page/{opened['targetId']}"
        try:
            async with session.ws_connect(page, max_msg_size=2**28) as socket_of_page:
                yield Tab(socket_of_page)
        finally:
            await whole.send("Target.disposeBrowserContext", browserContextId=context)


async def _address(profile: Path) -> str:
    """Return host, port and path that a starting browser chose, as it writes them down."""
    while True:
        with contextlib.suppress(FileNotFoundError, ValueError):
            port, path = (profile / "DevToolsActivePort").read_text().split()
            return f"127.0.0.1:{int(port)}{path}"
        await asyncio.sleep(0.05)
