"""Pages of conversations in a real browser: sound in step, keys, phones, and hostile text as text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.browser import Browse, Tab
from tests.driving import STRANGERS, arrive, click, press, require_sound_page
from tests.viewer.conftest import View

from dragoman.core.audio import Audio
from dragoman.core.clarifications import Clarification
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import CountedItem, MeasureResult, ReportedError
from dragoman.core.personas import UserContext
from dragoman.core.replies import (
    AudioRef,
    Latency,
    Stage,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.core.tools import Change, ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.runs.manifest import Manifest
from dragoman.store.audio_files import AudioFiles, audio_path
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run, open_run

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

SPOKEN = PLAIN.with_axes(voice="telephone")
HOSTILE = (
    "<script>window.harmed=1</script><img src=x onerror='window.harmed=1'>"
    "javascript:window.harmed=1 \u202etxt.exe\u202c \x1b[31mred\x07 {{7*7}} </pre></details>"
)
HOSTILE_NAME = "<img src=x onerror=window.harmed=1>&quot;'%2f"
LINE = "x" * 1_000_000


class Played(msgspec.Struct, frozen=True):
    """A conversation to store, and its findings."""

    episode: Episode
    condition: Condition = PLAIN
    agent: str = "good"
    task: str = "t1"
    trial: int = 0
    score: Score | None = None
    measures: tuple[MeasureResult, ...] = ()


def stored(folder: Path, like: Path, rows: Sequence[Played], task: Task | None = None) -> list[str]:
    """Store conversations as a run, and return their keys."""
    with open_run(like, write=False) as store:
        manifest = msgspec.json.decode(store.manifest(), type=Manifest)
    keys = [f"{number:032x}" for number in range(1, len(rows) + 1)]
    suites = "sample:shop" if task is None else task.suite
    cells = tuple(
        StoredCell(key, suites, row.condition, row.agent, row.task, row.trial)
        for key, row in zip(keys, rows, strict=True)
    )
    tasks = {} if task is None else {task.id: task}
    with create_run(folder, NewRun(msgspec.json.encode(manifest), cells, tasks)) as store:
        for key, row in zip(keys, rows, strict=True):
            store.put([StoredEpisode(key, 1, row.episode, row.score)])
            store.put([StoredMeasure(key, 1, entry) for entry in row.measures])
    return keys


def spoken(text: str, sound: AudioRef, heard: str | None = None) -> TextReply:
    return TextReply(Utterance(text, text.lower(), heard or text.lower(), sound, sound))


@pytest.fixture
def talk(played: Path, tmp_path: Path) -> Path:
    """A run with a spoken conversation of four turns, three of them with sound, and one in text."""
    folder = tmp_path / "talk"
    sounds = [
        AudioFiles(folder).keep(Audio(bytes([level, 0]) * 4_000 * seconds, 4_000))
        for level, seconds in ((1, 1), (2, 2), (3, 1))
    ]
    events: tuple[Event, ...] = (
        Message("user", spoken("My code is B 7.", sounds[0], "my code is v 7")),
        Message(
            "agent", ToolCallReply((ToolCall("1", "find", {"code": "V7"}),)), latency=Latency(1.5)
        ),
        ToolResult("1", "find", "nobody", error=True),
        Message("agent", spoken("Nobody has it.", sounds[1])),
        Message("user", spoken("Oh.", sounds[2])),
        Message("user", TextReply(Utterance("###STOP###", "", "", sounds[2], sounds[2]))),
    )
    text = (
        Message("user", text_reply("My code is B 7.")),
        Message("agent", ToolCallReply((ToolCall("1", "find", {"code": "B7"}),))),
        ToolResult("1", "find", "Ana"),
        Message("agent", text_reply("You are Ana.")),
    )
    lost = Score("dragoman-1", "none", Scored(0), (ComponentScore("DB", True, Scored(0)),))
    won = Score("dragoman-1", "none", Scored(1), (ComponentScore("DB", True, Scored(1)),))
    stored(
        folder,
        played,
        [
            Played(Episode(events, Termination("user_stop"), 4, 1), SPOKEN, score=lost),
            Played(Episode(text, Termination("user_stop"), 3, 0), score=won),
        ],
    )
    return folder


SPOKEN_PAGE = f"/run/talk/conversation/{1:032x}"
TEXT_PAGE = f"/run/talk/conversation/{2:032x}"


async def sound(tab: Tab, turn: int, what: str) -> Any:  # noqa: ANN401 - whatever the element holds
    return await tab.value(f"document.querySelector('audio[data-turn=\"{turn}\"]').{what}")


def test_sound_is_in_step_with_the_transcript_both_ways(
    browse: Browse, view: View, talk: Path
) -> None:
    address = view(talk).address

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}{SPOKEN_PAGE}")
        await tab.until("!document.getElementById('player').hidden")
        assert await tab.value("document.getElementById('seek').max") == "4"
        # From the sound to the transcript.
        await click(tab, "#play")
        await tab.until("document.querySelector('#turn-1.playing')")
        await tab.until("document.querySelector('audio[data-turn=\"1\"]').currentTime > 0.1")
        assert await tab.value("document.getElementById('play').textContent") == "Pause"
        await tab.until("document.querySelector('#turn-3.playing')")
        assert await sound(tab, 1, "paused") is True
        # From the transcript to the sound: it goes on from there.
        await click(tab, "#turn-4 .head b")
        await tab.until("document.querySelector('#turn-4.playing')")
        assert await sound(tab, 3, "paused") is True
        assert float(await tab.value("document.getElementById('seek').value")) >= 3
        await click(tab, "#play")
        await tab.until("document.getElementById('play').textContent === 'Play'")
        # A place on the line is a place in a turn.
        await tab.value(
            "(document.getElementById('seek').value = 2,"
            " document.getElementById('seek').dispatchEvent(new Event('input')))"
        )
        await tab.until("document.querySelector('audio[data-turn=\"3\"]').currentTime === 1")
        assert await tab.value("document.querySelector('.move.here').id") == "turn-3"
        assert "turn 3" in await tab.value("document.getElementById('clock').textContent")

    assert browse(steps) == []


def test_of_a_sign_alone_there_is_no_player_and_a_missing_sound_is_said(
    browse: Browse, view: View, talk: Path
) -> None:
    (first, *_) = sorted((talk / "audio").rglob("*.wav"))
    first.unlink()
    address = view(talk).address

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}{SPOKEN_PAGE}")
        text = await tab.value("document.querySelector('.turns').textContent")
        assert f"the sound is missing from the run's folder ({audio_path(first.stem)})" in text
        assert await tab.value("document.querySelectorAll('#turn-5 audio').length") == 0
        assert await tab.value("document.querySelectorAll('.turns mark.changed').length") == 3

    assert browse(steps) == []


def test_keys_go_through_turns_play_and_say_what_they_do(
    browse: Browse, view: View, talk: Path
) -> None:
    address = view(talk).address

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}{SPOKEN_PAGE}")
        await press(tab, "j")
        assert await tab.value("document.activeElement.id") == "turn-1"
        await press(tab, "j")
        await press(tab, "ArrowDown")
        assert await tab.value("location.hash") == "#turn-3"
        await press(tab, "k")
        assert await tab.value("document.activeElement.id") == "turn-2"
        await press(tab, " ")
        await tab.until("document.querySelector('.playing')")
        await press(tab, " ")
        await tab.until("!document.querySelector('.playing')")
        await press(tab, "?")
        assert await tab.value("document.getElementById('keys').open") is True
        await press(tab, "?")
        assert await tab.value("document.getElementById('keys').open") is False
        await press(tab, "/")
        await arrive(tab, "location.pathname.endsWith('/conversations')")

    assert browse(steps) == []


def test_an_address_leads_to_a_turn(browse: Browse, view: View, talk: Path) -> None:
    address = view(talk).address

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}{SPOKEN_PAGE}#turn-3")
        assert await tab.value("document.querySelector(':target').id") == "turn-3"
        await press(tab, "j")
        assert await tab.value("document.activeElement.id") == "turn-4"

    assert browse(steps) == []


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_sound_on_every_screen(
    browse: Browse, view: View, talk: Path, width: int, scheme: str
) -> None:
    address = view(talk).address
    both = f"/compare?a=talk/{2:032x}&b=talk/{1:032x}"

    async def steps(tab: Tab) -> None:
        for path in (SPOKEN_PAGE, TEXT_PAGE, both):
            await tab.go(f"{address}{path}", width, scheme)
            await require_sound_page(tab, width)
            background = await tab.value("getComputedStyle(document.body).backgroundColor")
            assert (background == "rgb(247, 247, 245)") == (scheme == "light")
        columns = await tab.value(
            "getComputedStyle(document.querySelector('.pair')).gridTemplateColumns"
        )
        assert len(columns.split()) == (2 if width > 1000 else 1)

    assert browse(steps) == []


def test_a_filter_is_kept_from_the_list_to_a_conversation_and_on(
    browse: Browse, view: View, talk: Path
) -> None:
    viewer = view(talk)
    address = viewer.address
    viewer.made("/run/talk")

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}/run/talk/conversations")
        await click(tab, "a[href*='outcome=fail']")
        await arrive(tab, "location.search === '?outcome=fail'")
        await press(tab, "j")
        await arrive(tab, "document.activeElement.href?.includes('/conversation/')")
        await click(tab, "tr[data-row] th a")
        await arrive(tab, f"location.pathname === '{SPOKEN_PAGE}'")
        assert await tab.value("location.search") == "?outcome=fail"
        assert "of 1 conversation" in await tab.value(
            "document.querySelector('.steps').textContent"
        )
        await tab.go(f"{address}{SPOKEN_PAGE}")
        await press(tab, "n")
        await arrive(tab, f"location.pathname === '{TEXT_PAGE}'")
        await press(tab, "p")
        await arrive(tab, f"location.pathname === '{SPOKEN_PAGE}'")
        await click(tab, ".twins summary")
        await click(tab, ".twins a[href^='/compare']")
        await arrive(
            tab,
            "location.pathname === '/compare' && document.querySelectorAll('.side-step').length > 1",
        )
        await tab.go(f"{address}/compare?a=talk")
        await arrive(tab, "document.querySelector('.flips')")
        await require_sound_page(tab, 1280)
        await click(tab, ".flips a")
        await arrive(
            tab,
            "location.pathname === '/compare' && document.querySelectorAll('.side-step').length > 1",
        )

    assert browse(steps) == []


def test_two_conversations_open_where_they_part(browse: Browse, view: View, talk: Path) -> None:
    address = view(talk).address

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}/compare?a=talk/{2:032x}&b=talk/{1:032x}")
        first = "document.querySelector('.side-step')"
        assert "recognized differently" in await tab.value(f"{first}.textContent")
        assert await tab.value("document.querySelectorAll('.badge.other').length") >= 3
        await click(tab, ".side-head a")
        await arrive(tab, f"location.pathname === '{TEXT_PAGE}'")

    assert browse(steps) == []


def test_a_hostile_conversation_is_text_everywhere(
    browse: Browse, view: View, played: Path, tmp_path: Path
) -> None:
    folder = tmp_path / HOSTILE_NAME
    kept = AudioFiles(folder).keep(Audio(b"\x10\x00" * 400, 4_000))
    odd = AudioRef("../../etc/passwd", 1.0, 8_000)
    stage = Stage(HOSTILE, HOSTILE, settings={"words": HOSTILE})
    call = ToolCall("1", HOSTILE, {HOSTILE: [HOSTILE, LINE]}, "agent", (HOSTILE,), HOSTILE, HOSTILE)
    events: tuple[Event, ...] = (
        Message("agent", text_reply(HOSTILE), scripted=True, call_form=HOSTILE),
        Message("user", TextReply(Utterance(HOSTILE, LINE, HOSTILE, kept, odd, (stage,)))),
        Message("user", TextReply(Utterance(HOSTILE, HOSTILE, f"{HOSTILE} now", stages=(stage,)))),
        Message("agent", ToolCallReply((call,), HOSTILE)),
        ToolResult(
            "1",
            f"{HOSTILE}!",
            LINE,
            "agent",
            True,
            (Change((HOSTILE, 1), "set", HOSTILE), Change((HOSTILE,), "del", side="user")),
            HOSTILE,
            {HOSTILE: HOSTILE},
        ),
        Message("agent", UnparsedReply(HOSTILE, HOSTILE), reasoning=HOSTILE, near_token=HOSTILE),
    )
    contexts = (
        UserContext(2, HOSTILE, {HOSTILE: HOSTILE}, answer=HOSTILE),
        UserContext(6, HOSTILE, failure=HOSTILE, answer=LINE),
    )
    decided = (Clarification(0, "outside", HOSTILE, HOSTILE, HOSTILE, HOSTILE),)
    episode = Episode(
        events, Termination("agent_error", HOSTILE), 3, 1, usage=(Usage(HOSTILE, HOSTILE),),
        clarifications=decided, contexts=contexts,
    )  # fmt: skip
    evidence = (Evidence(HOSTILE, None, HOSTILE, HOSTILE), Evidence(LINE, False, LINE))
    part = ComponentScore("ACTION", True, Scored(0), evidence, assumed=True)
    score = Score(HOSTILE, HOSTILE, Scored(0), (part,), note=HOSTILE, simulator=evidence)
    measures = (
        MeasureResult(HOSTILE, HOSTILE, HOSTILE, counts={HOSTILE: 1, f"{HOSTILE}0": 0},
                 evidence=(CountedItem({}, 1, HOSTILE, HOSTILE), CountedItem({}, None, LINE, LINE))),
        MeasureResult("errors@1", "1", HOSTILE, unscored=HOSTILE),
        MeasureResult("blame", "3", evidence=(CountedItem({}, None, HOSTILE, HOSTILE),)),
        MeasureResult("other", "1", "j", errors=(
            ReportedError("agent", "critical", (HOSTILE,), 3, HOSTILE, HOSTILE),)),
    )  # fmt: skip
    task = Task(
        HOSTILE, HOSTILE, "digest", Scenario(HOSTILE, HOSTILE),
        Criteria(("ACTION",), (Action("1", HOSTILE, {HOSTILE: HOSTILE}),), communicate_info=(HOSTILE,)),
        ticket=LINE,
    )  # fmt: skip
    condition = SPOKEN.with_axes(persona=HOSTILE)
    row = Played(episode, condition, HOSTILE, HOSTILE, 0, score, measures)
    keys = stored(folder, played, [row, msgspec.structs.replace(row, trial=1)], task)
    viewer = view(folder)
    address = viewer.address
    name = viewer.first_run()
    viewer.made(name)

    async def steps(tab: Tab) -> None:
        await tab.go(f"{address}/")
        assert name == await tab.value(
            "document.querySelector('a[href^=\"/run/\"]').getAttribute('href')"
        )
        shown = name.removeprefix("/run/")
        pages = [
            name,
            f"{name}/conversations",
            f"{name}/conversation/{keys[0]}",
            f"{name}/conversation/{keys[0]}?whole=1",
            f"/compare?a={shown}/{keys[0]}&b={shown}/{keys[1]}",
            f"/compare?a={shown}",
            "/",
        ]
        for path in pages:
            await tab.go(f"{address}{path}", width=375)
            assert await tab.value("window.harmed") is None, path
            assert await tab.value("document.querySelectorAll('main script, main img').length") == 0
            assert await tab.value("document.documentElement.scrollWidth") <= 375, path
            links = "[...document.querySelectorAll('[href], [src]')].map((node) => node.href ?? node.src)"
            assert all(link.startswith(address) for link in await tab.value(links)), path
            text = await tab.value("document.body.textContent")
            assert not {"\u202e", "\x1b", "\x07"}.intersection(text), path
            assert await tab.value(STRANGERS) == 0
        await tab.go(f"{address}{pages[2]}")
        text = await tab.value("document.querySelector('main').textContent")
        assert "<script>window.harmed=1</script><img src=x" in text
        assert "\\u202etxt.exe\\u202c \\x1b[31mred\\x07 {{7*7}}" in text
        assert "characters cut" in text
        await require_sound_page(tab, 1280)

    assert browse(steps) == []


def test_a_page_can_be_read_without_scripts(browse: Browse, view: View, talk: Path) -> None:
    address = view(talk).address

    async def steps(tab: Tab) -> None:
        await tab.send("Emulation.setScriptExecutionDisabled", value=True)
        await tab.send("Page.navigate", url=f"{address}{SPOKEN_PAGE}")
        loaded = "document.readyState === 'complete' && document.querySelector('.turns') !== null"
        while not await tab.value(loaded):
            pass
        assert (
            await tab.value("document.querySelectorAll('audio[controls]:not([hidden])').length")
            == 6
        )
        assert await tab.value("document.getElementById('player').hidden") is True
        assert "Nobody has it." in await tab.value("document.body.textContent")
        await tab.send("Emulation.setScriptExecutionDisabled", value=False)

    assert browse(steps) == []
