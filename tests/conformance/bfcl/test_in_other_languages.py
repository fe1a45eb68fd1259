"""Gold in another language passes exactly the tasks that it passes in English.

Texts are translated for show: each is put in marks, so that no two become one and nothing is as it
was. Possible answers stay as upstream has them.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.benchmarks.bfcl.categories import BFCL_DATA, load_downloaded_suite
from dragoman.benchmarks.bfcl.entry_files import OMISSION
from dragoman.benchmarks.bfcl.single_turn_entries import Entry
from dragoman.benchmarks.bfcl.single_turn_suite import SingleTurnSuite
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.curation.translation.manifest import MadeBy, write_translations
from dragoman.curation.translation.question_files import questions_of
from dragoman.runs.language_check import LanguageCheck, check_languages
from dragoman.runs.suite_check import check_suite

MADE = MadeBy("for show", "Thai", "2026-01-01T00:00:00+00:00", "1")

WHERE = {"listed": 114, "question": 1966, "functions": 33, "nowhere": 112}
WHERE_IN_LIVE = {"listed": 613, "question": 1064, "functions": 177, "nowhere": 207}


@pytest.fixture(scope="module")
def cache(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    local = data_folder / "bfcl"
    if not local.is_dir():
        pytest.skip(f"{local} is absent: nothing to translate")
    folder = tmp_path_factory.mktemp("cache")
    data = folder / "dragoman" / "data"
    BFCL_DATA.pull(data, from_dir=local, url=None, progress=lambda *_: None)
    return folder


def marked(suite: str, cache: Path, out: Path) -> int:
    """Write a suite with every text in marks; return how many values its functions list."""
    domain = questions_of(suite, cache / "dragoman" / "data")
    texts = {
        artifact: {each.address: f"«{each.source}»" for each in artifact.segments}
        for artifact in domain.artifacts
    }
    made = {artifact.name: MADE for artifact in domain.artifacts}
    write_translations(out / domain.domain / "th", texts, made)
    return sum(
        listed(json.loads(line))
        for name, content in domain.english.files.items()
        if not name.startswith("possible_answer/")
        for line in content.split(b"\n")
        if line
    )


def listed(value: object) -> int:
    """Count values with letters in lists of texts; `AA` and `Aa` cannot be told apart."""
    if isinstance(value, list):
        return sum(map(listed, value))
    if not isinstance(value, dict):
        return 0
    values = value.get("enum", []) if str(value.get("type")) in {"string", "array"} else []
    own = (
        [each for each in values if re.search("[A-Za-z]", str(each))] if "AA" not in values else []
    )
    return len(own) + sum(map(listed, value.values()))


def checked(suite: str, scenario: str, out: Path) -> LanguageCheck:
    config = RunConfig(suite, ("gold",), languages=("th",), scenarios=(scenario,), assets=str(out))
    (found,) = asyncio.run(check_languages(build_setup(config)))
    return found


def unpassable(suite: str) -> set[str]:
    found = asyncio.run(check_suite(build_setup(RunConfig(suite, ("gold", "silent")))))
    return {each.task for each in found.unpassable}


@pytest.mark.parametrize(("group", "counts"), [("non_live", WHERE), ("live", WHERE_IN_LIVE)])
def test_where_the_texts_stand_that_calls_must_have(
    cache: Path, group: str, counts: dict[str, int]
) -> None:
    suite = load_downloaded_suite(group, cache / "dragoman" / "data")
    assert isinstance(suite, SingleTurnSuite)
    found = Counter(where for entry in suite.entries for where in places_of_texts(entry))
    assert found == counts


def places_of_texts(entry: Entry) -> Iterator[str]:
    """Yield for each text argument that must be given where one of its texts stands."""
    said = " ".join(message.content for message in entry.messages).casefold()
    reported = json.dumps(
        [each.parameters for each in entry.documents], ensure_ascii=False
    ).casefold()
    listed = {
        (each.name, name): schema.get("enum", [])
        for each in entry.documents
        for name, schema in each.properties.items()
    }
    for call in entry.question.expected:
        for name, values in call.arguments.items():
            texts = [
                each for each in values if isinstance(each, str) and re.search("[^\\W\\d]", each)
            ]
            choices = listed.get((call.name, name), [])
            if not texts or OMISSION in values:
                continue
            if any(isinstance(choices, list) and text in choices for text in texts):
                yield "listed"
            elif any(text.casefold() in said for text in texts):
                yield "question"
            else:
                yield "functions" if any(t.casefold() in reported for t in texts) else "nowhere"


@pytest.mark.parametrize(
    ("suite", "tasks"),
    [
        pytest.param("bfcl:non_live", 1390, marks=pytest.mark.nightly),
        ("bfcl:live_simple", 258),
        ("bfcl:live_parallel_multiple", 24),
        ("bfcl:multi_turn_base", 200),
        pytest.param("bfcl:multi_turn_miss_func", 200, marks=pytest.mark.nightly),
        pytest.param("bfcl:live", 2251, marks=pytest.mark.nightly),
        pytest.param("bfcl:multi_turn", 800, marks=pytest.mark.nightly),
    ],
)
def test_gold_passes_what_it_passes_in_english_and_every_label_is_taken(
    monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path, suite: str, tasks: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    labels = marked(suite, cache, tmp_path)
    found = checked(suite, "tasks+tools", tmp_path)
    assert found.tasks == tasks
    assert {each.task for each in found.failing} == unpassable(suite)
    assert (found.other_states, found.refused, found.undecided) == ((), (), ())
    assert found.labels == labels
    assert (labels > 0) == ("multi_turn" not in suite)
