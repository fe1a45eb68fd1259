"""The bundled world is verified, monitored and filtered over real HTTP, with its faults and its clock."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dragoman.benchmarks.itc.world.api_data import countries
from dragoman.benchmarks.itc.world.api_documents import documents_of
from dragoman.curation.api_datasets.operations import active_documents, observed_schemas
from dragoman.curation.api_datasets.pipeline import CurationStep, run_step
from dragoman.curation.api_datasets.probing.filter import FilterRules, filter_plan, filter_steps
from dragoman.curation.api_datasets.probing.monitor import (
    HealthReport,
    LinkCheck,
    check_histories,
    import_rounds,
    monitor_step,
    open_round,
)
from dragoman.curation.api_datasets.probing.responses import Observation
from dragoman.curation.api_datasets.probing.verify import VerifySettings, verify_step
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome
from dragoman.testing.itc_server import ApiFault, ApiFaultKind, ApiFaultPlan, SimulatedApiServer
from dragoman.web.address_guard import why_blocked_locally
from dragoman.web.crawl_policy import CrawlPolicy, PoliteFetcher
from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import Fetcher, FetchLimits

START = datetime(2026, 3, 16, 10, tzinfo=UTC)
MANY = CrawlPolicy(pause=0, at_once=16)


class Watched:
    """The world's Brazilian APIs in a dataset, called while time passes as a test says."""

    def __init__(self, server: SimulatedApiServer, dataset: Dataset) -> None:
        self.server = server
        self.dataset = dataset

    def verify(self, calls: int = 2) -> None:
        self._walk(lambda fetcher: verify_step(fetcher.fetch, self._clock, VerifySettings(calls)))

    def monitor(self, day: int) -> None:
        self.server.now = START + timedelta(days=day)
        this = open_round(self.dataset, self._clock())
        self._walk(lambda fetcher: monitor_step(fetcher.fetch, self._clock, this))

    def filter(self, rules: FilterRules | None = None) -> None:
        plan = filter_plan(self.dataset, rules or FilterRules())
        for step in filter_steps(plan):
            asyncio.run(run_step(self.dataset, step))

    def lines(self, step: str) -> dict[str, tuple[str, str]]:
        return {
            each.name.partition("/")[2]: (each.verdict, each.reason)
            for each in self.dataset.ledger(step)
        }

    def _clock(self) -> datetime:
        return self.server.now

    def _walk(self, step: Callable[[PoliteFetcher], CurationStep]) -> None:
        async def walking() -> None:
            limits = FetchLimits(seconds=0.5, most_bytes=100_000)
            async with Fetcher(limits, why_blocked_locally) as fetcher:
                await run_step(self.dataset, step(PoliteFetcher(fetcher, MANY)))

        asyncio.run(walking())


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Return a function that starts the world with faults."""
    opened: list[tuple[SimulatedApiServer, Dataset]] = []

    def watch(*faults: ApiFault) -> Watched:
        server = SimulatedApiServer(ApiFaultPlan(faults), now=START)
        server.__enter__()
        dataset = Dataset(tmp_path)
        opened.append((server, dataset))
        (brazil,) = [
            each for each in documents_of(countries(), server.origin) if each.country == "Brazil"
        ]
        dataset.put(
            [
                StepOutcome(
                    StepLine("collect", "file", "br", "kept", source="world"),
                    (NewItem("document", brazil.id, brazil),),
                )
            ]
        )
        return Watched(server, dataset)

    yield watch
    for server, dataset in opened:
        dataset.close()
        server.__exit__(None, None, None)


Watch = Callable[..., Watched]
CEP, DDD, PTAX, TEMPO = "Consulta CEP", "Consulta DDD", "Câmbio PTAX", "Previsão do Tempo"


def test_what_answers_is_kept_and_what_it_answered_is_observed(watched: Watch) -> None:
    apis = watched()
    apis.verify()
    assert {verdict for verdict, _ in apis.lines("verify").values()} == {"kept"}
    seen = apis.dataset.find("observation", f"br/{DDD}")
    assert seen is not None
    assert seen.record(Observation) == Observation(
        "2026-03-16T10:00:00Z",
        "200",
        {
            "type": "object",
            "properties": {
                "cities": {"type": "array", "items": {"type": "string"}},
                "state": {"type": "string"},
            },
            "required": ["cities", "state"],
        },
        "application/json",
        ("statuscode", "schema", "content_type"),
    )
    assert f"br/{DDD}" in observed_schemas(apis.dataset)
    (document,) = active_documents(apis.dataset, "generate")
    completed = {each.name: each for each in document.api_list}[DDD]
    assert completed.statuscode == "200"
    assert completed.schema["x-observed"] == "2026-03-16T10:00:00Z"
    recorded = apis.dataset.find("exchange", f"br/{DDD}#1")
    assert recorded is not None
    assert recorded.record(HttpExchange).status == 200


@pytest.mark.parametrize(
    ("kind", "verdict", "reason"),
    [
        ("not_found_json", "dropped", "status 404"),
        ("not_found_html", "dropped", "status 404"),
        ("server_error", "failed", "status 500"),
        ("bad_gateway_html", "failed", "status 502"),
        ("limited", "failed", "status 429"),
        ("error_in_body", "dropped", "the answer says code 404"),
        ("empty", "dropped", "the answer is empty"),
        ("empty_list", "dropped", "nothing is in the answer"),
        ("half", "failed", "cut: the connection was cut"),
        ("endless", "dropped", "too large: more than 100,000 bytes"),
        ("csv_as_json", "dropped", "the JSON is malformed"),
        ("unreachable", "failed", "cut: the connection broke (Connection reset by peer)"),
        ("json_as_text", "kept", ""),
        ("bom", "kept", ""),
        ("windows_1251", "kept", ""),
    ],
)
def test_each_fault_of_the_world_has_its_verdict(
    watched: Watch, kind: ApiFaultKind, verdict: str, reason: str
) -> None:
    apis = watched(ApiFault("br-ddd", kind))
    apis.verify(calls=1)
    assert apis.lines("verify")[DDD] == (verdict, reason)


def test_a_redirect_inside_is_refused_with_its_reason(watched: Watch) -> None:
    there = "http://169.254.169.254/latest/meta-data"
    apis = watched(ApiFault("br-ddd", "redirect", to=there))
    apis.verify()
    assert apis.lines("verify")[DDD] == ("dropped", "refused: metadata address")


def test_what_failed_is_called_again_and_the_rest_is_not(watched: Watch) -> None:
    apis = watched(ApiFault("br-ddd", "server_error", until=START + timedelta(hours=1)))
    apis.verify()
    asked = apis.server.log.started
    apis.server.now += timedelta(hours=2)
    apis.verify()
    assert apis.lines("verify")[DDD] == ("kept", "")
    assert apis.server.log.started - asked <= 3


def test_rounds_are_stored_one_after_the_other(watched: Watch) -> None:
    apis = watched(ApiFault("br-ddd", "server_error", since=START + timedelta(days=1, hours=-1)))
    apis.verify()
    for day in range(3):
        apis.monitor(day)
    checks = check_histories(apis.dataset)[f"br/{DDD}"].checks
    assert [(each.round[:10], each.kind) for each in checks] == [
        ("2026-03-16", "good"),
        ("2026-03-17", "5xx"),
        ("2026-03-18", "5xx"),
    ]


def test_a_round_that_was_interrupted_is_gone_on_with(watched: Watch) -> None:
    apis = watched()
    apis.monitor(0)
    apis.dataset.forget("monitor", [("operation", f"br/{DDD}")])
    apis.monitor(0)
    found = check_histories(apis.dataset)
    assert {check.round for each in found.values() for check in each.checks} == {
        "2026-03-16T10:00:00Z"
    }
    assert f"br/{DDD}" in found


def test_a_round_of_somebody_else_is_not_gone_on_with(watched: Watch) -> None:
    apis = watched()
    (document,) = active_documents(apis.dataset, "monitor")
    links = [LinkCheck(each.url, is_working=True) for each in document.api_list[:2]]
    import_rounds(apis.dataset, [HealthReport(START - timedelta(hours=1), links)])
    apis.monitor(0)
    rounds = {
        name: [check.round[11:13] for check in each.checks]
        for name, each in check_histories(apis.dataset).items()
    }
    assert sorted(rounds.values()) == [["09", "10"], ["09", "10"], ["10"], ["10"]]


def test_what_is_not_good_over_time_is_dropped_with_its_reason(watched: Watch) -> None:
    apis = watched(
        ApiFault("br-ddd", "server_error", since=START + timedelta(days=1), until=START + timedelta(days=3)),
        ApiFault("br-ptax", "empty", since=START + timedelta(days=4)),
        ApiFault("br-tempo", "number_as_text", since=START + timedelta(days=3)),
    )  # fmt: skip
    apis.verify()
    for day in range(5):
        apis.monitor(day)
    apis.filter()
    lines = apis.lines("filter")
    assert lines[CEP] == ("kept", "")
    assert lines[DDD] == ("dropped", "good in 3 of 5 rounds (5xx 2)")
    assert lines[PTAX] == ("dropped", "bad at the last: the answer is empty")
    assert lines[TEMPO][0] == "dropped"
    assert lines[TEMPO][1].startswith("its answers drifted: ")
    (left,) = active_documents(apis.dataset, "generate")
    assert [each.name for each in left.api_list] == [CEP]
    counts = [each for each in apis.dataset.funnel() if each.step == "filter"]
    assert [(each.source, each.seen, each.kept, each.dropped) for each in counts] == [
        ("world", 4, 1, 3)
    ]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"kind": "renamed", "field": "data", "to": "dados"}, "its answers drifted: data is gone"),
        ({"kind": "needs", "field": "chave"}, "bad at the last: status 400"),
        ({"kind": "limited"}, "bad at the last: status 429"),
        ({"kind": "slow"}, "bad at the last: timeout: no whole answer within 0.5 seconds"),
    ],
)
def test_a_change_after_it_was_verified_is_told(
    watched: Watch, fault: dict[str, Any], reason: str
) -> None:
    apis = watched(ApiFault("br-cep", since=START + timedelta(hours=1), **fault))
    apis.verify()
    apis.monitor(1)
    apis.filter()
    assert apis.lines("filter")[CEP] == ("dropped", reason)


def test_a_night_in_which_nothing_answers_drops_nothing(watched: Watch) -> None:
    night = (START + timedelta(hours=12), START + timedelta(hours=36))
    apis = watched(
        ApiFault("*", "unreachable", since=night[0], until=night[1]),
        ApiFault("br-ddd", "server_error", since=night[1]),
    )
    apis.verify()
    for day in range(3):
        apis.monitor(day)
    assert all(each.checks[1].kind == "cut" for each in check_histories(apis.dataset).values())
    apis.filter(FilterRules(good_share=1.0, least_bad=1))
    assert apis.lines("filter") == {
        CEP: ("kept", ""),
        DDD: ("dropped", "good in 1 of 2 rounds (5xx 1)"),
        PTAX: ("kept", ""),
        TEMPO: ("kept", ""),
    }


def test_another_round_makes_the_filter_look_again(watched: Watch) -> None:
    apis = watched(ApiFault("br-ddd", "empty", until=START + timedelta(hours=1)))
    apis.monitor(0)
    apis.filter()
    assert apis.lines("filter")[DDD][0] == "dropped"
    apis.monitor(1)
    apis.filter(FilterRules(good_share=0.5))
    assert apis.lines("filter")[DDD] == ("kept", "")


def test_what_was_never_checked_is_not_decided_on(watched: Watch) -> None:
    apis = watched()
    apis.filter()
    assert set(apis.lines("filter").values()) == {
        ("failed", "it was never checked: `dragoman curate monitor`")
    }
