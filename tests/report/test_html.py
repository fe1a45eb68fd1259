import base64
import gzip
import html
import json
import random
import re
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.browser import Browse, Tab

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.voice_summary import summarize_voice
from dragoman.core.clarifications import Clarification
from dragoman.core.conditions import PLAIN, condition_from
from dragoman.core.costs import Price
from dragoman.core.episodes import Episode, Event, Message, Termination, TerminationReason
from dragoman.core.measures import CountedItem, DeclaredMetrics, MeasureResult, Rate, Total
from dragoman.core.protocols import Provenance
from dragoman.core.replies import (
    AudioRef,
    Stage,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.tasks import (
    Action,
    Criteria,
    EnvAssertion,
    FixedTurn,
    FunctionCall,
    InitialState,
    Instructions,
    Scenario,
    Task,
)
from dragoman.core.tools import Change, ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.report.html_payload import DATA_FIELDS, TEXT_FIELDS
from dragoman.report.html_report import render_report
from dragoman.report.view_model import (
    FailureCause,
    RunView,
    conversation_causes,
    conversation_status,
    tool_errors,
)

HOSTILE = "<script>alert(1)</script></script><img src=x onerror=alert(2)>\"'&{{ 7*7 }}"
PROVENANCE = Provenance(
    "https://example.org/data 1.0", "MIT", "MIT License\nCopyright (c) 2025 Someone", "d1g357"
)
ORDER = json.dumps(
    {
        "order_id": "#W1",
        "total": 1.0,
        "lines": [],
        "note": 'a, b: {c} \\ "quoted"',
        "items": [{"price": 12345678901234567890}, {}],
    }
)


def score(value: float, *, assumed: bool = False) -> Score:
    return Score(
        "dragoman-1",
        "assume-met" if assumed else "rule-1",
        Scored(value),
        (
            ComponentScore(
                "DB", True, Scored(value), (Evidence("orders/#W1", value == 1, "differs"),)
            ),
            ComponentScore("COMMUNICATE", False, None),
            ComponentScore(
                "NL_ASSERTION",
                True,
                Scored(1.0),
                (Evidence("The agent apologises", True, "assumed"),),
                assumed=assumed,
            ),
        ),
    )


def episode(*events: Event, reason: TerminationReason = "user_stop", detail: str = "") -> Episode:
    return Episode(
        (Message("agent", text_reply("Hi! How can I help?"), scripted=True), *events),
        Termination(reason, detail),
        steps=4,
        errors=sum(isinstance(event, ToolResult) and event.error for event in events),
        usage=(Usage("agent", "big", 2, 100, 20), Usage("user", "small", 2)),
        started=1.5,
        seconds=61.0,
    )


def full_episode(text: str = "Hello") -> Episode:
    call = ToolCall("1", "get_order", {"order_id": text, "amount": 10.0})
    broken = ToolCall("2", "cancel", {}, raw="{oops", malformed="not JSON")
    user_call = ToolCall("3", "toggle", {}, by="user", positionals=(1, "x"))
    return episode(
        Message(
            "user",
            TextReply(Utterance(text, spoken="hello", heard=None, audio=AudioRef("aa", 1.0, 8))),
        ),
        Message("agent", ToolCallReply((call, broken), text), raw=msgspec.Raw(b'{"raw":1}')),
        ToolResult("1", "get_order", ORDER, shown=text, executed={"order_id": "W1", "n": 2.0}),
        ToolResult("2", "cancel", f"Error: {text}", error=True),
        Message("user", ToolCallReply((user_call,))),
        ToolResult(
            "3",
            "toggle",
            ORDER,
            by="user",
            changes=(
                Change(("orders", "#W1", 0), "set", {"amount": 10.0}),
                Change(("gone", text), "del", side="user"),
            ),
        ),
        Message("agent", UnparsedReply("", text), turn=2),
    )


def outcome(
    task: str,
    trial: int,
    episode: Episode | None,
    score: Score | None,
    agent: str = "clerk",
) -> ConversationResult:
    return ConversationResult("tau2:retail", PLAIN, agent, task, trial, episode, score)


def task(number: str, text: str = "You want a refund") -> Task:
    return Task(
        number,
        "tau2:retail",
        f"digest-{number}",
        Scenario(Instructions("retail", text, "Be brief."), persona="calm"),
        Criteria(
            ("DB", "NL_ASSERTION"),
            actions=(Action("a1", "cancel", {"amount": 1.0}, compare=("amount",)),),
            env_assertions=(EnvAssertion(FunctionCall("user", "is_on", {"n": 1})),),
            communicate_info=("327",),
            assertions=("The agent apologises",),
        ),
        InitialState(
            {"agent": {"posts": {"0": {"content": "Done!", "value": 1.0}}}},
            (FunctionCall("agent", "set_up", {}),),
            (ToolResult("a", "look", "nothing yet"),),
        ),
        turns=(FixedTurn(("one", "two"), ("tool",)),),
    )


def run_view(
    outcomes: list[ConversationResult], name: str = "may", text: str = "You want a refund"
) -> RunView:
    numbers = dict.fromkeys(entry.task for entry in outcomes)
    first = next((entry.score for entry in outcomes if entry.score is not None), None)
    rules, judge = (first.rules, first.judge) if first else ("dragoman-1", "none")
    return RunView(
        name,
        (("Seed", "300"), ("Rules", rules)),
        summarize(outcomes, rules, judge),
        tuple(outcomes),
        {f"tau2:retail/{number}": task(number, text) for number in numbers},
        (PROVENANCE,),
    )


def packed(report: str) -> dict[str, Any]:
    found = re.search(r'<script type="text/plain" id="packed">([^<]*)</script>', report)
    assert found is not None
    document: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found.group(1))))
    return document


def unpacked(node: object, texts: list[str]) -> object:
    if isinstance(node, list):
        return [unpacked(item, texts) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: json.loads(value)
        if key in DATA_FIELDS
        else texts[value]
        if key in TEXT_FIELDS and texts
        else unpacked(value, texts)
        for key, value in node.items()
    }


def without_raw(episode: Episode | None) -> Episode | None:
    if episode is None:
        return None
    events = (
        Message(event.by, event.reply, event.scripted, event.turn)
        if isinstance(event, Message)
        else event
        for event in episode.events
    )
    return msgspec.structs.replace(episode, events=tuple(events))


class Page(HTMLParser):
    """A parser that collects the visible parts of a page.

    These are elements, their attributes, and the text outside scripts.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in {"script", "style"}:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_hostile_text_never_becomes_markup_or_script() -> None:
    hostile = ConversationResult(
        HOSTILE,
        PLAIN.with_axes(voice=HOSTILE),
        HOSTILE,
        HOSTILE,
        0,
        full_episode(HOSTILE),
        score(0.0),
    )
    unscored = msgspec.structs.replace(
        hostile, trial=1, score=Score(HOSTILE, HOSTILE, Unscored(HOSTILE), ())
    )
    outcomes = (hostile, unscored)
    run = RunView(
        HOSTILE,
        ((HOSTILE, HOSTILE),),
        summarize(outcomes, HOSTILE, HOSTILE),
        outcomes,
        {},
        (Provenance(HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
    )
    report = render_report([run], HOSTILE)
    page = Page(report)
    assert [attrs.get("id") for tag, attrs in page.elements if tag == "script"] == ["packed", None]
    assert "img" not in [tag for tag, _ in page.elements]
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert "<script>alert" not in report
    assert "alert(1)" in page.text
    assert "49" not in page.text


def test_the_report_fetches_nothing() -> None:
    report = render_report([run_view([outcome("1", 0, full_episode(), score(1.0))])], "Title")
    page = Page(report)
    for _, attrs in page.elements:
        assert "src" not in attrs
        assert (attrs.get("href") or "#").startswith("#")
        assert "style" not in attrs
    assert "link" not in [tag for tag, _ in page.elements]
    outside = report.replace(html.escape(PROVENANCE.source), "")
    assert "http://" not in outside
    assert "https://" not in outside
    assert "@import" not in report
    assert "url(" not in report


def test_the_content_policy_admits_only_the_reports_own_script_and_style() -> None:
    report = render_report([], "Empty")
    policy = next(attrs["content"] for _, attrs in Page(report).elements if "http-equiv" in attrs)
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_assumed_figures_carry_their_badge_and_judged_ones_do_not() -> None:
    assumed = run_view([outcome("1", 0, full_episode(), score(1.0, assumed=True))])
    judged = run_view([outcome("1", 0, full_episode(), score(1.0))])
    words = Page(render_report([assumed], "Assumed")).text
    assert words.count("judge assume-met ASSUMED") >= 3
    assert "ASSUMED marks every figure" in words
    assert "ASSUMED" not in Page(render_report([judged], "Judged")).text
    assert "rules dragoman-1 judge rule-1" in Page(render_report([judged], "Judged")).text


def test_tasks_left_out_are_announced_with_their_bounds() -> None:
    undecided = Score("dragoman-1", "none", Unscored("no judge"), ())
    run = run_view(
        [
            outcome("1", 0, full_episode(), score(1.0)),
            outcome("2", 0, full_episode(), undecided),
        ]
    )
    words = Page(render_report([run], "Left out")).text
    assert "1 of 2 tasks excluded , pass^1 over all tasks between 0.500 and 1.000" in words
    assert "1 no judge" in words


def test_a_cell_without_a_complete_task_has_no_figure() -> None:
    words = Page(render_report([run_view([outcome("1", 0, None, None)])], "None")).text
    assert "none none [0.000, 1.000]" in words
    assert "1 not run" in words


def test_unknown_tokens_are_unknown_and_never_zero() -> None:
    words = Page(
        render_report([run_view([outcome("1", 0, full_episode(), score(1.0))])], "Usage")
    ).text
    assert "agent big 2 100 20" in words
    assert "user small 2 unknown unknown" in words
    assert (
        words.count("No known cost of big, user") + words.count("No known cost of big, small") == 1
    )
    assert "the sum is 1 min 1 s, although many ran at the same time" in words


def test_infrastructure_errors_stand_apart_from_tool_errors() -> None:
    broken = episode(reason="infrastructure_error", detail="provider 529")
    run = run_view(
        [
            outcome("1", 0, full_episode(), score(1.0)),
            outcome("1", 1, broken, Score("dragoman-1", "rule-1", Unscored("infrastructure"), ())),
        ]
    )
    words = Page(render_report([run], "Errors")).text
    assert "1 infrastructure errors not caused by the agent: no score" in words
    assert "1 tool errors refused or failed calls; agent 1, user 0" in words
    assert "infrastructure error provider 529" in words


def test_decisions_about_questions_stand_beside_the_words_that_they_are_about() -> None:
    asked = Message("agent", text_reply("How is that spelled?"))
    decided = Clarification(1, "allowed", "rule-1", reply="L-I-A-M", answer=HOSTILE)
    beyond = Clarification(9, "leak", "rule-1")
    played = msgspec.structs.replace(episode(asked), clarifications=(decided, beyond))

    report = render_report([run_view([outcome("1", 0, played, score(1.0))])], "Asked")

    (conversation,) = packed(report)["conversations"]
    greeting, question = conversation["episode"]["events"]
    assert "decided" not in greeting
    assert question["decided"]["reason"] == "allowed"
    assert question["decided"]["version"] == decided.version
    assert question["decided"]["answer"] == HOSTILE
    assert HOSTILE not in report


def spoken_view(agent: str = "clerk") -> RunView:
    """Return a run in text and over a telephone, with a judge's reason and a hostile agent's name."""
    counts: dict[str, int | float] = {"conversations": 1, "judged": 1, "rejected: leak": 1}
    rows = [
        ConversationResult(
            "tau2:retail",
            condition,
            agent,
            str(number),
            0,
            full_episode(),
            score(value),
            measures=measures,
        )
        for condition, values, measures in (
            (PLAIN, (1.0, 1.0), ()),
            (
                PLAIN.with_axes(voice="telephone", clarify="rule"),
                (1.0, 0.0),
                (MeasureResult("clarifications", "1", counts=counts),),
            ),
        )
        for number, value in enumerate(values)
    ]
    run = run_view(rows)
    summary = summarize_voice(rows, {}, {}, ("dragoman-1", "rule-1"))
    return msgspec.structs.replace(run, parts={"voice": summary})


def test_voices_are_drawn_and_told_beside_text() -> None:
    page = Page(render_report([spoken_view()], "Spoken"))

    described = [words for words in page.words if words.startswith("clerk, telephone+mixed")]
    assert described[0].startswith(
        "clerk, telephone+mixed, clarify rule: 50.0\xa0%, 95 % interval "
    )
    assert described[0].endswith(", 2 tasks")
    assert described[1].startswith("clerk, telephone+mixed, clarify rule: -50.0 points, ")
    assert page.text.count("clarifications: decisions by reason") == 1
    assert "clerk telephone+mixed rule 2" in page.text


def test_a_report_on_text_has_no_section_on_voice() -> None:
    report = render_report([run_view([outcome("1", 0, full_episode(), score(1.0))])], "Typed")

    assert 'id="voice"' not in report
    assert "#voice" not in report


def test_hostile_names_are_text_in_the_section_on_voice() -> None:
    page = Page(render_report([spoken_view(HOSTILE)], "Spoken"))

    assert "img" not in [tag for tag, _ in page.elements]
    assert "alert(1)" in page.text
    assert "49" not in page.text


def test_every_pass_k_is_written_and_drawn() -> None:
    outcomes = [
        outcome(str(number), trial, full_episode(), score(float(number > trial)))
        for number in range(4)
        for trial in range(3)
    ]
    report = render_report([run_view(outcomes)], "Curves")
    words = Page(report).text
    for k, value in (("2", "0.333"), ("3", "0.250")):
        assert f"^{k} {value}" in words
        assert f"pass^{k} {value}, 95 % interval [" in report
    assert report.count("<polyline") == 1
    for tag in ("<title id=", "<desc id="):
        assert report.count(tag) >= 3


def test_the_answer_of_a_cell_is_one_sentence_with_what_failed() -> None:
    outcomes = [
        outcome(str(number), trial, full_episode(), score(float(number != 0)))
        for number in range(4)
        for trial in range(2)
    ]
    words = Page(render_report([run_view(outcomes)], "Answer")).text
    assert "passes 75.0 % of trials, 95 % interval " in words
    assert "over 4 tasks with 2 trials each; 75.0 % of tasks pass every time." in words
    assert "2 of 8 conversations failed: DB 2." in words


def test_a_cell_without_a_figure_says_so_first() -> None:
    words = Page(render_report([run_view([outcome("1", 0, None, None)])], "None")).text
    assert "no result : no task of 1 has all its played trials scored." in words
    assert "No conversation failed. 1 not run." in words


def test_cells_are_set_against_each_other_over_the_tasks_that_both_finished() -> None:
    outcomes = [
        outcome(str(number), 0, full_episode(), score(value), agent)
        for number in range(6)
        for agent, value in (("worse", 0.0), ("better", 1.0))
    ]
    outcomes.append(outcome("6", 0, full_episode(), score(1.0), "better"))
    report = render_report([run_view(outcomes)], "Gaps")
    words = Page(report).text
    assert "better vs. worse English text" in words
    assert "+1.000" in words
    assert "6 tasks, 6 better, 0 worse; p 0.031, Holm 0.031" in words
    assert "Holm-corrected for 1 comparison." in words


def test_cells_that_were_scored_in_different_ways_are_not_set_against_each_other() -> None:
    judged = run_view([outcome("1", 0, full_episode(), score(1.0))], "one")
    assumed = run_view([outcome("1", 0, full_episode(), score(1.0, assumed=True))], "two")
    assert "Gaps between cells" not in Page(render_report([judged, assumed], "x")).text
    assert "Gaps between cells" in Page(render_report([judged, judged], "x")).text


def test_many_comparisons_are_drawn_by_their_p_and_the_rest_is_counted() -> None:
    agents = [f"agent{number}" for number in range(13)]
    outcomes = [
        outcome(str(number), 0, full_episode(), score(float(agent != "agent7")), agent)
        for agent in agents
        for number in range(3)
    ]
    words = Page(render_report([run_view(outcomes)], "Many")).text
    assert "Holm-corrected for 78 comparisons." in words
    assert "18 further comparisons with a larger p are not shown" in words
    assert words.count("agent7 vs.") + words.count("vs. agent7") == 12


def test_characters_that_act_are_written_out_in_what_is_not_a_script() -> None:
    acting = "\u202eexe.txt\u2066\x1b[2J"
    run = msgspec.structs.replace(
        run_view([outcome("1", 0, full_episode(acting), score(1.0), agent=acting)]), name=acting
    )
    report = render_report([run], acting)
    assert not set(report) & set("\u202e\u2066\x1b")
    assert r"\u202eexe.txt\u2066\x1b[2J" in Page(report).text


def test_an_endless_text_is_cut_and_says_so() -> None:
    run = msgspec.structs.replace(
        run_view([outcome("1", 0, full_episode(), score(1.0))]), facts=(("seed", "9" * 1_000_000),)
    )
    report = render_report([run], "Long")
    assert "980,000 characters cut" in report
    assert len(report) < 200_000


def test_ids_that_describe_figures_exist_once() -> None:
    outcomes = [
        outcome("1", trial, full_episode(), score(float(trial)), agent)
        for agent in ("one", "two")
        for trial in range(2)
    ]
    elements = Page(render_report([run_view(outcomes)], "Ids")).elements
    ids = [attrs["id"] for _, attrs in elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    wanted = {
        name for _, attrs in elements for name in (attrs.get("aria-labelledby") or "").split()
    }
    assert wanted
    assert wanted <= set(ids)


def test_licences_and_run_facts_are_printed() -> None:
    run = run_view([outcome("1", 0, full_episode(), score(1.0))])
    report = render_report([run, msgspec.structs.replace(run, name="june")], "Facts")
    words = Page(report).text
    assert "https://example.org/data 1.0" in words
    assert words.count("MIT License Copyright (c) 2025 Someone") == 1
    assert "d1g357" in words
    assert words.count("Seed 300") == 2
    assert "run june" in words


def test_a_report_without_script_says_what_is_missing() -> None:
    report = render_report([], "Empty")
    assert "<noscript>" in report
    assert "These runs hold no conversations yet." in report


def test_the_embedded_block_gives_every_conversation_back() -> None:
    outcomes = [
        outcome("1", 0, full_episode(), score(1.0, assumed=True)),
        outcome("1", 1, full_episode(HOSTILE), score(0.0)),
        outcome("2", 0, episode(reason="timeout"), None),
        outcome("2", 1, None, None),
    ]
    run = run_view(outcomes)
    document = packed(render_report([run], "Packed"))
    found = []
    for entry in document["conversations"]:
        given = entry | {"episode": unpacked(entry["episode"], document["texts"])}
        given["condition"] = {"axes": condition_from(given["condition"]).axes}
        found.append(msgspec.convert(given, ConversationResult))
        wanted = msgspec.convert(unpacked(document["tasks"][entry["brief"]], []), Task)
        assert wanted == run.tasks[f"tau2:retail/{entry['task']}"]
    expected = [
        msgspec.structs.replace(entry, episode=without_raw(entry.episode)) for entry in outcomes
    ]
    assert found == expected
    assert document["texts"].count(ORDER) == 1
    assert [entry["standing"] for entry in document["conversations"]] == [
        "pass",
        "fail",
        "unscored",
        "missing",
    ]


def test_a_report_on_very_many_cells_folds_what_it_says_of_each() -> None:
    def report(agents: int) -> str:
        rows = [outcome("1", 0, episode(), score(1.0), agent=f"agent {at}") for at in range(agents)]
        return render_report([run_view(rows)], "Many")

    assert '<details class="many">' not in report(24)
    assert report(25).count('<details class="many">') == 2
    assert "Results of each of 25 cells" in report(25)


def test_only_texts_of_tool_results_are_packed_by_place() -> None:
    stage = Stage("rewrite", "rules", settings={"content": "a post", "shown": "its end"})
    said = TextReply(Utterance("Post it", spoken="post it", heard="post it", stages=(stage,)))
    played = episode(Message("user", said), ToolResult("1", "post_tweet", ORDER))
    document = packed(render_report([run_view([outcome("1", 0, played, score(1.0))])], "Packed"))
    _, move, result = document["conversations"][0]["episode"]["events"]
    assert move["reply"]["utterance"]["stages"][0]["settings"] == {
        "content": "a post",
        "shown": "its end",
    }
    assert document["texts"][result["content"]] == ORDER


def failing(*failed: str) -> Score:
    """Return a score whose simulated user was checked."""
    checks = ("goal_kept", "nothing_invented")
    evidence = tuple(Evidence(name, name not in failed, HOSTILE) for name in checks)
    return msgspec.structs.replace(score(1.0), simulator=evidence)


def test_conversations_with_an_invalid_user_are_counted_marked_and_left_out_apart() -> None:
    outcomes = [
        outcome("1", 0, full_episode(), failing("goal_kept")),
        outcome("2", 0, full_episode(), failing()),
        outcome("3", 0, full_episode(), score(0.0)),
    ]
    report = render_report([run_view(outcomes)], "Users")
    text = Page(report).text
    assert "1 with an invalid user" in text
    assert "1 goal_kept the simulated user changed its goal" in text
    assert "Without conversations with an invalid user" in text
    assert "2 tasks counted, 1 excluded." in text
    assert [entry["user"] for entry in packed(report)["conversations"]] == [
        "invalid",
        "valid",
        "unchecked",
    ]


def test_a_run_without_simulated_users_says_nothing_of_their_validity() -> None:
    text = Page(render_report([run_view([outcome("1", 0, full_episode(), score(1.0))])], "x")).text
    assert "an invalid user" not in text


HEARD = MeasureResult(
    "hearing",
    "1",
    counts={"words": 40, "word errors": 4},
    evidence=(
        CountedItem({"words": 40}, 2, why="not heard: <b>Porto</b>"),
        CountedItem({"words": 0}, 4),
    ),
)
FAILED = MeasureResult("leave", "1@ab", "measure-1:m", unscored="judge failed: no reply")


def test_measures_stand_in_the_overview_and_with_their_conversation() -> None:
    rate = Rate("word errors", ("word errors",), ("words",), reads="percent")
    rows = [
        msgspec.structs.replace(outcome(task, 0, episode(), score(1.0)), measures=(HEARD, FAILED))
        for task in ("1", "2")
    ]
    view = msgspec.structs.replace(
        run_view(rows),
        declared={
            "hearing-1": DeclaredMetrics("hearing", "1", (rate,)),
            "leave-1@ab": DeclaredMetrics("leave", "1@ab", (Total("asked", ("asked",)),)),
        },
    )

    page = render_report([view], "may")

    overview = re.sub(r"<[^>]+>|\s+", " ", page[page.index('id="measures"') :][:3_000])
    written = re.sub(r"\s+", " ", overview)
    assert "hearing 1 word errors 10.0% none 80 0" in written
    assert "leave 1@ab judge measure-1:m asked - none 0 2" in written
    (first, _) = packed(page)["conversations"]
    assert first["measures"] == [
        {
            "name": "hearing 1",
            "judge": "",
            "unscored": "",
            "counts": ["words 40", "word errors 4"],
            "found": [{"event": 2, "subject": "", "why": "not heard: <b>Porto</b>"}],
        },
        {
            "name": "leave 1@ab",
            "judge": "measure-1:m",
            "unscored": "judge failed: no reply",
            "counts": [],
            "found": [],
        },
    ]


def test_a_run_without_further_measures_has_no_table_of_them() -> None:
    assert 'id="measures"' not in render_report([run_view([outcome("1", 0, None, None)])], "may")


def test_equal_runs_give_equal_reports() -> None:
    run = run_view([outcome("1", 0, full_episode(), score(1.0))])
    assert render_report([run], "Same") == render_report([run], "Same")


def test_a_report_with_sound_says_that_it_lies_beside_it() -> None:
    run = run_view([outcome("1", 0, full_episode(), score(1.0))])
    assert "The audio" not in Page(render_report([run], "Silent")).text
    spoken = msgspec.structs.replace(run, audio="mine/audio")
    words = Page(render_report([spoken], "Sound")).text
    assert "The audio is not in this file. It is in the folder mine/audio next to it." in words


def test_causes_name_failed_components_or_the_ending() -> None:
    early = msgspec.structs.replace(score(0.0), note="ended early: max_steps")
    assert conversation_causes(outcome("1", 0, episode(), score(0.0))) == (
        FailureCause("fail", "DB"),
    )
    assert conversation_causes(outcome("1", 0, episode(reason="max_steps"), early)) == (
        FailureCause("fail", "ended early: max_steps"),
    )
    assert conversation_causes(outcome("1", 0, episode(), score(1.0))) == ()
    assert conversation_status(outcome("1", 0, episode(), None)) == "unscored"
    assert list(tool_errors(full_episode())) == ["agent"]


def vocabulary(source: random.Random) -> list[str]:
    letters = "eeeettaaooinshrdlucmfwypvbgk"
    return ["".join(source.choices(letters, k=source.randint(2, 9))) for _ in range(3_000)]


def synthetic_outcomes(count: int) -> list[ConversationResult]:
    source = random.Random(7)  # noqa: S311 - made-up words need no secrecy
    words = vocabulary(source)
    products = [product(source, words) for _ in range(50)]
    orders = [product(source, words) for _ in range(400)]
    return [
        outcome(
            str(number % 125),
            number // 125,
            conversation(source, words, products + orders),
            score(1.0),
        )
        for number in range(count)
    ]


def product(source: random.Random, words: list[str]) -> str:
    variants = {
        str(source.randrange(10**10)): {
            "options": {"color": source.choice(words), "size": source.choice(words)},
            "available": source.random() < 0.5,
            "price": round(500 * source.random(), 2),
        }
        for _ in range(16)
    }
    return json.dumps(variants)


def conversation(source: random.Random, words: list[str], results: list[str]) -> Episode:
    events: list[Event] = []
    size = 0
    wanted = source.choice((10_000, 15_000, 20_000, 25_000, 30_000))
    while size < wanted:
        call = ToolCall(f"call_{source.getrandbits(64):x}", "get_details", {"id": str(size)})
        content = source.choice(results)
        events += [
            Message("user", text_reply(sentence(source, words, 30))),
            Message("agent", ToolCallReply((call,))),
            ToolResult(call.id, call.name, content),
            Message("agent", text_reply(sentence(source, words, 90))),
        ]
        size += len(content) + 1_200
    return episode(*events)


def sentence(source: random.Random, words: list[str], length: int) -> str:
    """Draw few words often and many words rarely, as in speech."""
    return " ".join(words[int(len(words) * source.random() ** 3)] for _ in range(length))


@pytest.mark.slow
def test_a_thousand_conversations_stay_below_five_megabytes() -> None:
    outcomes = synthetic_outcomes(1_000)
    assert len(msgspec.json.encode(outcomes)) > 18_000_000
    report = render_report([run_view(outcomes)], "Large")
    assert len(report.encode()) < 5_000_000
    assert len(packed(report)["conversations"]) == 1_000


@pytest.mark.slow
@pytest.mark.nightly
def test_a_browser_renders_a_conversation(browse: Browse, tmp_path: Path) -> None:
    run = run_view(
        [
            outcome("1", 0, full_episode(), score(1.0)),
            outcome("2", 0, full_episode(HOSTILE), score(0.0, assumed=True)),
            outcome("3", 0, full_episode(), failing("goal_kept")),
        ],
        text=HOSTILE,
    )
    path = tmp_path / "report.html"
    path.write_text(render_report([run], "In a browser"), encoding="utf-8")
    shown: list[str] = []

    async def steps(tab: Tab) -> None:
        for row in (1, 2):
            await tab.open(f"{path.as_uri()}#conversation-{row}")
            shown.append(await tab.value("document.documentElement.outerHTML"))

    assert browse(steps) == []
    page, users = map(Page, shown)
    assert "3 of 3 conversations" in page.text
    assert "invalid user" in page.text
    assert "Hi! How can I help?" in page.text
    assert "not met orders/#W1 differs" in page.text
    assert 'orders/#W1/0 set {"amount":10.0}' in page.text
    assert '"price": 12345678901234567890' in page.text
    assert '"lines": [],' in page.text
    assert HOSTILE in page.text
    assert "img" not in [tag for tag, _ in page.elements]
    assert "Simulated user" in users.text
    assert "not met goal_kept" in users.text
    assert "img" not in [tag for tag, _ in users.elements]


def test_the_report_says_what_was_used_and_what_it_cost() -> None:
    rows = [outcome("1", 0, full_episode(), score(1.0))]
    known = {"big": Price(Decimal(10_000), Decimal(50_000)), "small": None}
    view = run_view(rows)
    cells = summarize(rows, "dragoman-1", "none", known.get)
    page = render_report([msgspec.structs.replace(view, cells=cells)], "Cost")
    assert "<td>2</td><td>100</td><td>20</td><td>none</td><td>2.00 USD</td>" in page
    assert "<td>2</td><td>unknown</td><td>unknown</td><td>none</td><td>-</td>" in page
    assert page.count("No known cost of ") == 1
