"""The report in a real browser: it filters, sets side by side, and shows hostile text as text."""

import json
from pathlib import Path

import msgspec
import pytest
from tests.browser import Browse, Tab
from tests.driving import require_sound_page

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.voice_summary import summarize_voice
from dragoman.core.audio import Audio
from dragoman.core.clarifications import Clarification
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.personas import UserContext
from dragoman.core.protocols import Provenance
from dragoman.core.replies import Stage, TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.scores import ComponentScore, Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.papers.mm_tau.figures import mm_tau_page
from dragoman.papers.mm_tau.section import LEAD
from dragoman.papers.mm_tau.summary import summarize_mm_tau
from dragoman.report.capabilities import LeadSection
from dragoman.report.html_report import render_report
from dragoman.report.view_model import RunView
from dragoman.store.audio_files import AudioFiles

HOSTILE = "<script>window.harmed=1</script><img src=x onerror='window.harmed=1'>\u202etxt.exe\u202c\x1b[31m"
LINE = "x" * 1_000_000
TASKS = [f"t{number}" for number in range(6)]
SHOWN = "[...document.querySelectorAll('#list .conversation')].map((node) => node.textContent)"

pytestmark = pytest.mark.slow


def episode(agent: str, task: str, text: str) -> Episode:
    call = ToolCall("1", "get_order", {"order_id": text})
    turns = (
        Message("agent", text_reply("Hi!"), scripted=True),
        Message("user", text_reply(f"I want {task}. {text}")),
        Message("agent", ToolCallReply((call,))),
        ToolResult("1", "get_order", text, error=True),
        Message("agent", text_reply(f"{agent} answers")),
        Message("user", text_reply("###STOP###")),
    )
    shortened = turns if agent == "good" else turns[:-1]
    ending = Termination("user_stop" if agent == "good" else "max_steps", text)
    return Episode(shortened, ending, steps=3, errors=1)


def outcome(agent: str, task: str, trial: int, text: str = "plain") -> ConversationResult:
    value = float(agent == "good" or task == "t0")
    part = ComponentScore("DB", True, Scored(value))
    score = Score("dragoman-1", "none", Scored(value), (part,), note=text)
    played = episode(agent, task, text)
    return ConversationResult("tau2:retail", PLAIN, agent, task, trial, played, score)


def view(outcomes: list[ConversationResult], name: str = "mine") -> RunView:
    tasks = dict.fromkeys((row.suite, row.task) for row in outcomes)
    return RunView(
        name,
        (("suite", name),),
        summarize(outcomes, "dragoman-1", "none"),
        tuple(outcomes),
        {f"{suite}/{task}": Task(task, suite, "digest", Scenario(name)) for suite, task in tasks},
        (Provenance(name, "MIT", name, name),),
    )


@pytest.fixture
def report(tmp_path: Path) -> str:
    """The address of a report on two agents."""
    rows = [
        outcome(agent, task, trial)
        for agent in ("good", "bad")
        for task in TASKS
        for trial in range(2)
    ]
    return written(tmp_path, view(rows))


def written(folder: Path, *runs: RunView) -> str:
    path = folder / "report.html"
    path.write_text(render_report(runs, "A report"), "utf-8")
    return path.as_uri()


def chosen(name: str, value: str) -> str:
    """Return the expression that sets a filter as a person would."""
    field = f"document.querySelector('#filters [name={name}]')"
    return (
        f"({field}.value = {json.dumps(value)},"
        f" {field}.dispatchEvent(new Event('input', {{bubbles: true}})))"
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_fits_the_screen_and_the_console_is_silent(
    browse: Browse, report: str, width: int, scheme: str
) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report, width, scheme)
        assert await tab.value("document.documentElement.scrollWidth") <= width
        await tab.value(
            "document.querySelectorAll('details').forEach((node) => (node.open = true))"
        )
        await require_sound_page(tab, width)
        background = await tab.value("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(247, 247, 245)") == (scheme == "light")

    assert browse(steps) == []


def test_filters_narrow_the_list_down_and_a_link_keeps_them(browse: Browse, report: str) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report)
        assert len(await tab.value(SHOWN)) == 24
        await tab.value(chosen("agent", "bad"))
        await tab.until("document.querySelectorAll('#list .conversation').length === 12")
        await tab.value(chosen("failed", "DB"))
        await tab.until("document.querySelectorAll('#list .conversation').length === 10")
        await tab.value(chosen("task", "t3"))
        await tab.until("document.querySelectorAll('#list .conversation').length === 2")
        address = await tab.value("location.href")
        assert address.endswith("#?agent=bad&failed=DB&task=t3")

        await tab.open(address)
        await tab.until("document.querySelectorAll('#list .conversation').length === 2")
        assert all("task t3" in text and "bad" in text for text in await tab.value(SHOWN))
        await tab.value("document.querySelector('#filters button').click()")
        await tab.until("document.querySelectorAll('#list .conversation').length === 24")
        await tab.value(chosen("words", "GOOD ANSWERS"))
        await tab.until("document.querySelectorAll('#list .conversation').length === 12")
        await tab.value(chosen("ending", "max_steps"))
        await tab.until("document.getElementById('count').textContent.startsWith('0 of')")

    assert browse(steps) == []


def test_a_task_leads_to_its_conversations_side_by_side(browse: Browse, report: str) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report)
        names = await tab.value(
            "[...document.querySelectorAll('button.task')].map((node) => node.textContent)"
        )
        assert names == [*TASKS[1:], "t0"]
        marks = await tab.value("document.querySelector('.matrix tbody tr').textContent")
        assert marks == "t1✓✓✗✗"
        await tab.value("document.getElementById('differing').click()")
        assert await tab.value("document.querySelectorAll('.matrix tbody tr').length") == 5
        await tab.value("document.querySelector('button.task').click()")
        heads = await tab.value(
            "[...document.querySelectorAll('.head')].map((node) => node.textContent)"
        )
        assert heads == ["✓ passed good trial 0", "✗ failed bad trial 0"]
        turns = await tab.value(
            "[...document.querySelectorAll('.turn > h4')].map((node) => node.textContent)"
        )
        assert turns == ["", "start", "turn 1", "turn 2", "end"]
        last = await tab.value("document.querySelectorAll('.turn')[3].textContent")
        assert last.endswith("ended before")
        address = await tab.value("location.href")
        await tab.open(address)
        assert await tab.value("document.querySelectorAll('.head').length") == 2
        await tab.value("document.querySelector('button.marks').click()")
        await tab.until("document.getElementById('count').textContent === '2 of 24 conversations'")

    assert browse(steps) == []


def test_hostile_text_is_inert_and_its_acting_characters_are_seen(
    browse: Browse, tmp_path: Path
) -> None:
    rows = [outcome(f"{HOSTILE}{agent}", HOSTILE, 0, HOSTILE) for agent in ("good", "bad")]
    address = written(tmp_path, view(rows, HOSTILE))

    async def steps(tab: Tab) -> None:
        await tab.open(f"{address}#?side=0.1")
        await tab.value("document.querySelector('#list details').open = true")
        await tab.until("document.querySelector('#list .body')")
        text = await tab.value("document.body.textContent")
        assert "<script>window.harmed=1</script>" in text
        assert "\\u202etxt.exe\\u202c\\u001b[31m" in text
        seen = await tab.value("document.querySelector('main').innerText + document.title")
        assert not [line for line in seen.splitlines() if set(line) & set("\u202e\u202c\x1b")]
        assert await tab.value("document.images.length") == 0
        assert await tab.value("window.harmed") is None

    assert browse(steps) == []


def test_an_endless_line_is_cut_and_can_be_seen_whole(browse: Browse, tmp_path: Path) -> None:
    address = written(tmp_path, view([outcome("good", "t1", 0, LINE)]))

    async def steps(tab: Tab) -> None:
        await tab.open(f"{address}#conversation-0", width=390)
        await tab.until("document.querySelector('.said button')")
        rest = "document.querySelector('.said button')"
        assert "characters cut: show all" in await tab.value(f"{rest}.textContent")
        assert await tab.value("document.documentElement.scrollWidth") <= 390
        block = (
            "[...document.querySelectorAll('.said')].find((node) => node.querySelector('button'))"
        )
        await tab.value(f"(window.block = {block}, {rest}.click())")
        assert await tab.value("window.block.textContent.length") > len(LINE)

    assert browse(steps) == []


def test_what_is_filtered_and_compared_can_be_reached_by_keyboard(
    browse: Browse, report: str
) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report)
        inert = await tab.value(
            "[...document.querySelectorAll('[tabindex]')].filter((node) => node.tabIndex < 0).length"
        )
        unnamed = await tab.value(
            "[...document.querySelectorAll('button')]"
            ".filter((node) => !node.hidden && !node.textContent.trim()).length"
        )
        assert (inert, unnamed) == (0, 0)
        await tab.value("document.querySelector('.matrix button.task').focus()")
        for kind in ("keyDown", "keyUp"):
            await tab.send(
                "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r",
                windowsVirtualKeyCode=13,
            )  # fmt: skip
        await tab.until("document.querySelectorAll('.head').length === 2")

    assert browse(steps) == []


def test_a_spoken_word_is_played_and_what_was_lost_is_marked(
    browse: Browse, tmp_path: Path
) -> None:
    kept = AudioFiles(tmp_path).keep(Audio(b"\x10\x00" * 8_000, 8_000))
    heard = Utterance(
        "My code is B 7.", "my code is bee seven", "my code is v 7", kept, kept, (STAGE,)
    )
    played = Episode(
        (Message("user", TextReply(heard)),), Termination("user_stop"), steps=1, errors=0
    )
    rows = [
        ConversationResult(
            "courier", PLAIN.with_axes(voice="telephone"), "literal", "t0", 0, played
        )
    ]
    page = written(tmp_path, msgspec.structs.replace(view(rows), audio="audio"))

    async def steps(tab: Tab) -> None:
        await tab.open(page)
        await tab.value("document.querySelector('#list .conversation summary').click()")
        await tab.until("document.querySelectorAll('#list audio').length === 2")
        lost = "[...document.querySelectorAll('#list mark.lost')].map((node) => node.textContent)"
        wrong = lost.replace("lost", "misheard")
        assert (await tab.value(lost), await tab.value(wrong)) == (["B"], ["v"])
        await tab.value("document.querySelector('#list audio').load()")
        await tab.until("document.querySelector('#list audio').readyState >= 1")
        assert await tab.value("document.querySelector('#list audio').duration") == 1

    assert browse(steps) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_voices_fit_the_screen_and_decisions_stand_below_the_words(
    browse: Browse, tmp_path: Path, width: int
) -> None:
    decided = Clarification(4, "outside", "rule-1", answer=HOSTILE)
    rows = [outcome("bad", "t1", 0)]
    assert rows[0].episode is not None
    played = msgspec.structs.replace(rows[0].episode, clarifications=(decided,))
    spoken = PLAIN.with_axes(voice="telephone", clarify="rule")
    rows.append(msgspec.structs.replace(rows[0], condition=spoken, episode=played))
    summary = summarize_voice(rows, {}, {}, ("dragoman-1", "none"))
    page = written(tmp_path, msgspec.structs.replace(view(rows), parts={"voice": summary}))

    async def steps(tab: Tab) -> None:
        await tab.open(f"{page}#conversation-1", width)
        await tab.until("document.querySelector('#list .decided')")
        words = await tab.value("document.querySelector('#list .decided').parentNode.textContent")
        assert "bad answers" in words
        assert "judged: not answered: outside (rule-1, clarifications-" in words
        assert await tab.value("document.querySelectorAll('#voice .datum').length") == 3
        await require_sound_page(tab, width)
        assert await tab.value("window.harmed") is None

    assert browse(steps) == []


def test_what_was_inferred_of_the_user_stands_where_the_agent_was_told_it(
    browse: Browse, tmp_path: Path
) -> None:
    known: dict[str, object] = {"age": "N/A", "technical_skill": 3, "persona": HOSTILE}
    contexts = (
        UserContext(4, "small", known, answer="{...}"),
        UserContext(5, "small", failure="frustration_level is missing", answer=HOSTILE),
    )
    row = outcome("bad", "t1", 0)
    assert row.episode is not None
    used = (Usage("user context", "small", 2, 700, 80),)
    played = msgspec.structs.replace(row.episode, contexts=contexts, usage=used)
    page = written(tmp_path, view([msgspec.structs.replace(row, episode=played)]))

    async def steps(tab: Tab) -> None:
        await tab.open(f"{page}#conversation-0")
        await tab.until("document.querySelectorAll('#list .inferred').length === 2")
        reported = "document.querySelectorAll('#list .inferred')"
        first = await tab.value(f"{reported}[0].textContent")
        assert "inferred after 1 message of the user (small)" in first
        fields = f"[...{reported}[0].querySelectorAll('dt, dd')].map((node) => node.textContent)"
        assert (await tab.value(fields))[:4] == ["age", "N/A", "technical skill", "3"]
        assert "bad answers" in await tab.value(f"{reported}[0].nextElementSibling.textContent")
        failed = await tab.value(f"{reported}[1].textContent")
        assert "unusable answer frustration_level is missing" in failed
        body = await tab.value("document.querySelector('#list .body').textContent")
        assert "user profile inference: small, 2 calls, tokens 700 in, 80 out" in body
        assert await tab.value("window.harmed") is None

    assert browse(steps) == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tables_and_figures_of_mm_tau_fit_the_screen(
    browse: Browse, tmp_path: Path, width: int, scheme: str
) -> None:
    reported = PLAIN.with_axes(exposure="1")
    rows = [
        msgspec.structs.replace(outcome(HOSTILE, task, 0), condition=condition)
        for condition in (PLAIN, reported, reported.with_axes(voice="telephone"))
        for task in TASKS
    ]
    digests = {(row.suite, row.task): "digest" for row in rows}
    summary = summarize_mm_tau(rows, digests, ("dragoman-1", "none"))
    path = tmp_path / "report.html"
    lead = LeadSection(LEAD, mm_tau_page((summary,), (("runs", HOSTILE),)))
    path.write_text(render_report([view(rows)], "A report", lead), "utf-8")

    async def steps(tab: Tab) -> None:
        await tab.open(path.as_uri(), width, scheme)
        await tab.value(
            "document.querySelectorAll('#mm-tau details').forEach((node) => (node.open = true))"
        )
        await require_sound_page(tab, width)
        assert await tab.value("document.querySelectorAll('#mm-tau .step').length") == 2
        assert await tab.value("document.querySelectorAll('#mm-tau .grouped').length") > 3
        assert await tab.value("window.harmed") is None

    assert browse(steps) == []


STAGE = Stage("recognition", "somebody")
