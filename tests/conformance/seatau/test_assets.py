"""The released artifacts in other languages: what is wrong with them, and that maps have a way back.

The expected numbers are those of the specification's sections 1, 8 and 9, by language; where it
and the data differ, a comment says so.
"""

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.minimum import at_least
from tests.toml_writer import encode_toml

from dragoman.benchmarks.downloads.pinned_data import pull
from dragoman.benchmarks.tau2.seataubench import domain_declarations
from dragoman.benchmarks.tau2.upstream_data import derive_schemas, source_folder, tau2_source
from dragoman.composition.conditions.language_artifacts import lint_subjects, surface_of
from dragoman.conditions.language.artifacts import (
    AssetFolder,
    Mix,
    Schema,
    ToolReturns,
    TranslationManifest,
    encode_artifact,
    languages_of,
)
from dragoman.conditions.language.database_names import decode_database
from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.field_trees import EMPTY_TREE, to_canonical, to_labels
from dragoman.conditions.language.lint.assets import Defect
from dragoman.conditions.language.lint.linter import lint
from dragoman.conditions.language.tool_docstrings import discover_enums
from dragoman.conditions.language.tool_messages import MessageTranslations
from dragoman.conditions.language.value_sets import ValueSet
from dragoman.core.tools import Role

DOMAINS = ("airline", "retail", "telecom")
LANGUAGES = ("vi", "th", "id", "tl", "zh")
RECORDED = ("vi", "th", "id")
SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}
Counts = tuple[int, int, int, int, int]

EXPECTED: Mapping[tuple[str, str, str], Counts] = {
    # 1.8 and 9: sources that changed, and texts that show it
    ("telecom", "stale-by-hash", "main_policy.md"): (0, 1, 1, 1, 1),
    ("telecom", "stale-by-hash", "tech_support_manual.md"): (0, 1, 1, 1, 1),
    ("telecom", "stale-by-content", "main_policy.md"): (0, 1, 0, 1, 1),
    ("telecom", "stale-by-content", "tech_support_manual.md"): (0, 1, 0, 0, 0),
    # 1.10
    ("retail", "stray-file", "split_tasks.json"): (0, 1, 0, 0, 0),
    # 1.3: labels
    ("airline", "label-equals-canonical", "data_model.json"): (0, 0, 0, 0, 0),
    ("retail", "label-equals-canonical", "data_model.json"): (1, 1, 1, 1, 0),
    ("telecom", "label-equals-canonical", "data_model.json"): (1, 1, 3, 3, 1),
    ("telecom", "label-equals-canonical", "user_data_model.json"): (9, 8, 9, 9, 8),
    ("telecom", "case-fold-collision", ""): (1, 0, 1, 1, 0),
    ("telecom", "one-canonical-two-labels", ""): (1, 3, 1, 0, 2),
    ("airline", "label-collision", ""): (0, 0, 0, 0, 0),
    ("retail", "label-collision", ""): (0, 0, 0, 0, 0),
    ("telecom", "label-collision", ""): (0, 0, 0, 0, 0),
    # 9: identifiers of tool texts
    ("airline", "identifier-lost", "tools.json"): (6, 6, 6, 6, 0),
    ("retail", "identifier-lost", "tools.json"): (0, 0, 2, 2, 0),
    ("telecom", "identifier-lost", "tools.json"): (0, 0, 0, 0, 0),
    ("telecom", "identifier-lost", "user_tools.json"): (0, 0, 0, 0, 0),
    # 1.4: a gift card that became a credit card; structure kept everywhere
    ("airline", "value-swapped", "tools.json"): (0, 0, 0, 0, 0),
    ("retail", "value-swapped", "tools.json"): (0, 0, 1, 0, 0),
    ("airline", "tool-missing", ""): (0, 0, 0, 0, 0),
    ("retail", "tool-missing", ""): (0, 0, 0, 0, 0),
    ("telecom", "tool-missing", ""): (0, 0, 0, 0, 0),
    ("airline", "docstring-structure", ""): (0, 0, 0, 0, 0),
    ("retail", "docstring-structure", ""): (0, 0, 0, 0, 0),
    ("telecom", "docstring-structure", ""): (0, 0, 0, 0, 0),
    # 3.6: labels for a plain string
    ("retail", "plain-string-enum", "tools.json"): (1, 1, 1, 1, 1),
    ("airline", "plain-string-enum", "tools.json"): (0, 0, 0, 0, 0),
    # 1.4 has 5 to 11 and, of reasons alone, 2; the identifiers above are quoted literals as well
    ("airline", "literal-replaced", "tools.json"): (11, 11, 11, 11, 5),
    ("retail", "literal-replaced", "tools.json"): (2, 2, 4, 4, 2),
    ("telecom", "literal-replaced", ""): (0, 0, 0, 0, 0),
    # 1.4: spaces injected where Chinese has none; 1,048 together
    ("airline", "space-between-han", ""): (0, 0, 0, 0, 314),
    ("retail", "space-between-han", ""): (0, 0, 0, 0, 378),
    ("telecom", "space-between-han", ""): (0, 0, 0, 0, 356),
    # 1.5: messages
    ("telecom", "placeholder-lost", ""): (0, 0, 0, 0, 0),
    ("telecom", "message-pattern", ""): (0, 0, 0, 0, 0),
    # 1.6: tasks
    ("airline", "fixed-leaf-changed", "tasks.json"): (0, 0, 0, 0, 0),
    ("retail", "fixed-leaf-changed", "tasks.json"): (0, 0, 0, 0, 0),
    ("airline", "untranslated-leaf", "tasks.json"): (0, 0, 0, 0, 0),
    ("retail", "untranslated-leaf", "tasks.json"): (0, 0, 0, 0, 0),
    ("airline", "identifier-lost", "tasks.json"): (0, 1, 0, 1, 0),
    ("airline", "number-lost", "tasks.json"): (0, 6, 1, 0, 2),
    ("retail", "number-lost", "tasks.json"): (7, 1, 11, 0, 1),
    ("airline", "one-text-two-translations", "tasks.json"): (4, 2, 1, 2, 0),
    ("retail", "one-text-two-translations", "tasks.json"): (13, 14, 7, 12, 18),
    # more than 70 % of letters and punctuation; see test_release.py for the 18 of 1.6
    ("airline", "text-mostly-latin", "tasks.json"): (0, 1, 0, 0, 33),
    # 1.7: databases
    ("retail", "fixed-leaf-changed", "db.json"): (0, 0, 0, 0, 0),
    ("telecom", "fixed-leaf-changed", "db.toml"): (0, 0, 0, 0, 0),
    ("retail", "untranslated-leaf", "db.json"): (0, 0, 224, 2829, 0),
    ("retail", "one-name-two-translations", "db.json"): (28, 26, 24, 16, 26),
    ("retail", "item-name-differs-from-product", "db.json"): (820, 644, 630, 140, 615),
    ("retail", "two-names-merged", "db.json"): (2, 0, 0, 0, 2),
    ("telecom", "untranslated-leaf", "db.toml"): (1, 0, 1, 5, 0),
    ("telecom", "fixed-leaf-changed", "user_db.toml"): (0, 0, 0, 0, 0),
    # 1.8: parts of the manual; 9: labels that it advertises
    ("telecom", "list-item-lost", ""): (0, 1, 0, 0, 0),
    ("telecom", "code-span-lost", ""): (0, 1, 0, 0, 0),
    ("telecom", "heading-lost", ""): (0, 0, 0, 0, 0),
    ("airline", "list-item-lost", ""): (0, 0, 0, 0, 0),
    ("retail", "list-item-lost", ""): (0, 0, 0, 0, 0),
    ("airline", "code-span-lost", ""): (0, 0, 0, 0, 0),
    ("retail", "code-span-lost", ""): (0, 0, 0, 0, 0),
    ("airline", "heading-lost", ""): (0, 0, 0, 0, 0),
    ("retail", "heading-lost", ""): (0, 0, 0, 0, 0),
    ("airline", "number-lost", "policy.md"): (0, 0, 0, 0, 0),
    ("retail", "number-lost", "policy.md"): (0, 0, 0, 0, 0),
    ("telecom", "number-lost", ""): (0, 0, 0, 0, 0),
    ("telecom", "label-outside-value-set", ""): (0, 3, 3, 3, 3),
    # 9 has `storage` alone; the Chinese manual quotes `sms` translated too
    ("telecom", "argument-translated", "tech_support_manual.md"): (1, 1, 1, 0, 2),
    # 1.9: files patched by hand, 26 together
    ("airline", "hand-patched", ""): (2, 2, 1, 3, 1),
    ("retail", "hand-patched", ""): (2, 2, 1, 4, 1),
    ("telecom", "hand-patched", ""): (0, 1, 1, 3, 2),
    # 1.1: every asset's manifest says Chinese (Simplified), the registry Chinese
    ("airline", "language-name", ""): (0, 0, 0, 0, 5),
    ("retail", "language-name", ""): (0, 0, 0, 0, 5),
    ("telecom", "language-name", ""): (0, 0, 0, 0, 13),
}

MISSING = {
    ("airline", "db.json"): ("vi", "th", "zh"),
    ("telecom", "tasks.json"): LANGUAGES,
}


@pytest.fixture(scope="module")
def released(data_folder: Path) -> Path:
    """The folder of released artifacts."""
    return required(data_folder / "seataubench")


@pytest.fixture(scope="module")
def data(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pulled data that has tau2-bench."""
    folder = tmp_path_factory.mktemp("data")
    local = required(data_folder / "tau2")
    pull(tau2_source(), source_folder(folder), derive=derive_schemas, from_dir=local)
    return folder


@pytest.fixture(scope="module")
def found(released: Path, data: Path) -> dict[tuple[str, str], tuple[Defect, ...]]:
    """All defects by domain and language."""
    return {
        (subject.domain, subject.language): lint(subject)
        for subject in lint_subjects(str(released), data)
    }


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest, released: Path) -> str:
    """A language of the release that the folder has."""
    code = str(request.param)
    required(released / "retail" / code)
    return code


@pytest.fixture(scope="module")
def surfaces(released: Path, data: Path) -> dict[tuple[str, str], DomainSurface]:
    """The surfaces of every domain in every language of the folder."""
    return {
        (domain, code): surface_of(domain, code, str(released), data)
        for domain in DOMAINS
        for code in languages_of(released / domain)
    }


def required(folder: Path) -> Path:
    """Skip where a part of the material is absent; with DRAGOMAN_REQUIRE_DATA=1, fail."""
    if folder.is_dir():
        return folder
    reason = f"{folder} is absent: nothing to check"
    if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    return pytest.skip(reason)


def times(defects: tuple[Defect, ...], code: str, path: str) -> int:
    return sum(each.count for each in defects if each.code == code and path in {"", each.path})


@pytest.mark.parametrize("code", LANGUAGES)
def test_defects_are_as_many_as_were_counted_by_hand(
    found: Mapping[tuple[str, str], tuple[Defect, ...]], released: Path, code: str
) -> None:
    required(released / "retail" / code)
    column = LANGUAGES.index(code)
    assert {place: counts[column] for place, counts in EXPECTED.items()} == {
        (domain, defect, path): times(found[domain, code], defect, path)
        for domain, defect, path in EXPECTED
    }


def test_files_that_could_not_be_had_are_named(
    found: Mapping[tuple[str, str], tuple[Defect, ...]], language: str
) -> None:
    missing = {
        (domain, each.path)
        for domain in DOMAINS
        for each in found[domain, language]
        if each.code == "missing-file"
    }
    assert missing == {place for place, languages in MISSING.items() if language in languages}


def test_nothing_was_left_unread_and_every_source_was_at_hand(
    found: Mapping[tuple[str, str], tuple[Defect, ...]],
) -> None:
    assert found
    codes = {each.code for defects in found.values() for each in defects}
    assert codes.isdisjoint(
        {"unreadable", "source-unknown", "schema-differs", "ambiguous-value-set", "line-lost"}
    )


@pytest.mark.parametrize(
    ("code", "labels"),
    [
        ("vi", ()),
        ("th", ("ต้องการ 4G/5G", "4G เท่านั้น")),
        ("id", ("4G/5G lebih disukai", "hanya 4G")),
        ("tl", ("mas gusto ang 4G/5G", "4G lang")),
        ("zh", ("首选 4G/5G", "仅限 4G")),
    ],
)
def test_the_manual_advertises_modes_that_no_value_set_has(
    found: Mapping[tuple[str, str], tuple[Defect, ...]], code: str, labels: tuple[str, ...]
) -> None:
    wrong = [each for each in found["telecom", code] if each.code == "label-outside-value-set"]
    assert {each.path for each in wrong} <= {"tech_support_manual.md"}
    assert [each.what.partition(" stands for ")[0] for each in wrong] == [*map(repr, labels)]


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("vi", {"poor"}),
        ("th", {"Suspended", "Closed", "poor"}),
        ("id", {"poor"}),
        ("tl", set[str]()),
        ("zh", {"Active", "poor"}),
    ],
)
def test_values_of_telecom_that_have_two_labels_are_named(
    found: Mapping[tuple[str, str], tuple[Defect, ...]], code: str, values: set[str]
) -> None:
    varying = [each for each in found["telecom", code] if each.code == "one-canonical-two-labels"]
    assert {each.what.partition(" has ")[0] for each in varying} == set(map(repr, values))


def test_modes_that_the_manual_advertises_are_accepted_as_aliases(
    surfaces: Mapping[tuple[str, str], DomainSurface], language: str
) -> None:
    aliases = (
        domain_declarations("telecom").aliases.get(language, {}).get("NetworkModePreference", {})
    )
    assert len(aliases) == (0 if language == "vi" else 2)
    tree = surfaces["telecom", language].arguments["user"]["set_network_mode_preference"]
    for value, labels in aliases.items():
        for label in labels:
            assert to_canonical({"mode": label}, tree) == {"mode": value}


# Formats


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("data_model.json", Schema),
        ("user_data_model.json", Schema),
        ("tool_returns.json", ToolReturns),
        ("tools.json", dict[str, str]),
        ("user_tools.json", dict[str, str]),
        ("tasks.json", list[dict[str, Any]]),
        ("db.json", dict[str, Any]),
    ],
)
def test_artifacts_are_written_as_they_were_released(
    released: Path, language: str, name: str, kind: type
) -> None:
    folders = [AssetFolder(released / domain / language) for domain in DOMAINS]
    contents = [folder.read(name) for folder in folders if name in folder]
    assert contents
    for content in contents:
        assert encode_artifact(msgspec.json.decode(content, type=kind)) == content


def test_manifests_are_written_with_the_same_content_in_one_order_of_keys(
    released: Path, language: str
) -> None:
    for domain in DOMAINS:
        content = AssetFolder(released / domain / language).read("translation_manifest.json")
        written = encode_artifact(msgspec.json.decode(content, type=TranslationManifest))
        assert json.loads(written) == json.loads(content)


def test_the_telecom_database_is_written_as_it_was_released(released: Path, language: str) -> None:
    content = AssetFolder(released / "telecom" / language).read("db.toml")
    assert encode_toml(decode_database(content, "db.toml")) == content


def test_mixes_are_read(released: Path) -> None:
    paths = sorted((released / "l2_tools_mix").glob("*.json"))
    mixes = [msgspec.json.decode(path.read_bytes(), type=Mix) for path in paths]
    assert [len(mix.languages.codes) for mix in mixes] == [2, 3, 4, 5]
    assert {mix.partitioning.tools_per_added_language for mix in mixes} == {3}


# Maps


def all_value_sets(surface: DomainSurface) -> Iterator[ValueSet]:
    yield from surface.value_sets.values()
    trees = [*surface.fields.values()]
    for by_tool in (*surface.arguments.values(), *surface.results.values()):
        trees.extend(by_tool.values())
    for tree in trees:
        yield from (value_set for _, value_set in tree.places())


def test_every_value_comes_back_from_its_label_in_every_field(
    surfaces: Mapping[tuple[str, str], DomainSurface], language: str
) -> None:
    sets = [each for domain in DOMAINS for each in all_value_sets(surfaces[domain, language])]
    named = sum(len(surfaces[domain, language].value_sets) for domain in DOMAINS)
    assert named == 33
    for values in sets:
        assert all(values.canon(values.label(value)) == value for value in values.canonicals)


def test_what_is_declared_is_what_english_descriptions_quote(
    surfaces: Mapping[tuple[str, str], DomainSurface], released: Path, data: Path
) -> None:
    for subject in lint_subjects(str(released), data, languages=["vi"]):
        values = {
            key: each.canonicals for key, each in surfaces[subject.domain, "vi"].value_sets.items()
        }
        quoted = [
            (each.tool, each.parameter, each.value_set)
            for tools in subject.english.toolsets.values()
            for each in discover_enums(tools, values)
        ]
        declared = domain_declarations(subject.domain).quoted
        assert quoted == [(each.tool, each.parameter, each.value_set) for each in declared]


def test_names_of_databases_come_back_by_their_place(
    surfaces: Mapping[tuple[str, str], DomainSurface], released: Path, data: Path, language: str
) -> None:
    (subject,) = lint_subjects(str(released), data, domains=["retail"], languages=[language])
    english, translated = subject.databases["db.json"]
    names = surfaces["retail", language].names["agent"]
    assert names.localize(english) == translated
    assert names.restore(translated) == english


# Against the reference's own answers


def records(folder: Path, kind: str, language: str) -> Iterator[dict[str, Any]]:
    path = folder / "seataubench" / f"{kind}.{language}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is absent: nothing to compare with")
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize("code", RECORDED)
def test_arguments_are_understood_as_a_correct_system_would(
    surfaces: Mapping[tuple[str, str], DomainSurface], truth_folder: Path, code: str
) -> None:
    compared: Counter[str] = Counter()
    for row in records(truth_folder, "args", code):
        if "expected" in row:
            trees = surfaces[row["domain"], code].arguments.get(SIDES[row["requestor"]], {})
            assert (
                to_canonical(row["arguments"], trees.get(row["tool"], EMPTY_TREE))
                == row["expected"]
            ), row
            compared[row["case"]] += 1
    assert compared["gold_label"] > 0
    assert compared["alias_title"] > 0
    assert compared["label_quoted"] > 0


@pytest.mark.parametrize("code", RECORDED)
def test_results_are_shown_as_the_reference_shows_them_but_for_its_global_map(
    surfaces: Mapping[tuple[str, str], DomainSurface], truth_folder: Path, code: str
) -> None:
    """The reference has one label per domain and value: the last file's, in any field."""
    compared = 0
    for row in records(truth_folder, "results", code):
        if row.get("tool") is None or row["error"]:
            continue
        surface = surfaces[row["domain"], code]
        tree = surface.results[SIDES[row["requestor"]]].get(row["tool"], EMPTY_TREE)
        shown = with_messages(to_labels(row["raw"], tree), surface.messages)
        reference = row["raw"] if row["localized"] == "=raw" else row["localized"]
        for raw, ours, theirs in leaves(row["raw"], shown, reference):
            labels = {
                each.labels[raw] for each in surface.value_sets.values() if raw in each.labels
            }
            is_ambiguous = len(labels) > 1 or raw == "phone"
            assert ours == theirs or is_ambiguous, (row["tool"], raw, ours, theirs)
        compared += 1
    assert compared >= at_least(901)


def with_messages(value: object, messages: MessageTranslations) -> object:
    if isinstance(value, str):
        return messages.label(value) or value
    if isinstance(value, dict):
        return {key: with_messages(part, messages) for key, part in value.items()}
    if isinstance(value, list):
        return [with_messages(part, messages) for part in value]
    return value


def leaves(raw: Any, ours: Any, theirs: Any) -> Iterator[tuple[Any, object, object]]:  # noqa: ANN401
    """Yield the leaves of three JSON values of one shape side by side."""
    if isinstance(raw, dict):
        assert raw.keys() == ours.keys() == theirs.keys()
        for key, part in raw.items():
            yield from leaves(part, ours[key], theirs[key])
    elif isinstance(raw, list):
        for parts in zip(raw, ours, theirs, strict=True):
            yield from leaves(*parts)
    else:
        yield raw, ours, theirs
