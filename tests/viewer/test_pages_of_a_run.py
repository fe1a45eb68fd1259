"""The pages of runs: lists, filters, runs in progress, and hostile records."""

import html
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest
from tests.viewer.conftest import View

from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN, condition_of
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.core.usage import Usage
from dragoman.runs.manifest import Manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run
from dragoman.viewer.conversation_list import conversations_link, list_filter

HOSTILE = "<script>window.harmed=1</script>\"'><img src=x onerror=alert(1)>\u202etxt\u202c\x1b[31m"


def new_run(folder: Path, cells: list[StoredCell], agents: tuple[str, ...] = ("a",)) -> RunStore:
    config = RunConfig("shop", agents)
    made = Manifest("0", "3", 1.0, config, "none", "p", sample_suite().provenance)
    return create_run(folder, NewRun(msgspec.json.encode(made), tuple(cells), {}))


def cell(task: str, agent: str = "a") -> StoredCell:
    return StoredCell(content_key(agent, task), "shop", PLAIN, agent, task, 0)


def played_now(
    of: StoredCell, ago: float, model: str = "openai/gpt-4.1", value: float = 1.0
) -> StoredEpisode:
    used = (Usage("agent", model, 1, 1_000_000, 0),)
    started = time.time() - ago - 1
    episode = Episode((), Termination("user_stop"), 2, 0, usage=used, started=started, seconds=1.0)
    return StoredEpisode(of.key, 0, episode, Score("dragoman-1", "none", Scored(value), ()))


def test_every_number_leads_to_the_conversations_behind_it(view: View, played: Path) -> None:
    viewer = view(played)
    overview = viewer.made("/run/mine")
    links = re.findall(
        r'href="(/run/mine/conversations\?[^"]+)">([\d,]+)(?: [a-z ]+)?</a>', overview
    )

    assert len(links) > 5
    for link, count in links:
        found = viewer.get(html.unescape(link)).text
        assert f"<h1>{count} conversation" in found


def test_what_is_lost_between_conditions_leads_to_what_failed(view: View, tmp_path: Path) -> None:
    phone = condition_of({"voice": "telephone"})
    cells = [
        StoredCell(content_key(condition.label, task), "shop", condition, "a", task, 0)
        for condition in (PLAIN, phone)
        for task in ("t1", "t2", "t3", "t4")
    ]
    with new_run(tmp_path / "run", cells) as store:
        store.put(played_now(each, ago=9) for each in cells[:6])
        store.put(played_now(each, ago=9, value=0.0) for each in cells[6:])
    viewer = view(tmp_path / "run")

    overview = viewer.made("/run/run", shows="Change from the baseline")
    (link,) = re.findall(r'href="([^"]+behind=[^"]+)">2 failures</a>', overview)
    listed = viewer.get(html.unescape(link)).text

    assert "\N{MINUS SIGN}50.0" in overview
    assert "<h1>2 conversations</h1>" in listed
    assert '<span title="en/telephone/none">English, telephone</span>' in listed
    assert re.findall(r'">(t\d)</a>', listed) == ["t3", "t4"]


def test_a_list_can_be_walked_to_its_end_and_back_without_scripts(
    view: View, tmp_path: Path
) -> None:
    cells = [cell(f"t{number}") for number in range(120)]
    new_run(tmp_path / "run", cells).close()
    viewer = view(tmp_path / "run")
    pages = [viewer.made("/run/run/conversations")]
    while found := re.search(r'rel="next" href="([^"]+)"', pages[-1]):
        pages.append(viewer.get(f"/run/run/conversations{html.unescape(found[1])}").text)
    tasks = [re.findall(r'">(t\d+)</a>', page) for page in pages]
    back = re.search(r'rel="prev" href="([^"]+)"', pages[1])

    assert [len(page) for page in tasks] == [50, 50, 20]
    assert [task for page in tasks for task in page] == [each.task for each in cells]
    assert back is not None
    again = viewer.get(f"/run/run/conversations{html.unescape(back[1])}").text
    assert re.findall(r'">(t\d+)</a>', again) == tasks[0]


def test_a_run_that_is_written_is_followed(view: View, tmp_path: Path) -> None:
    cells = [cell(f"t{number}") for number in range(10)]
    with new_run(tmp_path / "run", cells) as store:
        viewer = view(tmp_path / "run")
        before = viewer.made("/run/run")
        store.put([played_now(each, ago=3) for each in cells[:4]])
        during = viewer.made("/run/run/live")
        store.put([played_now(each, ago=0) for each in cells[4:]])
        after = viewer.made("/run/run/live")

    assert "Incomplete" in before
    assert "0 of 10 conversations" in re.sub(r"\s+", " ", before)
    assert "data-going" in during
    reported = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", during))
    assert "Running: 4 of 10 conversations" in reported
    assert re.search(r"recent rate per minute \d+\.\d", reported)
    assert re.search(r"time left about \d", reported)
    assert "cost so far 8.00 USD" in reported
    assert "data-going" not in after
    assert "10 conversations" in re.sub(r"\s+", " ", after)


def test_the_time_left_waits_for_a_conversation_of_each_kind_as_in_the_terminal(
    view: View, tmp_path: Path
) -> None:
    """Text ends long before speech, and says nothing of how long speech takes."""
    spoken = condition_of({"voice": "telephone"})
    text = [cell(f"t{number}") for number in range(10)]
    calls = [
        StoredCell(content_key("call", each.task), "shop", spoken, "a", each.task, 0)
        for each in text
    ]
    with new_run(tmp_path / "run", [*text, *calls]) as store:
        viewer = view(tmp_path / "run")
        store.put([played_now(each, ago=3) for each in text])
        before = viewer.made("/run/run/live")
        store.put([played_now(each, ago=0) for each in calls[:4]])
        after = viewer.made("/run/run/live")

    assert "Running" in before
    assert "<dt>time left</dt><dd>unknown</dd>" in before
    assert "<dt>time left</dt><dd>about " in after


def test_a_conversation_without_a_model_costs_0(view: View, tmp_path: Path) -> None:
    """Every model that a run asks leaves usage, so that a played one without any is free."""
    cells = [cell("t0"), cell("t1")]
    with new_run(tmp_path / "run", cells) as store:
        scripted = played_now(cells[0], ago=1)
        episode = msgspec.structs.replace(scripted.episode, usage=())
        store.put([msgspec.structs.replace(scripted, episode=episode)])
        viewer = view(tmp_path / "run")
        live = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", viewer.made("/run/run/live")))
        listed = viewer.made("/run/run/conversations?outcome=pass&order=cost")
        usual = viewer.made("/run/run/conversations?outcome=pass")

    assert "cost so far 0.00 USD" in live
    assert re.search(r'data-label="cost, USD">0\.0000<', listed)
    # A column of zeros says nothing, unless the list is sorted by it.
    assert "cost, USD" not in usual


def test_what_a_preflight_cost_is_part_of_what_a_run_cost_so_far(
    view: View, tmp_path: Path
) -> None:
    cells = [cell(f"t{number}") for number in range(10)]
    used: tuple[Usage, ...] = (Usage("preflight", "openai/gpt-4.1", 1, 500_000, 0),)
    config = RunConfig("shop", ("a",))
    made = Manifest(
        "0",
        "3",
        1.0,
        config,
        "none",
        "p",
        sample_suite().provenance,
        preflight={cells[0].key: used},
    )
    new = NewRun(msgspec.json.encode(made), tuple(cells), {})
    with create_run(tmp_path / "run", new) as store:
        viewer = view(tmp_path / "run")
        before = viewer.made("/run/run")
        store.put([played_now(each, ago=3) for each in cells[:4]])
        during = viewer.made("/run/run/live")

    costs = [
        re.search(r"cost so far (\S+ USD)", re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page)))
        for page in (before, during)
    ]
    assert [found and found[1] for found in costs] == ["1.00 USD", "9.00 USD"]


def test_a_run_that_was_left_is_not_said_to_go_on(view: View, tmp_path: Path) -> None:
    cells = [cell("t0"), cell("t1")]
    with new_run(tmp_path / "run", cells) as store:
        store.put([played_now(cells[0], ago=10_000, model="no/such-model")])
    reported = view(tmp_path / "run").made("/run/run/live")

    assert "Incomplete" in reported
    assert "data-going" not in reported
    assert "no model usage with a known price was recorded" in reported


def test_what_is_hostile_is_text_everywhere(view: View, tmp_path: Path) -> None:
    folder = tmp_path / "run<b>"
    bad = cell(HOSTILE, agent=HOSTILE)
    with new_run(folder, [bad, cell("t")], (HOSTILE, "a")) as store:
        ending = Termination("infrastructure_error", HOSTILE)
        store.put([StoredEpisode(bad.key, 0, Episode((), ending, 1, 0))])
    viewer = view(folder)
    name = re.findall(r'href="/run/([^"/]+)"', viewer.get("/").text)[0]
    asked = quote(HOSTILE)
    paths = (
        "/",
        f"/run/{name}",
        f"/run/{name}/conversations",
        f"/run/{name}/conversations?agent={asked}&q={asked}&{asked}={asked}&order={asked}",
        f"/run/{name}/conversation/{bad.key}",
        f"/run/{asked}",
    )

    assert name == "run-b"
    for path in paths:
        text = viewer.made(path)
        assert "<script>window" not in text, path
        assert "<img" not in text, path
        assert "\u202e" not in text, path
        assert "\x1b" not in text, path


def test_runs_that_come_are_listed_and_a_broken_one_says_why(view: View, tmp_path: Path) -> None:
    new_run(tmp_path / "runs" / "one", [cell("t")]).close()
    viewer = view(tmp_path / "runs")
    first = viewer.get("/").text
    new_run(tmp_path / "runs" / "two", [cell("t")]).close()
    (tmp_path / "runs" / "three").mkdir()
    (tmp_path / "runs" / "three" / "run.sqlite").write_bytes(b"no database" * 100)
    second = viewer.get("/").text

    assert 'href="/run/one"' in first
    assert 'href="/run/two"' not in first
    assert 'href="/run/two"' in second
    assert "damaged or not a run file" in second
    assert viewer.get("/run/three").status == 500
    assert "damaged" in viewer.get("/run/three").text


def test_an_address_that_asks_for_nonsense_is_answered(view: View, played: Path) -> None:
    viewer = view(played)

    for query in (
        "after=x",
        "after=-1",
        "after=999999999999",
        "before=4&after=2",
        "order=",
        "a&a&b==",
    ):
        assert viewer.get(f"/run/mine/conversations?{query}").status == 200


def test_a_filter_stands_in_its_address() -> None:
    query = {"agent": ("a", "b&c"), "outcome": ("fail",), "q": ("7",), "order": ("cost",)}
    read = list_filter({**query, "falling": ("1",), "after": ("3",)})

    assert read.query() == "agent=a&agent=b%26c&outcome=fail&q=7&order=cost&falling=1"
    assert read.toggled("agent", "a").toggled("outcome", "fail").chosen == {"agent": ("b&c",)}
    assert (
        conversations_link("a b", agent="x/y", cause="") == "/run/a%20b/conversations?agent=x%2Fy"
    )


@pytest.mark.slow
@pytest.mark.nightly
def test_the_command_prints_its_address_and_ends_quietly(played: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "dragoman", "view", str(played), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=20)

    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    assert (process.returncode, out, errors) == (0, "", "")
