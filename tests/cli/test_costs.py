"""Prices, budgets and the cache of replies, as people use them."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman as package
from dragoman.cli.usage import aged_price
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.prices import AgedPrice, PriceOrigin
from dragoman.store.reply_cache import ReplyCache
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

SCRIPT = {"*": [{"content": "I cannot help you with that."}]}
PRICES = """
[[lists]]
as_of = 2026-05-01
[lists.prices]
"scripted/script.json" = { input = 1, output = 2 }
"""


@pytest.fixture
def script(folder: Path) -> str:
    """A chat model that gives up; it tells no usage, as scripts do not."""
    (folder / "script.json").write_text(json.dumps(SCRIPT))
    (folder / "prices.toml").write_text(PRICES)
    return "scripted/script.json"


def test_a_run_tells_what_its_models_used_and_that_the_cost_is_unknown(
    run_json: RunJson, script: str
) -> None:
    result = run_json("run", "sample:shop", "--agent", script, "--limit", 1, "--out", "mine")

    (used,) = result["usage"]
    assert (used["purpose"], used["model"], used["calls"]) == ("agent", script, 1)
    assert used["input_tokens"] is used["cost"] is result["cost"] is None
    assert result["cells"][0]["cost"] is None
    assert result["prices"].startswith("list prices of ")


def test_a_table_of_ones_own_is_recorded_with_the_run(
    run_json: RunJson, dragoman: Cli, script: str, folder: Path
) -> None:
    run = ("run", "sample:shop", "--agent", script, "--limit", 1, "--prices", "prices.toml")
    result = run_json(*run, "--out", "mine")
    (folder / "prices.toml").unlink()

    assert result["prices"].endswith("1 of one's own")
    assert run_json("resume", "mine")["prices"] == result["prices"]
    assert dragoman("report", "mine").returncode == 0
    assert "1 of one&#39;s own" in (folder / "mine" / "report.html").read_text()


def test_the_ledger_is_a_frame(run_json: RunJson, script: str, folder: Path) -> None:
    run_json("run", "sample:shop", "--agent", script, "--limit", 2, "--out", "mine")

    frame = package.load(folder / "mine").usage

    assert frame.select("purpose", "model", "calls", "cost_usd").rows() == [
        ("agent", script, 2, None)
    ]
    assert package.load(folder / "mine").cells["cost_usd"].to_list() == [None]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--max-cost", "lots"), "write it like '5 USD'"),
        (("--max-cost", "0 USD"), "allows nothing"),
        (("--prices", "none.toml"), "No such file"),
    ],
)
def test_a_mistake_about_money_is_one_line(
    refused: Refused, options: tuple[str, ...], said: str
) -> None:
    assert said in refused("run", "sample:shop", "--agent", "gold", *options, status=2)


def test_a_grid_file_knows_budget_prices_and_cache(
    run_json: RunJson, script: str, folder: Path
) -> None:
    grid = f'suite = "sample:shop"\nagents = ["{script}"]\nlimit = 1\nmax_cost = "2 h"\n'
    (folder / "grid.toml").write_text(f'{grid}prices = "prices.toml"\ncache = false\n')

    assert run_json("run", "grid.toml", "--out", "mine")["prices"].endswith("own")


def test_the_cache_is_described_and_cleared(dragoman: Cli, run_json: RunJson, folder: Path) -> None:
    assert run_json("cache", "info")["replies"] == 0
    path = folder / "no-cache" / "dragoman" / "replies.sqlite"
    with ReplyCache(path, 1 << 30) as cache:
        cache.put(b"1" * 16, b"body")

    info = run_json("cache", "info")
    assert (info["file"], info["replies"], info["in_flight"]) == (str(path), 1, 0)
    assert "replies    1" in dragoman("cache", "info").stdout
    cleared = dragoman("cache", "clear")
    assert cleared.returncode == 0, cleared.stderr
    assert str(path) in cleared.stdout
    assert run_json("cache", "info")["bytes"] == 0


def test_a_cache_that_cannot_be_read_says_how_to_get_rid_of_it(
    refused: Refused, dragoman: Cli, folder: Path
) -> None:
    path = folder / "no-cache" / "dragoman" / "replies.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"nonsense" * 1_000)

    assert "dragoman cache clear" in refused("cache", "info", status=1)
    assert dragoman("cache", "clear").returncode == 0
    assert dragoman("cache", "info").returncode == 0


def test_scoring_anew_asks_the_judge_and_not_its_memory(run_json: RunJson) -> None:
    verdict = ScriptedReply('{"verdicts": [{"id": 1, "met": true, "why": "so"}]}')
    with ModelServer(RuleAnswers([Rule(verdict)])) as server:
        judge = ("--judge", f"compatible/judge?base_url={server.url}")
        grid = ("--agent", "gold", "--tasks", "too-late", *judge)
        run_json("run", "sample:shop", *grid, "--out", "one")
        asked = server.log.completed
        assert asked > 0
        run_json("run", "sample:shop", *grid, "--out", "two")
        assert server.log.completed == asked
        run_json("score", "one", *judge, "--anew")
        assert server.log.completed > asked


def test_two_trials_that_went_alike_are_judged_each_for_itself(run_json: RunJson) -> None:
    verdict = ScriptedReply('{"verdicts": [{"id": 1, "met": true, "why": "so"}]}')
    with ModelServer(RuleAnswers([Rule(verdict)])) as server:
        judge = ("--judge", f"compatible/judge?base_url={server.url}")
        options = ("--agent", "gold", "--tasks", "too-late", "--trials", 3)
        run_json("run", "sample:shop", *options, *judge, "--out", "one")
        assert server.log.completed == 3


PRICED = """
[[lists]]
as_of = 2026-05-01
[lists.prices]
"compatible/any" = { input = 100, output = 1000 }
"""


@pytest.mark.slow
def test_what_runs_used_and_cost_is_told_by_scenario(
    dragoman: Cli, run_json: RunJson, refused: Refused, folder: Path
) -> None:
    (folder / "prices.toml").write_text(PRICED)
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you."))])) as server:
        model = f"compatible/any?base_url={server.url}"
        for language, scenario in (("en", "english"), ("th", "domain")):
            given = ("--agent", model, "--limit", 2, "--no-cache", "--out", language)
            run_json("run", "courier", *given, "--language", language, "--scenario", scenario)
    asked = ("usage", "en", "th", "--for", "agent", "--prices", "prices.toml")
    scenarios = {each["scenario"]: each for each in run_json(*asked)["usage"]}
    assert len(scenarios) == 2
    for each in scenarios.values():
        (line,) = each["lines"]
        cost = line["tokens_in"] * 100e-6 + line["tokens_out"] * 1000e-6
        assert each["conversations"] == line["calls"] == 2
        assert each["cost"] == line["cost"] == pytest.approx(cost)
    languages = run_json("usage", "en", "th", "--by", "language,agent")["usage"]
    assert [(each["language"], each["cost"]) for each in languages] == [("en", None), ("th", None)]
    table = dragoman(
        *asked, "--out", "costs.md", "--out", "costs.tex", "--out", "costs.json"
    ).stdout
    assert json.loads((folder / "costs.json").read_text())["usage"] == list(scenarios.values())
    assert "| scenario | conversations |" in (folder / "costs.md").read_text()
    assert "per success" in (folder / "costs.tex").read_text()
    assert "name one of these" in refused(*asked, "--out", "costs.html", status=2)
    assert "usage covers all attempts" in table
    assert "USD" in table
    assert "--by colour: no such axis" in refused("usage", "en", "--by", "colour", status=2)


def test_a_dry_run_says_what_it_would_cost_as_a_recorded_run_did(
    dragoman: Cli, run_json: RunJson, refused: Refused, folder: Path
) -> None:
    (folder / "prices.toml").write_text(PRICED)
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you."))])) as server:
        agent = ("--agent", f"compatible/any?base_url={server.url}")
        run_json("run", "sample:shop", *agent, "--limit", 2, "--no-cache", "--out", "mine")
        plan = ("run", "sample:shop", *agent, "--trials", 3, "--prices", "prices.toml")
        found = run_json(*plan, "--dry-run", "--like", "mine")["estimate"]
        unpriced = run_json(*plan[:-2], "--dry-run", "--like", "mine")["estimate"]
        shown = dragoman(*plan, "--dry-run", "--like", "mine", "--full").stdout
        assert "--like RUN" in dragoman(*plan, "--dry-run").stdout
        assert "add --dry-run" in refused(*plan, "--like", "mine", status=2)
    (line,) = found["lines"]
    assert (line["purpose"], line["model"], line["conversations"]) == (
        "agent",
        "compatible/any",
        15,
    )
    cost = line["input_tokens"] * 100e-6 + line["output_tokens"] * 1000e-6
    assert found["cost"] == line["cost"] == pytest.approx(cost)
    assert found["cost_is_whole"]
    assert found["seconds_in_all"] > 0
    assert unpriced["cost"] is None
    assert not unpriced["cost_is_whole"]
    assert "cost: about" in shown
    assert "from 2 recorded conversations" in shown


HALVED = PRICED.replace("output = 1000", "output = 1000, batch = 0.5")


def test_a_dry_run_knows_batches_and_rates_by_the_address_as_a_run_does(
    run_json: RunJson, folder: Path
) -> None:
    (folder / "prices.toml").write_text(HALVED)
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you."))])) as server:
        agent = ("--agent", f"compatible/any?base_url={server.url}", "--prices", "prices.toml")
        run_json("run", "sample:shop", *agent, "--limit", 2, "--no-cache", "--out", "mine")
        elsewhere = f"compatible/any?base_url={server.url.replace('127.0.0.1', 'localhost')}"
        plan = ("run", "sample:shop", *agent, "--dry-run", "--like", "mine")
        rate = ("--rate", f"{server.origin}=1rpm")
        plain = run_json(*plan)["estimate"]
        named = run_json(*plan, "--batch", "compatible")["estimate"]
        batched = run_json(*plan, "--batch", server.origin)["estimate"]
        slow = run_json(*plan, *rate)["estimate"]
        two = run_json(*plan, "--agent", elsewhere, *rate)["estimate"]
    assert named["cost"] == batched["cost"] == pytest.approx(plain["cost"] / 2)
    assert batched["lines"][0]["model"] == "compatible/any (batch)"
    assert plain["seconds_in_all"] < slow["seconds_in_all"]
    assert slow["seconds_in_all"] == pytest.approx(60 * plain["lines"][0]["calls"])
    assert [line["model"] for line in two["lines"]] == ["compatible/any"] * 2
    assert two["seconds_in_all"] == slow["seconds_in_all"]


AVERAGES = """
seconds = 30
[purposes.agent]
calls = 4
input_tokens = 1000
output_tokens = 100
"""


def test_a_dry_run_says_what_it_would_cost_by_stated_averages(
    dragoman: Cli, run_json: RunJson, refused: Refused, folder: Path
) -> None:
    (folder / "prices.toml").write_text(PRICED)
    (folder / "averages.toml").write_text(AVERAGES)
    agent = ("--agent", "compatible/any?base_url=http://127.0.0.1:9/v1", "--concurrency", "5")
    plan = ("run", "sample:shop", *agent, "--trials", 2, "--prices", "prices.toml")
    averages = ("--averages", "averages.toml")

    found = run_json(*plan, "--dry-run", *averages)["estimate"]
    shown = dragoman(*plan, "--dry-run", *averages, "--full").stdout

    assert found["cost"] == pytest.approx(10 * (1000 * 100e-6 + 100 * 1000e-6))
    assert found["cost_is_whole"]
    assert (found["interval"], found["seconds_in_all"]) == (None, 60)
    assert found["bases"] == {"stated averages": 10}
    assert "stated averages: for 10 planned" in shown
    assert "or give --averages FILE" in dragoman(*plan, "--dry-run").stdout
    assert "--averages is for a cost estimate: add --dry-run" in refused(*plan, *averages, status=2)
    wrong = ("--averages", "prices.toml")
    assert "averages prices.toml: " in refused(*plan, "--dry-run", *wrong, status=2)


def test_an_old_price_is_told_with_its_page_or_that_this_is_not_known() -> None:
    looked_up = date(2026, 1, 2)
    reported = aged_price(AgedPrice("p/a", PriceOrigin(looked_up, "https://p.test/prices"), 200))
    unreported = aged_price(AgedPrice("p/a", PriceOrigin(looked_up, ""), 200))
    assert reported == "p/a, of 2026-01-02, 200 days ago: https://p.test/prices"
    assert unreported.endswith("200 days ago: source unknown")


def test_a_dry_run_like_a_run_that_is_not_there_is_told_in_one_line(refused: Refused) -> None:
    plan = ("run", "sample:shop", "--agent", "gold", "--dry-run")
    assert "nowhere" in refused(*plan, "--like", "nowhere", status=1)


KEYLESS = ("run", "courier", "--limit", 1, "--agent", "openai/gpt-4.1")
NO_KEYS = {"OPENAI_API_KEY": "", "DEEPGRAM_API_KEY": ""}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ((), {"openai/gpt-4.1": "OPENAI_API_KEY"}),
        (
            ("--user", "openai/gpt-4.1", "--voice", "telephone", "--asr", "deepgram/nova-3"),
            {"openai/gpt-4.1": "OPENAI_API_KEY", "deepgram/nova-3": "DEEPGRAM_API_KEY"},
        ),
        (("--agent", "openai-realtime/gpt-realtime"), None),
    ],
)
def test_a_dry_run_needs_no_key_and_says_which_a_run_needs(
    dragoman: Cli, run_json: RunJson, options: tuple[str, ...], named: dict[str, str] | None
) -> None:
    found = run_json(*KEYLESS, *options, "--dry-run", **NO_KEYS)
    shown = dragoman(*KEYLESS, *options, "--dry-run", **NO_KEYS)

    assert found["planned"] > 0
    assert named is None or found["missing_keys"] == named
    assert "key not set: OPENAI_API_KEY, which a run needs for openai/gpt-4.1" in shown.stdout
    assert not shown.stderr


def test_a_run_without_a_key_is_refused_before_anything_is_played(
    run_json: RunJson, refused: Refused, folder: Path
) -> None:
    line = refused(*KEYLESS, "--out", "mine", status=2, **NO_KEYS)
    assert line.endswith("openai/gpt-4.1 needs a key: set OPENAI_API_KEY in the environment")
    assert not (folder / "mine").exists()

    found = run_json(*KEYLESS, "--dry-run", OPENAI_API_KEY="sk-2718281828459045")
    assert found["missing_keys"] == {}
    keys = [cell["key"] for cell in found["cells"]]
    assert keys == [cell["key"] for cell in run_json(*KEYLESS, "--dry-run", **NO_KEYS)["cells"]], (
        "a key changes no conversation"
    )


SPOKEN = """
[purposes.agent]
calls = 4
input_tokens = 1000
output_tokens = 100
[purposes.recognition]
model = "deepgram/nova-3"
calls = 6
audio_seconds = 60
[purposes.synthesis]
model = "deepgram/aura-2"
calls = 6
characters = 1_000_000
"""
SPEECH_PRICES = f"""{PRICED}
"deepgram/nova-3" = {{ minute = 1 }}
"deepgram/aura-2" = {{ characters = 10 }}
"openai/whisper-1" = {{ minute = 100 }}
"""


@pytest.mark.parametrize(
    ("options", "speech"),
    [
        ((), {}),
        (("--voice", "telephone"), {}),
        (("--voice", "telephone", "--asr", "understood"), {}),
        (("--voice", "simulated:10"), {}),
        (
            ("--voice", "text,telephone", "--asr", "deepgram/nova-3"),
            {("recognition", "deepgram/nova-3"): 1},
        ),
        (
            ("--voice", "telephone", "--asr", "openai/whisper-1"),
            {("recognition", "openai/whisper-1"): 100},
        ),
        (
            ("--voice", "telephone", "--speaker", "deepgram/thalia-en?model=aura-2"),
            {("synthesis", "deepgram/aura-2"): 10},
        ),
    ],
)
def test_stated_speech_is_priced_only_where_a_provider_speaks_or_hears(
    run_json: RunJson,
    folder: Path,
    options: tuple[str, ...],
    speech: dict[tuple[str, str], float],
) -> None:
    (folder / "prices.toml").write_text(SPEECH_PRICES)
    (folder / "averages.toml").write_text(SPOKEN)
    agent = ("--agent", "compatible/any?base_url=http://127.0.0.1:9/v1", "--limit", 1)
    plan = ("run", "courier", *agent, "--prices", "prices.toml", *options)

    found = run_json(*plan, "--dry-run", "--averages", "averages.toml", **NO_KEYS)["estimate"]

    lines = {(each["purpose"], each["model"]): each["cost"] for each in found["lines"]}
    agents = lines.pop(("agent", "compatible/any"))
    assert lines == pytest.approx(speech)
    assert found["cost"] == pytest.approx(agents + sum(speech.values()))
    assert found["cost_is_whole"]


def test_models_of_layers_are_those_of_the_plan(run_json: RunJson, folder: Path) -> None:
    (folder / "averages.toml").write_text(
        '[purposes."user context"]\ncalls = 1\n[purposes."clarification judge"]\ncalls = 1\n'
    )
    layers = ("--exposure", "0,2,2+openai/gpt-4.1", "--clarify", "none,openai/gpt-4.1-mini")
    agent = ("--agent", "compatible/any?base_url=http://127.0.0.1:9/v1", "--limit", 1)
    plan = ("run", "courier", *agent, *layers, "--dry-run", "--averages", "averages.toml")

    found = run_json(*plan, **NO_KEYS)["estimate"]

    assert {(each["purpose"], each["model"]): each["conversations"] for each in found["lines"]} == {
        ("agent", "compatible/any"): 6,
        ("user context", "compatible/any"): 2,
        ("user context", "openai/gpt-4.1"): 2,
        ("clarification judge", "openai/gpt-4.1-mini"): 3,
    }
