"""Any file content gives documents, or one line with the reason why not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.documents import ApiDocument
from dragoman.curation.api_datasets.ingestion.collect import read_source
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import open_source

Read = Callable[[str, bytes], None]

WORDS = st.sampled_from(
    [
        *("openapi", "swagger", "3.0.0", "2.0", "3.1.0", "info", "title", "paths", "/a/{b}", "get"),
        *("post", "parameters", "name", "in", "query", "path", "body", "schema", "type", "object"),
        *("properties", "allOf", "oneOf", "items", "$ref", "#/a", "#", "b.yaml", "content", "url"),
        *("application/json", "responses", "200", "components", "security", "servers", "required"),
        *("tool_name", "api_list", "apis", "method", "link", "tags", "example", "default", "enum"),
        *(
            "host",
            "basePath",
            "operationId",
            "variables",
            "\ud800",
            "https://x.example/",
            "http://[",
        ),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5)
TREES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=30,
)
OPERATIONS = st.fixed_dictionaries(
    {},
    optional={
        "parameters": TREES,
        "requestBody": TREES,
        "responses": TREES,
        "security": TREES,
        "tags": TREES,
        "servers": TREES,
        "operationId": TREES,
    },
)
OPENAPI = st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.0", "3.1.0"]),
        "paths": st.dictionaries(WORDS, st.dictionaries(WORDS, OPERATIONS | TREES, max_size=3)),
    },
    optional={"info": TREES, "components": TREES, "servers": TREES, "security": TREES},
)
TOOLS = st.fixed_dictionaries({"tool_name": TREES, "api_list": TREES}) | st.fixed_dictionaries(
    {"tool_name": st.just("T"), "api_list": st.lists(st.dictionaries(WORDS, TREES) | TREES)}
)
LISTS = st.lists(st.fixed_dictionaries({"name": TREES, "url": TREES}, optional={"auth": TREES}))
MARKS = st.text(alphabet=" \n|-#[]()<>~*`!:\\_a1é/.", max_size=120)
PAGES = st.lists(
    st.sampled_from(
        [
            *("| API | Link |\n|--|--|\n", "|--|--|\n", "| [a](https://a.example) | b |\n"),
            *("- [a](http://b.example): c\n", "- ~[a](http://b.example)~\n", "### English\n", "~~"),
            *(
                "| [x](javascript:1) | `y` |\n",
                "<b>",
                "![i](https://i.example)\n",
                "\n",
                "|",
                "```\n",
            ),
        ]
    )
    | MARKS,
    max_size=12,
).map("".join)


@pytest.fixture(scope="session")
def read_one(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Read one file and check the result."""
    folder = tmp_path_factory.mktemp("any")

    def call(name: str, content: bytes) -> None:
        path = Path(folder, name)
        path.write_bytes(content)
        (reading,) = read_source(open_source(path), SourceFacts("any"))
        assert bool(reading.refused) != bool(reading.entries)
        for said in (reading.refused, *(entry.remark for entry in reading.entries)):
            assert "\n" not in said
        for entry in reading.entries:
            assert (entry.document is None) <= bool(entry.remark)
            if entry.document is not None:
                check(entry.document)

    return call


def check(document: ApiDocument) -> None:
    data = msgspec.json.encode(document)
    assert msgspec.json.decode(data, type=ApiDocument) is not None
    assert document.id
    names = [each.name for each in document.api_list]
    assert len(set(names)) == len(names)
    assert document.country == ""


@pytest.mark.slow
@given(OPENAPI | TOOLS | LISTS | TREES)
def test_any_json_is_read_or_refused(read_one: Read, tree: object) -> None:
    read_one("a.json", json.dumps(tree, allow_nan=True).encode())


@given(PAGES)
def test_any_page_is_read_or_refused(read_one: Read, page: str) -> None:
    read_one("a.md", page.encode())


@given(st.sampled_from(["a.json", "a.yaml", "a.md", "a.jsonl", "a.json.gz", "a.txt"]), st.binary())
def test_any_bytes_are_read_or_refused(read_one: Read, name: str, content: bytes) -> None:
    read_one(name, content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b"[" * 100_000),
        ("a.json", b'{"paths":' * 900 + b"1" + b"}" * 900),
        ("a.yaml", b"a: [" * 50_000),
        ("a.md", b"[" * 1_000_000),
        ("a.md", b"- [a](https://a.example) " + b"![" * 1_000_000),
        ("a.md", b"- [a](https://a.example) [" * 10_000),
        ("a.md", b"> " * 9_000),
        ("a.md", b"|a" * 9_000 + b"\n" + b"|-" * 9_000 + b"\n"),
        ("a.md", b"*a_ " * 400_000),
        ("a.json.gz", b"\x1f\x8b" + b"x" * 100),
    ],
)
def test_content_that_is_made_to_hang_is_refused(read_one: Read, name: str, content: bytes) -> None:
    read_one(name, content)
