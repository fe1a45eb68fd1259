"""The report's section in the style of MM-tau-p2."""

import re
from functools import cache

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored
from dragoman.papers.mm_tau.figures import glances, mm_tau_page, modality_charts, persona_charts
from dragoman.papers.mm_tau.section import LEAD
from dragoman.papers.mm_tau.summary import MmTauSummary, summarize_mm_tau
from dragoman.papers.mm_tau.tables import change_tables, composite_tables, metric_tables
from dragoman.report.capabilities import LeadSection
from dragoman.report.html_report import render_report

HOSTILE = "<script>alert(1)</script>"
SCORING = ("dragoman-1", "none")


@cache
def summary(agent: str = "clerk") -> MmTauSummary:
    """Return a board of text and voice, two personas, three exposures, by the log and a judge."""
    rows = [
        ConversationResult(
            "courier",
            PLAIN.with_axes(voice=voice, persona=persona, exposure=exposure),
            agent,
            f"t{number}",
            0,
            Episode((), Termination("user_stop"), 1, 0),
            Score(*SCORING, Scored(float(number < passed)), ()),
            measures=(
                MeasureResult("critical", "1", counts={"fields": 4, "right": passed}),
                MeasureResult(
                    "mm_tau_p2",
                    "1@aaaa",
                    f"measure-2:{agent}",
                    counts={"judged": 1, "tasks": 1, "tasks_succeeded": 1},
                ),
            ),
        )
        for voice in ("text", "telephone")
        for persona in ("none", "hard")
        for passed, exposure in ((2, "0"), (3, "1"), (4, "2"))
        for number in range(4)
    ]
    return summarize_mm_tau(rows, {(row.suite, row.task): "same" for row in rows}, SCORING)


def test_table_2_has_a_column_for_each_reader_and_exposure_of_a_modality_and_persona() -> None:
    first, *rest = metric_tables(summary())

    assert (first.title, len(rest)) == ("Table 2: clerk, telephone+mixed, persona none", 3)
    assert first.columns == tuple(
        (reader, exposure, "courier")
        for reader in ("log", "clerk")
        for exposure in ("No Persona (p=0)", "Persona (p=1)", "Context (p=2)")
    )
    assert [row[0] for row in first.rows[:3]] == [
        "pass^1",
        "Critical Field Accuracy (CFA)",
        "Turn Efficiency (TE)",
    ]
    assert first.rows[0][1].startswith("0.500 of 4\n[")


def test_tables_3_and_4_have_the_context_the_changes_to_it_and_the_ideal() -> None:
    first, *_ = change_tables(summary())

    assert first.title == "Tables 3 and 4: courier, clerk, telephone+mixed, persona none"
    assert first.columns[:3] == (
        ("log", "Context (p=2)"),
        ("log", "No Persona (p=0) % Δ"),
        ("log", "Persona (p=1) % Δ"),
    )
    assert first.columns[-1] == ("", "Ideal")
    fields = first.rows[0]
    assert fields[1:4] == (
        fields[1],
        "-50.0 % of 4",
        "-25.0 % of 4",
    )
    assert fields[1].startswith("1.000 of 16")
    assert (0, 1) in first.best
    ideals = {row[0]: row[-1] for row in first.rows}
    assert ideals["Modality Robustness (MRS)"] == "≥ 1.0"
    assert ideals["Recovery Turn Count (RTC)"] == "0.0"


def test_table_5_has_no_row_where_no_composite_is_and_says_for_want_of_what() -> None:
    (table,) = composite_tables(summary())

    assert table.rows == ()
    assert "no mm-tap without" in table.note


def test_the_first_figure_pools_personas_and_the_second_has_each() -> None:
    found = summary()

    (pooled,) = modality_charts(found)
    assert pooled.title == "courier, clerk"
    assert [name for name, _ in pooled.groups] == [
        "text, by the log",
        "text, by clerk",
        "telephone+mixed, by the log",
        "telephone+mixed, by clerk",
    ]
    assert {bar.below for _, bars in pooled.groups for bar in bars} == {"personas none, hard"}
    (each,) = persona_charts(found)
    assert [name for name, _ in each.groups] == [
        f"{modality}, {persona}, by {reader}"
        for modality in ("text", "telephone+mixed")
        for persona in ("none", "hard")
        for reader in ("the log", "clerk")
    ]
    assert [bar.shown_share.value for bar in each.groups[0][1]] == [0.5, 0.75, 1.0]


def test_suites_stand_side_by_side_and_tasks_that_state_personas_have_their_own_bars() -> None:
    rows = [
        ConversationResult(
            suite,
            PLAIN.with_axes(exposure=exposure),
            "clerk",
            f"{number}{stated}",
            0,
            Episode((), Termination("user_stop"), 1, 0),
            Score(*SCORING, Scored(float(number)), ()),
        )
        for suite, stated in (
            ("retail", ""),
            ("telecom", "[PERSONA:Hard]"),
            ("telecom", "[PERSONA:None]"),
        )
        for exposure in ("0", "1")
        for number in (0, 1)
    ]
    found = summarize_mm_tau(rows, {(row.suite, row.task): "same" for row in rows}, SCORING)

    (pooled,) = modality_charts(found)
    assert pooled.title == "clerk, by the log"
    assert [name for name, _ in pooled.groups] == ["retail, text", "telecom, text"]
    assert [bars[0].below for _, bars in pooled.groups] == [
        "personas none",
        "personas task:hard, task:none",
    ]
    (each,) = persona_charts(found)
    assert [name for name, _ in each.groups] == [
        "retail, text, none",
        "telecom, text, task:none",
        "telecom, text, task:hard",
    ]
    assert [bar.shown_share.tasks for bar in each.groups[1][1]] == [2, 2]
    first, *_ = metric_tables(found)
    assert first.title == "Table 2: clerk, text, persona none, or task:none, task:hard"


def test_the_glance_has_a_step_for_each_exposure_persona_and_voice_by_the_log() -> None:
    (glance,) = glances(summary())

    assert [step.name for step in glance.steps] == [
        "exposure: 0 → 1",
        "exposure: 0 → 2",
        "exposure: 1 → 2",
        "persona: none → hard",
        "voice: text → telephone+mixed",
    ]
    assert [step.success.difference for step in glance.steps] == [0.25, 0.5, 0.25, 0.0, 0.0]


def test_names_from_data_are_escaped_in_the_page() -> None:
    found = summary(HOSTILE)

    page = render_report(
        [], "A report", LeadSection(LEAD, mm_tau_page((found,), (("runs", HOSTILE),)))
    )
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert len(re.findall("<svg", page)) > len(glances(found)[0].steps)
