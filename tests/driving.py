"""Steps of people in a browser, and requirements for every page."""

import asyncio
import contextlib
import functools
import importlib.util
import json
from pathlib import Path

from tests.browser import TIME_LIMIT, Tab, skip_unless_required

AXE_PACKAGE = "axe_playwright_python"
"""The package that brings axe-core: tests/axe_package.txt. It is read and never imported."""
AXE_RUN = """
axe.run({resultTypes: ["violations"]}).then(({violations}) => violations
  .filter(({impact}) => impact === "serious" || impact === "critical")
  .map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`))
"""
STRANGERS = (
    "performance.getEntriesByType('resource')"
    ".filter(({name}) => !name.startsWith(origin) && !name.startsWith('data:')).length"
)


@functools.cache
def axe() -> str:
    """Return the script of axe-core, or skip."""
    found = importlib.util.find_spec(AXE_PACKAGE)
    if found is None or found.origin is None:
        skip_unless_required(f"{AXE_PACKAGE} is not installed: make test installs it")
    return (Path(found.origin).parent / "axe.min.js").read_text("utf-8")


async def arrive(tab: Tab, expression: str) -> None:
    """Wait until an expression is true in the page that comes next."""
    async with asyncio.timeout(TIME_LIMIT):
        while True:
            # A call to a page that is being left fails.
            with contextlib.suppress(AssertionError):
                if await tab.value(f"document.readyState === 'complete' && Boolean({expression})"):
                    return
            await asyncio.sleep(0.02)


async def press(tab: Tab, key: str) -> None:
    """Press a key as a person does."""
    code = {" ": "Space", "ArrowDown": "ArrowDown"}.get(key, "")
    text = {} if len(key) > 1 else {"text": key}
    await tab.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, **text)
    await tab.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)


async def click(tab: Tab, selector: str) -> None:
    """Click in the middle of the element that a selector finds."""
    chosen = f"document.querySelector({json.dumps(selector)})"
    place = await tab.value(
        f"({chosen}.scrollIntoView({{block: 'center'}}), (({{x, y, width, height}}) =>"
        f" [x + width / 2, y + height / 2])({chosen}.getBoundingClientRect()))"
    )
    for kind in ("mousePressed", "mouseReleased"):
        await tab.send(
            "Input.dispatchMouseEvent",
            type=kind,
            x=place[0],
            y=place[1],
            button="left",
            clickCount=1,
        )


async def require_sound_page(tab: Tab, width: int) -> None:
    """No violation that counts, nothing wider than the screen, nothing from elsewhere."""
    await tab.value(f"{axe()}\nnull")
    assert await tab.value(AXE_RUN) == []
    assert await tab.value("document.documentElement.scrollWidth") <= width
    assert await tab.value(STRANGERS) == 0
