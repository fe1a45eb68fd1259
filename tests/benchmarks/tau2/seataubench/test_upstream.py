import hashlib

import pytest

from dragoman.benchmarks.tau2.seataubench import adopt_facts, derive_facts, seataubench_source
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import ENGLISH_SCHEMAS, SOURCE_HASHES

LANGUAGES = ("vi", "th", "id", "tl", "zh")
SOURCE = seataubench_source()
DERIVED = {entry.name: entry for entry in SOURCE.derived}


def test_every_pinned_file_has_a_place_of_its_own_upstream_and_here() -> None:
    assert len({file.path for file in SOURCE.files}) == len(SOURCE.files) == 142
    assert {file.name.split("/")[1] for file in SOURCE.files if file.name.count("/") == 2} == {
        *("en", "id", "th", "tl", "vi", "zh")
    }
    assert SOURCE.licence == "MIT"


def test_files_that_could_not_be_had_are_not_pinned() -> None:
    names = {file.name for file in SOURCE.files}
    assert [code for code in LANGUAGES if f"airline/{code}/db.json" not in names] == [
        "vi",
        "th",
        "zh",
    ]
    assert not [code for code in LANGUAGES if f"telecom/{code}/tasks.json" in names]


def test_hashes_of_sources_ship_with_the_package_as_they_are_pinned() -> None:
    hashes = derive_facts(DERIVED[SOURCE_HASHES], {})
    assert hashes is not None
    assert content_key(hashes) == DERIVED[SOURCE_HASHES].content_key
    assert hashes["data/tau2/domains/retail/tasks.json"] == next(
        file.sha256 for file in SOURCE.files if file.name == "retail/en/tasks.json"
    )
    assert {len(bytes.fromhex(digest)) for digest in hashes.values()} == {
        hashlib.sha256().digest_size
    }


def test_english_schemas_are_in_copies_only() -> None:
    assert derive_facts(DERIVED[ENGLISH_SCHEMAS], {}) is None


def test_copies_that_say_more_are_read() -> None:
    hashes = {"commit": "1", "python": {"b.py": "2", "x/mock/a.py": "3"}, "other": {"a.md": "4"}}
    assert adopt_facts(DERIVED[SOURCE_HASHES], hashes) == {"a.md": "4", "b.py": "2"}
    schemas = {"commit": "1", "artifacts": {"retail/data_model.json": {"kind": "schema"}}}
    assert adopt_facts(DERIVED[ENGLISH_SCHEMAS], schemas) == schemas["artifacts"]


def test_a_copy_of_another_layout_is_told() -> None:
    with pytest.raises(DataError, match=r"english_fields\.json: "):
        adopt_facts(DERIVED[ENGLISH_SCHEMAS], [])
