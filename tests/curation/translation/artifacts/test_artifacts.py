"""Files of each format: their translatable texts, and the written result."""

import json
import tomllib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.toml_writer import encode_toml

from dragoman.conditions.language.artifacts import Schema, ToolReturns
from dragoman.conditions.language.tool_docstrings import compose_docstrings
from dragoman.core.errors import DataError
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.curation.translation.artifact_files import (
    FileArtifact,
    SourcedFile,
    database_artifact,
    document_artifact,
    is_label,
    messages_artifact,
    schema_artifact,
    tasks_artifact,
)
from dragoman.curation.translation.tool_docstrings import tools_artifact

LEAVES = frozenset({"name", "description"})


def origin(name: str) -> SourcedFile:
    return SourcedFile(name, "shop", ())


def listed(artifact: FileArtifact) -> dict[str, str]:
    return {segment.address: segment.source for segment in artifact.segments}


def shouted(artifact: FileArtifact) -> dict[str, str]:
    return {segment.address: segment.source.upper() for segment in artifact.segments}


TASK: dict[str, Any] = {
    "id": "0",
    "description": {"purpose": "Returns a lamp", "notes": None, "relevant_policies": " "},
    "user_scenario": {
        "persona": "In a hurry",
        "instructions": {
            "domain": "shop",
            "reason_for_call": "You want to return a lamp/torch.",
            "known_info": "12345",
            "unknown_info": None,
            "task_instructions": ".",
        },
    },
    "ticket": "Lamp broken",
    "initial_state": {
        "message_history": [
            {"role": "user", "content": "Hello"},
            {"role": "tool", "content": "Order found"},
        ]
    },
    "evaluation_criteria": {
        "nl_assertions": ["Agent apologises."],
        "communicate_info": ["fifty"],
        "actions": [{"name": "return_items", "arguments": {"reason": "broken"}, "info": "why"}],
    },
}


def test_of_tasks_only_listed_places_are_translated() -> None:
    artifact = tasks_artifact(origin("tasks.json"), json.dumps([TASK]).encode())
    assert listed(artifact) == {
        "tasks.json::0/description/purpose": "Returns a lamp",
        "tasks.json::0/user_scenario/persona": "In a hurry",
        "tasks.json::0/user_scenario/instructions/reason_for_call": "You want to return a lamp/torch.",
        "tasks.json::0/ticket": "Lamp broken",
        "tasks.json::0/evaluation_criteria/nl_assertions/0": "Agent apologises.",
        "tasks.json::0/initial_state/message_history/0/content": "Hello",
    }
    assert {segment.context for segment in artifact.segments} == {"shop/text"}


def test_tasks_of_ones_own_have_facts_and_keywords_to_translate() -> None:
    task = {
        "id": "a",
        "scenario": {
            "instructions": "You want a book.",
            "opening": "Hello",
            "facts": [{"name": "title", "value": "The Lantern", "keywords": ["title", "book"]}],
            "deeds": [{"name": "press", "arguments": {"on": "door"}, "keywords": ["press"]}],
        },
        "criteria": {"must_say": ["B3"], "assertions": ["Agent is kind."]},
    }
    artifact = tasks_artifact(origin("tasks.json"), json.dumps([task]).encode())
    assert sorted(listed(artifact).values()) == sorted(
        ["You want a book.", "Hello", "The Lantern", "title", "book", "press", "Agent is kind."]
    )


def test_translated_tasks_change_nothing_but_their_texts() -> None:
    artifact = tasks_artifact(origin("tasks.json"), json.dumps([TASK]).encode())
    written = artifact.written({"tasks.json::0/ticket": "Đèn hỏng"})
    assert json.loads(written) == [{**TASK, "ticket": "Đèn hỏng"}]
    assert '      "ticket"' not in written.decode()
    assert '    "ticket": "Đèn hỏng"' in written.decode()
    assert written.endswith(b"]\n")
    assert [*json.loads(written)[0]] == [*TASK]


def test_tasks_are_read_back_by_id_in_whatever_order_they_are() -> None:
    second = {"id": "1", "ticket": "No light"}
    artifact = tasks_artifact(origin("tasks.json"), json.dumps([TASK, second]).encode())
    translated = [{"id": "1", "ticket": "没有光"}, {"id": "0", "ticket": "灯坏了"}]
    content = json.dumps(translated).encode()
    assert artifact.translations(content, "tasks.json") == {
        "tasks.json::0/ticket": "灯坏了",
        "tasks.json::1/ticket": "没有光",
    }


def test_lists_of_other_lengths_are_no_translations_of_each_other() -> None:
    def with_keywords(*keywords: str) -> bytes:
        fact = {"name": "title", "value": "X", "keywords": keywords}
        return json.dumps([{"id": "a", "scenario": {"facts": [fact]}}]).encode()

    artifact = tasks_artifact(origin("tasks.json"), with_keywords("title", "book"))
    place = "tasks.json::0/scenario/facts/0"
    assert artifact.translations(with_keywords("书名", "书", "题目"), "zh") == {
        f"{place}/value": "X"
    }
    assert artifact.translations(with_keywords("书名", "书"), "zh") == {
        f"{place}/value": "X",
        f"{place}/keywords/0": "书名",
        f"{place}/keywords/1": "书",
    }


def test_a_damaged_file_of_tasks_is_named() -> None:
    artifact = tasks_artifact(origin("tasks.json"), b"[]")
    with pytest.raises(DataError, match=r"th/tasks\.json"):
        artifact.translations(b"{", "th/tasks.json")
    with pytest.raises(DataError, match="not a list of tasks"):
        tasks_artifact(origin("tasks.json"), b'{"a": 1}')


JSON_DATABASE = (
    b'{"products": {"P/1": {"name": "Lamp", "price": 1.10, "options": {"colour": "red"}},'
    b' "P2": {"name": "77", "description": "Soft light"}}, "log": {"actions": [{"name": "find"}]}}'
)


def test_of_databases_only_declared_leaves_with_letters_are_translated() -> None:
    artifact = database_artifact(origin("db.json"), JSON_DATABASE, LEAVES)
    assert listed(artifact) == {
        "db.json::products/P~11/name": "Lamp",
        "db.json::products/P2/description": "Soft light",
    }
    assert [segment.context for segment in artifact.segments] == ["shop/name", "shop/text"]


def test_a_database_without_translations_is_copied() -> None:
    assert database_artifact(origin("db.json"), JSON_DATABASE, LEAVES).written({}) == JSON_DATABASE
    nothing = database_artifact(origin("db.json"), JSON_DATABASE, frozenset())
    assert nothing.segments == ()
    assert nothing.written({"db.json::products/P~11/name": "Đèn"}) == JSON_DATABASE


def test_a_translated_database_differs_at_its_addresses_only() -> None:
    artifact = database_artifact(origin("db.json"), JSON_DATABASE, LEAVES)
    written = artifact.written({"db.json::products/P~11/name": "Đèn"})
    wanted = json.loads(JSON_DATABASE)
    wanted["products"]["P/1"]["name"] = "Đèn"
    assert json.loads(written) == wanted
    assert artifact.translations(written, "db.json") == {
        "db.json::products/P~11/name": "Đèn",
        "db.json::products/P2/description": "Soft light",
    }


TOML_DATABASE = """\
# Plans that can still be bought.
[[plans]]
plan_id  = "L1"   # never shown
name = 'Basic "Plan"' # shown
description = \"\"\"
Five gigabytes,
no roaming.\"\"\"

[[plans]]
plan_id = "L2"
name = "Plus"
since = 2024-01-01
"""


def test_a_toml_database_keeps_its_comments_and_layout() -> None:
    artifact = database_artifact(origin("db.toml"), TOML_DATABASE.encode(), LEAVES)
    written = artifact.written({"db.toml::plans/0/name": 'Gói "cơ bản"'}).decode()
    assert written == TOML_DATABASE.replace("'Basic \"Plan\"'", '"Gói \\"cơ bản\\""')
    assert artifact.written({}) == TOML_DATABASE.encode()


def test_a_toml_database_is_read_back_by_place() -> None:
    artifact = database_artifact(origin("db.toml"), TOML_DATABASE.encode(), LEAVES)
    written = artifact.written(shouted(artifact))
    assert artifact.translations(written, "db.toml") == shouted(artifact)
    assert tomllib.loads(written.decode())["plans"][1]["since"].year == 2024


def test_a_policy_is_one_text_and_keeps_every_byte() -> None:
    text = "# Rules\r\n\r\n- One  \n- Two"
    artifact = document_artifact(origin("policy.md"), text.encode())
    assert listed(artifact) == {"policy.md::full": text}
    assert artifact.written({}) == text.encode()
    assert artifact.written({"policy.md::full": "# กฎ\n"}).decode() == "# กฎ\n"
    assert artifact.translations("# กฎ\n".encode(), "th") == {"policy.md::full": "# กฎ\n"}


def test_a_policy_that_is_no_text_is_refused() -> None:
    with pytest.raises(DataError, match=r"policy\.md is no UTF-8"):
        document_artifact(origin("policy.md"), b"\xff\xfe")


SCHEMA = msgspec.convert(
    {
        "kind": "schema",
        "source_file": "shop/records.py",
        "module_description": "What is kept.",
        "models": {
            "Order": {
                "fields": {
                    "id": {"annotation": "str"},
                    "status": {
                        "annotation": "Status",
                        "description": "How far it is",
                        "value_set": "Status",
                    },
                },
                "description": "An order.",
            }
        },
        "value_sets": {
            "Status": {
                "kind": "literal",
                "values": [
                    {"canonical": "in_transit", "localized": "in_transit"},
                    {"canonical": "4g_only", "localized": "4g_only"},
                    {"canonical": "42", "localized": "42"},
                ],
            }
        },
    },
    Schema,
)


def test_a_schema_has_descriptions_and_the_labels_of_its_values() -> None:
    artifact = schema_artifact(origin("data_model.json"), SCHEMA)
    assert [
        (segment.address.partition("::")[2], segment.source, segment.mode, segment.context)
        for segment in artifact.segments
    ] == [
        ("module_description", "What is kept.", "text", "shop/text"),
        ("models/Order/description", "An order.", "text", "shop/text"),
        ("models/Order/fields/status/description", "How far it is", "text", "shop/text"),
        ("value_sets/Status/values/0/localized", "in_transit", "label", "shop/label/Status"),
        ("value_sets/Status/values/1/localized", "4g_only", "text", "shop/label/Status"),
    ]


def test_labels_are_read_back_by_their_value() -> None:
    artifact = schema_artifact(origin("data_model.json"), SCHEMA)
    written = artifact.written({"data_model.json::value_sets/Status/values/0/localized": "运输中"})
    moved = written.replace(b'"in_transit"', b'"lost"')
    place = "data_model.json::value_sets/Status/values/0/localized"
    assert artifact.translations(written, "zh")[place] == "运输中"
    assert place not in artifact.translations(moved, "zh")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Active", True),
        ("in_transit", True),
        ("4g_5g_preferred", False),
        ("2g_only", False),
        ("data_", False),
        ("5G", True),
    ],
)
def test_values_that_read_as_words_are_labels(value: str, expected: bool) -> None:
    assert is_label(value) is expected


RETURNS = msgspec.convert(
    {
        "exact": {"done": {"source": "All done", "localized": "All done"}},
        "templates": {
            "sent": {
                "pattern": "^Sent\\ to\\ (?P<who>.+)$",
                "source": "Sent to {who}",
                "localized": "Sent to {who}",
            }
        },
    },
    ToolReturns,
)


def test_messages_keep_their_sources_and_patterns() -> None:
    artifact = messages_artifact(origin("tool_returns.json"), RETURNS)
    assert listed(artifact) == {
        "tool_returns.json::exact/done": "All done",
        "tool_returns.json::templates/sent": "Sent to {who}",
    }
    written = json.loads(artifact.written({"tool_returns.json::templates/sent": "ส่งถึง {who}"}))
    assert written["templates"]["sent"] == {
        "pattern": "^Sent\\ to\\ (?P<who>.+)$",
        "source": "Sent to {who}",
        "localized": "ส่งถึง {who}",
    }
    assert written["exact"]["done"]["localized"] == "All done"


DOCSTRINGS = {"find": "Find a book.\n\nArgs:\n    title: Its title.", "list": "List\nall."}


def test_docstrings_of_tools_are_written_by_tool() -> None:
    artifact = tools_artifact(origin("tools.json"), DOCSTRINGS)
    assert listed(artifact) == {
        "tools.json::find/description": "Find a book.",
        "tools.json::find/args/title": "Its title.",
        "tools.json::list/description": "List all.",
    }
    assert json.loads(artifact.written({})) == DOCSTRINGS
    written = artifact.written(shouted(artifact))
    assert json.loads(written)["find"] == "FIND A BOOK.\n\nArgs:\n    title: ITS TITLE."
    assert artifact.translations(written, "tools.json") == shouted(artifact)


def test_docstrings_are_made_of_schemas_where_there_are_none() -> None:
    parameters: dict[str, object] = {
        "properties": {"title": {"type": "string", "description": "Its title."}, "x": {}}
    }
    tools = Toolset((ToolSpec("find", "Find a book.", parameters, "read"),))
    assert compose_docstrings(tools) == {"find": "Find a book.\n\nArgs:\n    title: Its title."}


NAMES = st.text(min_size=1, max_size=12)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES
)
VALUES = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "description", "a/b", "~", "x"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_whatever_a_database_holds_stays_where_nothing_is_translated(value: dict[str, Any]) -> None:
    content = json.dumps(value).encode()
    artifact = database_artifact(origin("db.json"), content, LEAVES)
    assert artifact.written(listed(artifact)) == content
    assert artifact.translations(content, "db.json") == listed(artifact)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_translated_leaves_are_all_that_changes(value: dict[str, Any]) -> None:
    content = json.dumps(value).encode()
    artifact = database_artifact(origin("db.json"), content, LEAVES)
    texts = {address: f"{text}\u0e01" for address, text in listed(artifact).items()}
    written = artifact.written(texts)
    assert artifact.translations(written, "db.json") == texts
    back = database_artifact(origin("db.json"), written, LEAVES)
    restored = json.loads(back.written(listed(artifact)))
    assert msgspec.json.encode(restored) == msgspec.json.encode(json.loads(content))


TOML_KEYS = st.sampled_from(["name", "description", "a b", "x", "7"])
TOML_LEAF = st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12)
TOML_RECORD = st.dictionaries(TOML_KEYS, TOML_LEAF, max_size=4)
TOML_DATABASES = st.dictionaries(
    st.sampled_from(["plans", "lines", "device"]),
    st.lists(TOML_RECORD, max_size=3)
    | TOML_RECORD
    | st.dictionaries(NAMES, TOML_RECORD, max_size=2),
    min_size=1,
    max_size=3,
)


@given(TOML_DATABASES)
def test_of_toml_too_translated_leaves_are_all_that_changes(value: dict[str, Any]) -> None:
    content = encode_toml(value)
    artifact = database_artifact(origin("db.toml"), content, LEAVES)
    assert artifact.written(listed(artifact)) == content
    texts = {address: f'"{text}"\u0e01' for address, text in listed(artifact).items()}
    written = artifact.written(texts)
    assert artifact.translations(written, "db.toml") == texts
    back = database_artifact(origin("db.toml"), written, LEAVES).written(listed(artifact))
    assert tomllib.loads(back.decode()) == tomllib.loads(content.decode())


MAKERS: list[Callable[[], FileArtifact]] = [
    lambda: tasks_artifact(origin("tasks.json"), json.dumps([TASK]).encode()),
    lambda: database_artifact(origin("db.toml"), TOML_DATABASE.encode(), LEAVES),
    lambda: schema_artifact(origin("data_model.json"), SCHEMA),
    lambda: messages_artifact(origin("tool_returns.json"), RETURNS),
    lambda: tools_artifact(origin("tools.json"), DOCSTRINGS),
]


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_written_is_read_back_in_every_format(make: Callable[[], FileArtifact]) -> None:
    artifact = make()
    texts = {address: f"«{text}»" for address, text in listed(artifact).items()}
    assert artifact.translations(artifact.written(texts), artifact.name) == texts
    assert artifact.written(listed(artifact)) == artifact.written({})
