"""Losses in a real browser: figures lead to conversations, and failures are open."""

from pathlib import Path

import pytest
from tests.browser import Browse, Tab

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.comparison import group_cells
from dragoman.analysis.drops import find_drops
from dragoman.analysis.failure_attribution import FailureSource, attribution_result
from dragoman.core.audio import Audio
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.replies import TextReply, Utterance, text_reply
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.report.html_report import render_report
from dragoman.report.view_model import RunView
from dragoman.store.audio_files import AudioFiles

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

TELEPHONE = PLAIN.with_axes(voice="telephone")
STUDIO = PLAIN.with_axes(voice="studio")
FOUND: dict[Condition, list[FailureSource | float]] = {
    PLAIN: [1.0, 1.0, 1.0, 1.0],
    STUDIO: [1.0, 1.0, 1.0, 1.0],
    TELEPHONE: [1.0, "line", "line", "speech"],
}
OPEN = "[...document.querySelectorAll('#list details.conversation[open]')].map((n) => n.id)"
SHOWN = "[...document.querySelectorAll('#list .conversation')].map((node) => node.textContent)"


def outcome(condition: Condition, task: int, found: FailureSource | float) -> ConversationResult:
    events = (Message("user", text_reply(f"I want {task}.")), Message("agent", text_reply("Yes.")))
    return ConversationResult(
        *("courier", condition, "clerk", f"t{task}", 0),
        Episode(events, Termination("user_stop"), 2, 0),
        Score("dragoman-1", "none", Scored(float(found == 1.0)), ()),
        measures=(attribution_result(found),) if isinstance(found, str) else (),
    )


def view(rows: list[ConversationResult], audio: str = "") -> RunView:
    tasks = {row.task: Task(row.task, "courier", "same", Scenario("")) for row in rows}
    cells = group_cells("mine", rows, dict.fromkeys(tasks, "same"))
    return RunView(
        *("mine", (), summarize(rows, "dragoman-1", "none"), tuple(rows)),
        {f"courier/{name}": task for name, task in tasks.items()},
        (),
        audio=audio,
        drops=find_drops(cells),
    )


@pytest.fixture
def report(tmp_path: Path) -> str:
    rows = [
        outcome(condition, task, found)
        for condition, row in FOUND.items()
        for task, found in enumerate(row)
    ]
    path = tmp_path / "report.html"
    path.write_text(render_report([view(rows)], "A report"), "utf-8")
    return path.as_uri()


def test_each_number_of_a_loss_leads_to_the_conversations_behind_it(
    browse: Browse, report: str
) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report)
        first = "document.querySelector('#lost li')"
        reported = await tab.value(f"{first}.textContent.replace(/\\s+/g, ' ')")
        assert "telephone vs. text: drop of 75.0 points" in reported
        assert "channel 50.0 [" in reported
        assert "recognizer 25.0 [" in reported
        links = f"[...{first}.querySelectorAll('a')]"
        for words, count in (("75.0", 3), ("channel", 2), ("recognizer", 1)):
            await tab.value(
                f"{links}.find((link) => link.textContent.startsWith('{words}')).click()"
            )
            await tab.until(
                f"document.getElementById('count').textContent === '{count} of 12 conversations'"
            )
            assert all("failed" in text and "telephone" in text for text in await tab.value(SHOWN))
        assert await tab.value("scrollY") > 100

    # The conversations' sounds were never made.
    assert [line for line in browse(steps) if ".wav" not in line] == []


def test_a_page_opens_with_columns_that_differ_and_a_failure_among_them(
    browse: Browse, report: str
) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report)
        heads = "[...document.querySelectorAll('.head')].map((n) => n.textContent.slice(0, 8))"
        assert await tab.value(heads) == ["✓ passed", "✓ passed", "✗ failed"]
        assert "#" not in await tab.value("location.href")
        await tab.open(report, width=375)
        columns = "document.getElementById('columns')"
        await tab.value(f"{columns}.lastChild.style.height = '9000px'")
        assert await tab.value(f"{columns}.offsetHeight") <= 0.8 * 900 + 1

    # The conversations' sounds were never made.
    assert [line for line in browse(steps) if ".wav" not in line] == []


def test_a_failed_mark_of_the_table_of_tasks_opens_its_conversation(
    browse: Browse, report: str
) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(report)
        await tab.value("document.querySelector('button.marks:has(.mark.fail)').click()")
        await tab.until("document.getElementById('count').textContent.startsWith('1 of')")
        (opened,) = await tab.value(OPEN)
        text = await tab.value(f"document.getElementById('{opened}').textContent")
        assert "failed" in text
        assert "I want 1." in text

    # The conversations' sounds were never made.
    assert [line for line in browse(steps) if ".wav" not in line] == []


def test_a_copy_without_its_audio_says_so_and_a_sign_alone_was_never_spoken(
    browse: Browse, tmp_path: Path
) -> None:
    kept = AudioFiles(tmp_path / "run").keep(Audio(b"\x10\x00" * 8_000, 8_000))
    silence = AudioFiles(tmp_path / "run").keep(Audio(b"", 8_000))
    heard = Utterance("Yes.", "yes", "yes", kept, kept)
    sign = Utterance("###STOP###", "", "", silence, silence)
    played = Episode(
        (Message("user", TextReply(heard)), Message("user", TextReply(sign))),
        Termination("user_stop"),
        1,
        0,
    )
    rows = [ConversationResult("courier", TELEPHONE, "clerk", "t0", 0, played)]
    path = tmp_path / "copy.html"
    path.write_text(render_report([view(rows, audio="audio")], "A copy"), "utf-8")

    async def steps(tab: Tab) -> None:
        await tab.open(path.as_uri())
        await tab.value("document.querySelector('#list .conversation summary').click()")
        await tab.until("document.querySelectorAll('#list audio').length === 0")
        text = await tab.value("document.querySelector('#list').textContent")
        assert text.count("the sound file is missing: it must be in audio next to the report") == 2
        assert "###STOP###a control token, not spoken" in text
        assert await tab.value("document.querySelectorAll('#list mark.lost').length") == 0

    browse(steps)
