"""Translations and audio sets are made, reviewed and read from Python as the commands do it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.curation.audio_sets.build import AudioSetRequest, run_speak
from dragoman.curation.audio_sets.verify import verify_set
from dragoman.curation.progress import show_nothing
from dragoman.curation.review.session import ReviewRequest
from dragoman.curation.review.steps import (
    ReviewExport,
    export_review,
    import_review,
    read_reviews,
)
from dragoman.curation.translation.memory_io import (
    compare_memories,
    export_translations,
    import_translations,
    read_memory,
)
from dragoman.curation.translation.run import TranslationRequest, plan_translation, run_translation
from dragoman.curation.translation.statistics import count_texts
from dragoman.testing.fake_translation_llm import FakeTranslationLlm
from dragoman.testing.server import ModelServer

pytestmark = pytest.mark.slow

RunJson = Callable[..., Any]


@pytest.fixture
def model() -> Iterator[str]:
    with ModelServer(FakeTranslationLlm()) as server:
        yield f"compatible/any?base_url={server.url}"


def printed(value: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    return json.loads(msgspec.json.encode(value))


def test_a_suite_is_translated_and_reviewed_as_by_commands(
    run_json: RunJson, folder: Path, tmp_path: Path, model: str, texts: int
) -> None:
    request = TranslationRequest("sample:shop", ("th",), model, tmp_path / "out")
    (planned,) = plan_translation(request).languages
    (done,) = run_translation(request).languages
    said = run_json("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out")

    assert (planned.plan.texts, len(done.settled), done.is_done) == (texts, texts, True)
    assert [each["written"] for each in said["languages"]] == [list(done.written)]
    for name in done.written:
        by_command = folder / "out" / "sample" / "th" / name
        if name != "manifest.json":
            assert (done.folder / name).read_bytes() == by_command.read_bytes()

    memory = request.memory_path
    held = read_memory(memory)
    assert run_json("memory", "show", memory)["translations"] == printed(held.counts)
    assert held.costs == (None,)
    assert export_translations(memory, tmp_path / "th.tmx") == texts
    (taken,) = import_translations(str(tmp_path / "th.tmx"), tmp_path / "other.sqlite")
    assert taken.taken == texts
    agreed = compare_memories(memory, tmp_path / "other.sqlite", ["sample:shop"], ["th"])
    assert {each.similarity for each in agreed} == {1}
    assert count_texts("sample:shop").domain.texts == texts

    asked = ReviewRequest(("sample:shop",), "th", memory)
    sheets = export_review(asked, ReviewExport(tmp_path / "sheets"))
    export = ("review", "export", "sample:shop", "--to", "th", "--memory", memory)
    counts = run_json(*export, "--out", "sheets")["sheets"]
    assert counts == {name: len(rows) for name, rows in sheets.rows.items()}
    for path in (tmp_path / "sheets").iterdir():
        assert path.read_bytes() == (folder / "sheets" / path.name).read_bytes()
    assert import_review(asked, [tmp_path / "sheets"], "Somchai").record is None
    assert read_reviews(memory).reviews == ()


def test_an_audio_set_of_texts_is_that_of_the_command(
    run_json: RunJson, folder: Path, tmp_path: Path
) -> None:
    stages: list[tuple[str, int | None]] = []

    def progress(title: str, total: int | None) -> Any:  # noqa: ANN401 - a context manager
        stages.append((title, total))
        return show_nothing(title, total)

    card = run_speak(AudioSetRequest(("courier",), "rules", tmp_path / "set"), progress=progress)

    assert run_json("speak", "courier", "--texts-only", "--out", "set") == printed(card)
    assert [title for title, _ in stages] == ["texts"]
    assert verify_set(tmp_path / "set").problems == ()
    for path in (folder / "set").iterdir():
        assert path.read_bytes() == (tmp_path / "set" / path.name).read_bytes()


def test_a_number_that_makes_no_sense_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--batch-size 0: at least 1"):
        TranslationRequest("sample:shop", ("th",), "glossary", tmp_path, texts_at_once=0)
    with pytest.raises(UsageError, match="no suite"):
        AudioSetRequest((), "rules", tmp_path)
