"""Pages of runs in a real browser: lists, losses, and a run in progress, on any screen."""

from pathlib import Path

import pytest
from tests.browser import Browse, Tab
from tests.driving import arrive, click, require_sound_page
from tests.viewer.conftest import View
from tests.viewer.test_pages_of_a_run import new_run, played_now

from dragoman.core.conditions import PLAIN, condition_of
from dragoman.core.content_keys import content_key
from dragoman.store.run_plan import StoredCell

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

PHONE = condition_of({"language": "th", "scenario": "domain", "voice": "telephone"})
CELLS = [
    StoredCell(content_key(agent, condition.label, task), "shop", condition, agent, task, 0)
    for agent in ("openai/gpt-4.1", "vllm/a-model-with-a-long-name-of-its-own")
    for condition in (PLAIN, condition_of({"voice": "telephone"}), PHONE)
    for task in ("t1", "t2", "t3", "t4")
]


def value_of(cell: StoredCell) -> float:
    return 0.0 if cell.condition != PLAIN and cell.task in {"t1", "t2"} else 1.0


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_runs_are_sound_on_every_screen(
    browse: Browse, view: View, tmp_path: Path, width: int, scheme: str
) -> None:
    with new_run(tmp_path / "done", CELLS) as store:
        store.put(played_now(each, ago=5, value=value_of(each)) for each in CELLS)
    with new_run(tmp_path / "going", CELLS) as store:
        store.put(played_now(each, ago=5, value=value_of(each)) for each in CELLS[:12])
    viewer = view(tmp_path)
    viewer.made("/run/done", 'id="matrix-title"')
    viewer.made("/run/going", 'id="matrix-title"')
    (tmp_path / "empty").mkdir()
    empty = view(tmp_path / "empty")
    pages = (
        "/",
        "/?q=nothing",
        "/run/done",
        "/run/going",
        "/run/done/conversations",
        "/run/done/conversations?outcome=fail&q=t",
        "/compare?run=done&run=going",
    )
    addresses = [empty.address, *(f"{viewer.address}{path}" for path in pages)]

    async def steps(tab: Tab) -> None:
        for address in addresses:
            await tab.go(address, width, scheme)
            await require_sound_page(tab, width)
            background = await tab.value("getComputedStyle(document.body).backgroundColor")
            assert (background == "rgb(247, 247, 245)") == (scheme == "light")

    # The browser may ask for the icon when the server has gone.
    assert [line for line in browse(steps) if "/static/icon.svg" not in line] == []


def test_two_runs_are_selected_in_the_list_and_compared(
    browse: Browse, view: View, tmp_path: Path
) -> None:
    for name in ("before", "after"):
        with new_run(tmp_path / name, CELLS) as store:
            store.put(played_now(each, ago=500, value=value_of(each)) for each in CELLS)
    viewer = view(tmp_path)
    for name in ("before", "after"):
        viewer.made(f"/run/{name}")

    async def steps(tab: Tab) -> None:
        await tab.go(f"{viewer.address}/")
        await click(tab, "input[value='before']")
        await click(tab, "input[value='after']")
        await click(tab, ".under-list button")
        await arrive(tab, "location.pathname === '/compare'")
        sides = "[...document.querySelectorAll('.side .fine')].map((node) => node.textContent)"
        assert await tab.value(sides) == ["run after", "run before"]
        await require_sound_page(tab, 1280)

    assert [line for line in browse(steps) if "/static/icon.svg" not in line] == []


def test_what_is_lost_leads_to_the_conversations_that_failed(
    browse: Browse, view: View, tmp_path: Path
) -> None:
    with new_run(tmp_path / "done", CELLS) as store:
        store.put(played_now(each, ago=5, value=value_of(each)) for each in CELLS)
    viewer = view(tmp_path)
    viewer.made("/run/done", 'id="matrix-title"')

    async def steps(tab: Tab) -> None:
        await tab.go(f"{viewer.address}/run/done")
        await click(tab, ".ranked a[href*='behind=']")
        await arrive(tab, "location.pathname.endsWith('/conversations')")
        assert await tab.value("document.querySelector('h1').textContent") == "2 conversations"
        assert await tab.value("document.querySelectorAll('tr[data-row] .kind.fail').length") == 2

    assert browse(steps) == []


def test_the_page_of_a_run_follows_it_while_it_is_written(
    browse: Browse, view: View, tmp_path: Path
) -> None:
    with new_run(tmp_path / "going", CELLS) as store:
        store.put([played_now(each, ago=5) for each in CELLS[:6]])
        viewer = view(tmp_path)
        viewer.made("/run/going")

        async def steps(tab: Tab) -> None:
            headline = "document.querySelector('.headline').textContent.replace(/\\s+/g, ' ')"
            await tab.go(f"{viewer.address}/run/going")
            assert "Running: 6 of 24 conversations" in await tab.value(headline)
            await tab.value("(window.isSamePage = true)")
            store.put([played_now(each, ago=1) for each in CELLS[6:12]])
            await tab.until(f"{headline}.includes('12 of 24')")
            assert await tab.value("window.isSamePage") is True
            await require_sound_page(tab, 1280)
            store.put([played_now(each, ago=0) for each in CELLS[12:]])
            # The figures, which do not update by themselves, come with a new page at the end.
            await arrive(tab, f"!window.isSamePage && {headline}.trim() === '24 conversations'")

        assert browse(steps) == []
