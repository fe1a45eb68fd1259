"""Three real reports of link checks, as rounds: who was down, and that the monitor's line was not."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.errors import DataError
from dragoman.curation.api_datasets.pipeline import run_step
from dragoman.curation.api_datasets.probing.api_keys import host_of
from dragoman.curation.api_datasets.probing.filter import (
    FilterRules,
    apply_rules,
    filter_plan,
    filter_steps,
)
from dragoman.curation.api_datasets.probing.monitor import (
    HealthReport,
    ImportedRounds,
    LinkCheck,
    add_check,
    excluded_rounds,
    import_rounds,
    read_health_report,
    report_checks,
)
from dragoman.curation.api_datasets.probing.responses import CheckHistory
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

pytestmark = pytest.mark.conformance

NOVEMBER = "2025-11-09T17:51:55Z"


@pytest.fixture(scope="module")
def reports(data_folder: Path) -> list[HealthReport]:
    files = sorted((data_folder / "itc" / "catalogues" / "health").glob("*.json"))
    return [read_health_report(path) for path in files]


def histories(reports: list[HealthReport]) -> dict[str, CheckHistory]:
    found: dict[str, CheckHistory] = {}
    for report in reports:
        for url, check in report_checks(report):
            found[url] = add_check(found.get(url), check, url, url)
    return found


def test_each_report_is_a_round(reports: list[HealthReport]) -> None:
    found = histories(reports)
    assert [len(report.results) for report in reports] == [211, 248, 246]
    assert {check.round for each in found.values() for check in each.checks} == {
        "2025-08-29T17:14:36Z", NOVEMBER, "2026-01-01T20:12:39Z",
    }  # fmt: skip
    assert (len(found), len({each.host for each in found.values()})) == (248, 154)


def test_fourteen_lost_connections_of_one_day_are_three_hosts(
    reports: list[HealthReport],
) -> None:
    """137 of 142 hosts answered the same minutes: a server was down, the monitor's line was not."""
    lost = [url for url, check in report_checks(reports[1]) if check.kind == "connect"]
    assert len(lost) == 14
    assert {host_of(url) for url in lost} == {
        "www.eiass.go.kr", "data.kric.go.kr", "developer.login.wonders.work",
    }  # fmt: skip
    assert excluded_rounds(histories(reports).values(), FilterRules().offline_share) == {}


def test_what_came_back_is_kept_and_what_did_not_is_dropped(reports: list[HealthReport]) -> None:
    found = histories(reports)
    dropped = {
        host_of(url): decided.reason
        for url, history in found.items()
        if (decided := apply_rules(history, FilterRules(), ())).verdict == "dropped"
    }
    assert dropped == {
        "data.kric.go.kr": "good in 0 of 3 rounds (connect 3)",
        "data.mfds.go.kr": "good in 0 of 3 rounds (broken 3)",
        "developers.coupangcorp.com": "good in 0 of 3 rounds (4xx 3)",
        "developer.login.wonders.work": "good in 1 of 3 rounds (connect 2)",
        "developers.nonghyup.com": "bad at the last: 15초 시간 초과",
    }


def test_with_the_line_really_down_that_day_nothing_is_dropped_for_it(
    reports: list[HealthReport],
) -> None:
    def without_a_line(link: LinkCheck) -> LinkCheck:
        return replace(link, is_working=False, status_code=0, error_type="CONNECTION_ERROR")

    night = replace(reports[1], results=[without_a_line(each) for each in reports[1].results])
    found = histories([reports[0], night, reports[2]])
    aside = excluded_rounds(found.values(), FilterRules().offline_share)
    assert list(aside) == [NOVEMBER]
    kept = {
        url
        for url, each in found.items()
        if apply_rules(each, FilterRules(), aside).verdict == "kept"
    }
    whole = histories([reports[0], reports[2]])
    assert kept == {
        url for url, each in whole.items() if apply_rules(each, FilterRules(), ()).verdict == "kept"
    }


def test_rounds_are_put_beside_the_documents_of_a_dataset(
    reports: list[HealthReport], tmp_path: Path
) -> None:
    links = {each.url: each for report in reports for each in report.results}
    some = sorted(url for url in links if host_of(url) in {"www.eiass.go.kr", "data.kric.go.kr"})
    documents = [ApiDocument(f"api-{at}", "x", home_url=url) for at, url in enumerate(some)]
    with Dataset(tmp_path) as dataset:
        line = StepLine("collect", "file", "list.md", "kept", source="korea")
        made = tuple(NewItem("document", each.id, each) for each in documents)
        dataset.put([StepOutcome(line, made)])
        assert import_rounds(dataset, reports) == ImportedRounds(3, 248, len(some))
        assert import_rounds(dataset, reports[:1]).known == 1
        for step in filter_steps(filter_plan(dataset, FilterRules())):
            asyncio.run(run_step(dataset, step))
        (count,) = [each for each in dataset.funnel() if each.step == "filter"]
        assert (count.kind, count.source, count.kept, count.dropped) == ("document", "korea", 12, 1)


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_bytes(msgspec.json.encode({"generated_at": "yesterday", "results": []}))
    with pytest.raises(DataError, match="no report of link checks"):
        read_health_report(path)
