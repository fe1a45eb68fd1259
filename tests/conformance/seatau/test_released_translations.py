"""The released artifacts as translations of tau2-bench's texts, in all five languages."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.curation.translation.artifact_files import decode_json
from dragoman.curation.translation.discovery import (
    NO_FILE,
    OTHER_SOURCE,
    UNCHANGED,
    ReleasedTranslations,
    released_translations,
    renderings,
)
from dragoman.curation.translation.manifest import stale_files
from dragoman.curation.translation.segments import TranslatableDomain

Of = Callable[[str], TranslatableDomain]
DOMAINS = ("airline", "retail", "telecom")
LANGUAGES = ("vi", "th", "id", "tl", "zh")

# Texts that have a translation, by language.
ALIGNED = {
    "airline": (519, 519, 519, 519, 519),
    "retail": (3_693, 3_693, 3_469, 864, 3_693),
    "telecom": (304, 303, 302, 298, 303),
}
# Why the others have none, by language.
WHY: Mapping[tuple[str, str, str], tuple[int, int, int, int, int]] = {
    ("airline", "db.json", NO_FILE): (1_500, 1_500, 0, 0, 1_500),
    ("airline", "db.json", UNCHANGED): (0, 0, 1_500, 1_500, 0),
    ("retail", "db.json", UNCHANGED): (0, 0, 224, 2_829, 0),
    ("telecom", "db.toml", UNCHANGED): (1, 0, 1, 5, 0),
    ("telecom", "tasks.json", NO_FILE): (12_941,) * 5,
    ("telecom", "main_policy.md", OTHER_SOURCE): (0, 1, 1, 1, 1),
    ("telecom", "tech_support_manual.md", OTHER_SOURCE): (0, 1, 1, 1, 1),
}
# Of the 50 names of retail's products, those with more than one rendering; English is one, too.
SEVERAL_NAMES = (28, 26, 24, 16, 26)


@pytest.fixture(scope="module")
def folder_of(data_folder: Path) -> Callable[[str, str], AssetFolder]:
    """The folder of a domain in a language."""
    return lambda domain, code: AssetFolder(data_folder / "seataubench" / domain / code)


@pytest.fixture(scope="module")
def released_in(
    translatable_of: Of, folder_of: Callable[[str, str], AssetFolder]
) -> Callable[[str, str], ReleasedTranslations]:
    """Return a function that reads the release of a domain in a language, once."""
    found: dict[tuple[str, str], ReleasedTranslations] = {}

    def of(domain: str, code: str) -> ReleasedTranslations:
        key = (domain, code)
        if key not in found:
            found[key] = released_translations(translatable_of(domain), folder_of(domain, code))
        return found[key]

    return of


Released = Callable[[str, str], ReleasedTranslations]


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_text_is_aligned_or_it_is_said_why_not(
    released_in: Released, translatable_of: Of, domain: str
) -> None:
    for code, expected in zip(LANGUAGES, ALIGNED[domain], strict=True):
        found = released_in(domain, code)
        assert len(found.pairs) == expected
        column = LANGUAGES.index(code)
        assert {(domain, each.file, each.why): len(each.addresses) for each in found.unaligned} == {
            key: counts[column]
            for key, counts in WHY.items()
            if key[0] == domain and counts[column]
        }
        unaligned = sum(len(each.addresses) for each in found.unaligned)
        assert len(found.pairs) + unaligned == len(translatable_of(domain).segments)


def test_texts_wholly_in_other_letters_are_aligned_too(released_in: Released) -> None:
    """The source's workbooks have 4,355 blank rows in Thai and 8,262 in Chinese for this reason."""
    for code in ("th", "zh"):
        without_latin = Counter(
            pair.segment.component
            for pair in released_in("retail", code).pairs
            if not any(letter.isascii() and letter.isalpha() for letter in pair.target)
        )
        assert without_latin["database"] > 2_900
        assert without_latin["tasks"] > 0


def test_names_with_several_renderings_are_as_many_as_were_counted(
    released_in: Released, translatable_of: Of
) -> None:
    sources = {each.address: each.source for each in translatable_of("retail").segments}
    for code, expected in zip(LANGUAGES, SEVERAL_NAMES, strict=True):
        found = released_in("retail", code)
        in_english = {
            sources[address]
            for each in found.unaligned
            if each.why == UNCHANGED
            for address in each.addresses
        }
        names = [each for each in renderings(found.pairs) if each.segment.context == "retail/name"]
        several = [len(each.times) + (each.segment.source in in_english) > 1 for each in names]
        assert sum(several) == expected
        assert all(each.times[each.target] == max(each.times.values()) for each in names)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("code", LANGUAGES)
def test_the_release_is_written_again_from_its_own_translations(
    released_in: Released,
    translatable_of: Of,
    folder_of: Callable[[str, str], AssetFolder],
    domain: str,
    code: str,
) -> None:
    folder = folder_of(domain, code)
    texts = {pair.segment.address: pair.target for pair in released_in(domain, code).pairs}
    compared = 0
    for artifact in translatable_of(domain).artifacts:
        if artifact.name in folder and any(each.address in texts for each in artifact.segments):
            written, release = artifact.written(texts), folder.read(artifact.name)
            if artifact.component == "tools":
                assert without_space(written) == without_space(release)
            elif artifact.name.endswith(".toml"):
                assert tomllib.loads(written.decode()) == tomllib.loads(release.decode())
            else:
                assert written == release
            compared += 1
    # All that were translated but policies of an older source: in telecom two, and the tasks.
    wanted = {"airline": 4, "retail": 5, "telecom": 9 if code == "vi" else 7}[domain]
    assert compared >= wanted


def without_space(docstrings: bytes) -> dict[str, str]:
    """Return docstrings without white space: the release has blank lines inside of sentences."""
    decoded = decode_json(docstrings, "docstrings")
    assert isinstance(decoded, dict)
    return {tool: "".join(str(text).split()) for tool, text in decoded.items()}


def test_the_release_is_stale_where_its_sources_changed_and_where_it_says_that_it_was_patched(
    translatable_of: Of, folder_of: Callable[[str, str], AssetFolder]
) -> None:
    found = Counter(
        (domain, each.file, each.why)
        for domain in DOMAINS
        for code in LANGUAGES
        for each in stale_files(translatable_of(domain), folder_of(domain, code))
    )
    changed = {key: count for key, count in found.items() if key[2] == "source changed"}
    assert changed == {
        ("telecom", "main_policy.md", "source changed"): 4,
        ("telecom", "tech_support_manual.md", "source changed"): 4,
    }
    missing = {key: count for key, count in found.items() if key[2] == "missing"}
    assert missing == {
        ("airline", "db.json", "missing"): 3,
        ("telecom", "tasks.json", "missing"): 5,
    }
    patched = sum(count for key, count in found.items() if key[2] == "edited by hand")
    recorded = [
        entry
        for domain in DOMAINS
        for code in LANGUAGES
        for entry in json.loads(folder_of(domain, code).read("translation_manifest.json"))[
            "assets"
        ].values()
    ]
    assert patched == sum("manual_patch_at" in entry for entry in recorded) > 0
