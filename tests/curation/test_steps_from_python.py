"""A web-API dataset is made from Python alone: no command, no output, no exit."""

import inspect
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dragoman.core.errors import StoreError, UsageError
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.probing.api_client import CallOptions
from dragoman.curation.api_datasets.query_briefs import BriefPlan
from dragoman.curation.api_datasets.split import SplitPlan
from dragoman.curation.datasets import count_documents, find_secrets, read_card, read_status
from dragoman.curation.llm_clients import ModelOptions
from dragoman.curation.progress import Advance, StepStopped
from dragoman.curation.steps import (
    AnswerOptions,
    CheckOptions,
    CollectOptions,
    GenerateOptions,
    RateOptions,
    run_answer,
    run_check,
    run_collect,
    run_filter,
    run_generate,
    run_monitor,
    run_rate,
    run_split,
    run_verify,
)
from dragoman.ext import curation
from dragoman.formats.api_dataset_steps import run_export, run_plan
from dragoman.testing.fake_curation_llm import FakeCurationLlm
from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer, write_documents
from dragoman.testing.server import ModelServer

DOCS = Path(__file__).parents[2] / "docs"
LIBRARY = DOCS / "examples" / "library.yaml"
PORTUGAL = CollectOptions(SourceFacts("", country="Portugal"))
HALF = SplitPlan(share=0.5)
FENCED = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A dataset with the documents of a town's library."""
    run_collect(tmp_path / "mine", [LIBRARY], PORTUGAL)
    return tmp_path / "mine"


def test_templates_make_a_dataset_and_nothing_is_printed(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sum(each.kept for each in run_generate(mine).counts) == 6
    assert run_answer(mine).failed == 0
    assert run_check(mine).step == "check"
    split = run_split(mine, HALF)
    done = run_export(mine, "suite", tmp_path / "suite")

    assert [each.kept for each in split.counts] == [6]
    assert {path.name for path in done.files} >= {"tasks.jsonl", "documents.jsonl"}
    assert sum(read_card(mine).tasks.values()) == 6
    assert count_documents(mine).operations == 4
    assert {each.step for each in read_status(mine).counts} >= {"collect", "generate", "split"}
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_services_are_called_and_what_does_not_answer_is_dropped(tmp_path: Path) -> None:
    terms = CallOptions(allow_local=True, pause=0)
    with SimulatedApiServer(ApiFaultPlan((ApiFault("br-ddd", "not_found_html"),))) as server:
        write_documents(tmp_path / "apis", server.origin)
        found = run_collect(tmp_path / "mine", [tmp_path / "apis" / "br.yaml"])
        verified = run_verify(tmp_path / "mine", 1, terms)
        watched = run_monitor(tmp_path / "mine", terms)
    left = run_filter(tmp_path / "mine")

    assert found.found == 1
    assert [each.reason for each in verified.not_kept] == ["status 404"]
    kept = [sum(each.kept for each in step.counts) for step in (verified, watched, left)]
    assert kept == [3, 3, 3]
    assert left.rounds_aside == ()


@pytest.mark.slow
def test_models_write_rate_answer_and_check_and_what_they_consumed_is_told(mine: Path) -> None:
    with ModelServer(FakeCurationLlm()) as server:
        one, other = (f"compatible/{name}?base_url={server.url}&seed=off" for name in "ab")
        both, terms = f"{one},{other}", ModelOptions(retry_for=5)
        briefs = BriefPlan({"single": 2, "repeated": 0, "parallel": 0, "nested": 0})
        written = run_generate(mine, GenerateOptions(one, 1, briefs, terms))
        rated = run_rate(mine, RateOptions(both, terms=terms))
        answered = run_answer(mine, AnswerOptions(both, terms=terms))
        checked = run_check(mine, CheckOptions(one, terms))

    for step in (written, rated, answered, checked):
        (used, *_) = step.usage[step.step]
        assert used.usage.calls
        assert used.cost is None
    assert len(rated.usage["rate"]) == 2


def test_progress_is_told_while_a_step_goes_on(mine: Path) -> None:
    reported: list[tuple[str, int | None, int]] = []

    @contextmanager
    def progress(title: str, total: int | None) -> Iterator[Advance]:
        counts: list[int] = []
        yield counts.append
        reported.append((title, total, sum(counts)))

    run_collect(mine, [LIBRARY], PORTUGAL, progress=progress)
    run_generate(mine, progress=progress)
    run_generate(mine, progress=progress)

    assert reported == [
        ("reading library.yaml", None, 1),
        ("generate", 6, 6),
        ("generate", 6, 0),
    ]


def test_a_step_that_a_person_stops_goes_on_with_the_next_call(mine: Path) -> None:
    @contextmanager
    def stopping(title: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG001 - as told
        def stop(count: int) -> None:
            raise KeyboardInterrupt(count)

        yield stop

    with pytest.raises(StepStopped):
        run_generate(mine, progress=stopping)
    done = run_generate(mine)
    assert sum(each.kept for each in done.counts) == 6


def test_a_mistake_is_an_error_of_ours(mine: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        run_generate(mine, GenerateOptions(count=0))
    with pytest.raises(StoreError, match="no dataset"):
        run_generate(tmp_path / "other")
    with pytest.raises(UsageError, match="no such file"):
        find_secrets(mine, [tmp_path / "sheets"])
    with pytest.raises(UsageError, match="choose suite"):
        run_export(mine, "csv", tmp_path / "out")


def test_nothing_is_checked_or_written_where_a_credential_stands(
    mine: Path, tmp_path: Path
) -> None:
    run_generate(mine)
    run_answer(mine)
    (tmp_path / "sheet.csv").write_text("id,query\n1,sk-proj-T3BlbkFJ0123456789abcdefABCDEF\n")

    checked = run_check(mine, CheckOptions(also=(tmp_path / "sheet.csv",)))

    assert [each.where for each in checked.secrets] == [str(tmp_path / "sheet.csv")]
    assert checked.counts == ()
    assert read_status(mine, "check").counts == ()


def test_a_plan_is_done_step_by_step_and_told_in_lines(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'dataset = "{tmp_path / "mine"}"\n[[collect]]\nsources = ["{LIBRARY}"]\ncountry = "Portugal"\n'
        "[generate]\n[answer]\n[check]\n[split]\nshare = 0.5\n"
        f'[[export]]\nto = "rows"\nout = "{tmp_path / "rows"}"\n'
    )
    lines: list[str] = []

    done = run_plan(plan, on_line=lines.append)

    assert done.is_done
    assert [each.step for each in done.steps] == ["collect", "generate", "answer", "check", "split"]
    assert done.exports == (tmp_path / "rows",)
    assert lines[1] == "generate: kept 6"
    assert lines[-1] == f"export: {tmp_path / 'rows'}"
    assert run_plan(plan).status == done.status


def test_the_page_prints_what_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    section = (DOCS / "how_to" / "curate.md").read_text("utf-8").partition("## From Python\n")[2]
    program, printed, progress = FENCED.findall(section.partition("\n## ")[0])
    shutil.copy(LIBRARY, tmp_path)
    monkeypatch.chdir(tmp_path)

    exec(compile(program, "curate.md", "exec"), {})  # noqa: S102 - the page's own
    assert capsys.readouterr().out == printed
    names: dict[str, Any] = {}
    exec(compile(progress, "curate.md", "exec"), names)  # noqa: S102 - the page's own
    run_generate(
        tmp_path / "queries", GenerateOptions(plan=BriefPlan(seed=1)), progress=names["progress"]
    )
    assert "generate begins:" in capsys.readouterr().out


def test_the_page_names_the_public_functions_and_no_other() -> None:
    section = (DOCS / "how_to" / "curate.md").read_text("utf-8").partition("## From Python\n")[2]
    table = section.partition("| on | functions |")[2].partition("\n\n")[0]
    functions = {name for name in curation.__all__ if inspect.isfunction(getattr(curation, name))}

    assert set(re.findall(r"`(\w+)`", table)) == functions
