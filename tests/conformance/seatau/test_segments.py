"""Translatable texts of tau2-bench's domains, and those that the source's pipeline finds."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from dragoman.conditions.language.artifacts import SCHEMA_FILES, TOOL_FILES, encode_artifact
from dragoman.curation.translation.segments import TranslatableDomain

Of = Callable[[str], TranslatableDomain]

SEGMENTS = {
    "retail": {
        "data_model.json": 96,
        "tools.json": 95,
        "db.json": 3_028,
        "policy.md": 1,
        "tasks.json": 473,
    },
    "airline": {
        "data_model.json": 105,
        "tools.json": 81,
        "db.json": 1_500,
        "policy.md": 1,
        "tasks.json": 332,
    },
    "telecom": {
        "data_model.json": 86,
        "user_data_model.json": 94,
        "tools.json": 59,
        "user_tools.json": 32,
        "tool_returns.json": 12,
        "db.toml": 17,
        "main_policy.md": 1,
        "main_policy_solo.md": 1,
        "tech_support_manual.md": 1,
        "tech_support_workflow.md": 1,
        "tech_support_workflow_solo.md": 1,
        "tasks.json": 12_941,
    },
}
# Of the source: texts, different ones, and descriptions of tools that it cuts after their first line.
SOURCE = {"retail": (3_699, 514, 6), "airline": (2_020, 1_383, 1), "telecom": (13_260, 316, 14)}


@pytest.mark.parametrize("domain", SEGMENTS)
def test_every_file_has_the_texts_that_were_counted(translatable_of: Of, domain: str) -> None:
    found = Counter(each.address.split("::")[0] for each in translatable_of(domain).segments)
    assert dict(found) == SEGMENTS[domain]


@pytest.mark.parametrize("domain", SEGMENTS)
def test_addresses_are_unique(translatable_of: Of, domain: str) -> None:
    segments = translatable_of(domain).segments
    assert len({segment.address for segment in segments}) == len(segments)


@pytest.mark.parametrize("domain", SOURCE)
def test_the_source_has_as_many_more_texts_as_it_cuts_descriptions(
    translatable_of: Of, domain: str
) -> None:
    found = translatable_of(domain)
    segments, _, cut = SOURCE[domain]
    docstrings = [text for each in found.english.docstrings.values() for text in each.values()]
    assert sum("\n" in description(text) for text in docstrings) == cut
    assert len(found.segments) + cut == segments


@pytest.mark.parametrize("domain", SOURCE)
def test_different_texts_are_as_many_as_in_the_source_once_its_lines_are_cut_too(
    translatable_of: Of, domain: str
) -> None:
    found = translatable_of(domain)
    texts = {
        each.source
        for each in found.segments
        if not each.address.endswith("/description") or each.component != "tools"
    }
    for docstrings in found.english.docstrings.values():
        for docstring in docstrings.values():
            first, _, rest = description(docstring).partition("\n")
            texts |= {first, rest} - {""}
    # Two descriptions of an argument differ only in their line breaks.
    wrapped = {"retail": 2, "airline": 0, "telecom": 0}[domain]
    assert len(texts) + wrapped == SOURCE[domain][1]


def description(docstring: str) -> str:
    """Return what stands before the sections."""
    for heading in ("Args", "Returns", "Raises"):
        docstring = docstring.split(f"\n{heading}:", maxsplit=1)[0]
    return docstring.strip()


@pytest.mark.parametrize("domain", SEGMENTS)
def test_files_are_the_english_ones_where_nothing_is_translated(
    translatable_of: Of, domain: str
) -> None:
    found = translatable_of(domain)
    for artifact in found.artifacts:
        if artifact.name in found.english.files:
            assert artifact.written({}) == found.english.files[artifact.name]


@pytest.mark.parametrize("domain", SEGMENTS)
def test_docstrings_schemas_and_messages_are_the_english_ones_then_too(
    translatable_of: Of, domain: str
) -> None:
    found = translatable_of(domain)
    written = {
        artifact.name: json.loads(
            artifact.written({each.address: each.source for each in artifact.segments})
        )
        for artifact in found.artifacts
        if artifact.component in {"tools", "schema", "messages"}
    }
    english = {
        **{TOOL_FILES[side]: texts for side, texts in found.english.docstrings.items()},
        **{SCHEMA_FILES[side]: schema for side, schema in found.english.schemas.items()},
        **({"tool_returns.json": found.english.messages} if domain == "telecom" else {}),
    }
    assert written == {name: json.loads(encode_artifact(each)) for name, each in english.items()}


@pytest.mark.parametrize("domain", SEGMENTS)
def test_what_is_written_is_read_back_at_every_address(translatable_of: Of, domain: str) -> None:
    for artifact in translatable_of(domain).artifacts:
        texts = {each.address: f"[{each.source}]" for each in artifact.segments}
        assert artifact.translations(artifact.written(texts), artifact.name) == texts
