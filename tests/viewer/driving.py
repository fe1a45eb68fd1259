"""Steps that people take in a browser, and what every page must be."""

import asyncio
import contextlib
import json
from importlib.resources import files

from tests.report.conftest import TIME_LIMIT, Tab

AXE = (files("axe_core_python") / "axe.min.js").read_text("utf-8")
AXE_RUN = """
axe.run({resultTypes: ["violations"]}).then(({violations}) => violations
  .filter(({impact}) => impact === "serious" || impact === "critical")
  .map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`))
"""
STRANGERS = (
    "performance.getEntriesByType('resource').filter(({name}) => !name.startsWith(origin)).length"
)


async def go(tab: Tab, address: str, width: int = 1280, scheme: str = "light") -> None:
    """Open an address as on a screen of that width."""
    await tab.send(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=False,
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    await tab.send("Emulation.setEmulatedMedia", features=features)
    await tab.send("Page.navigate", url="about:blank")
    await tab.until("location.href === 'about:blank'")
    await tab.send("Page.navigate", url=address)
    await tab.until("location.href !== 'about:blank' && document.readyState === 'complete'")


async def arrive(tab: Tab, expression: str) -> None:
    """Wait until an expression holds in whatever page comes next."""
    async with asyncio.timeout(TIME_LIMIT):
        while True:
            # What is asked of a page that is being left fails.
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
    """Click in the middle of what a selector finds."""
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
    await tab.value(f"{AXE}\nnull")
    assert await tab.value(AXE_RUN) == []
    assert await tab.value("document.documentElement.scrollWidth") <= width
    assert await tab.value(STRANGERS) == 0
