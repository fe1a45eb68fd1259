import json
from collections.abc import Callable
from importlib.resources import files

import pytest

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite, decode_tools
from dragoman.core.errors import DataError
from dragoman.core.protocols import Limits, Provenance
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES
from dragoman.core.tools import ToolCall

SOURCE = Provenance("sample", "Apache-2.0", "notice", "")
FOLDER = files("dragoman.benchmarks.tau2") / "sample_data"


def suite(**changed: Callable[[bytes], bytes]) -> DomainSuite:
    """Return the sample's files as a suite, some of them changed."""
    files_changed = {
        "db_json": "db.json",
        "tasks_json": "tasks.json",
        "policy_md": "policy.md",
        "tools": "tools_openai.json",
    }
    changes = {files_changed[name]: change for name, change in changed.items()}

    def read(name: str) -> bytes:
        return changes.get(name, bytes)((FOLDER / name).read_bytes())

    return DomainSuite("sample:shop", read, SOURCE)


def test_the_suite_knows_its_tasks_policy_and_tools(shop: DomainSuite) -> None:
    assert [task.id for task in shop.tasks] == [
        "larger-jacket",
        "return-poles",
        "two-swaps",
        "too-late",
        "cancel-by-mistake",
    ]
    assert shop.policy_text.startswith("# Service policy of the sample shop")
    assert shop.toolsets["agent"].by_name["cancel_pending_order"].kind == "write"
    assert shop.provenance.licence == "Apache-2.0"


def test_a_conversation_of_the_suite_is_half_duplex(shop: DomainSuite) -> None:
    environment = shop.factory(DEFAULT_RULES)(shop.tasks[0])
    turn_protocol = shop.turn_protocol(shop.tasks[0], environment, DEFAULT_RULES, Limits())
    assert isinstance(turn_protocol, HalfDuplex)


@pytest.mark.parametrize("name", ["db_json", "tasks_json", "policy_md", "tools"])
def test_the_digest_changes_with_every_file(name: str) -> None:
    assert suite().provenance.digest == suite().provenance.digest
    changed = suite(**{name: lambda content: content + b"\n"})
    assert changed.provenance.digest != suite().provenance.digest


def without_calculate(content: bytes) -> bytes:
    tools = json.loads(content)
    return json.dumps([tool for tool in tools if tool["function"]["name"] != "calculate"]).encode()


def with_fly(content: bytes) -> bytes:
    function = {"name": "fly", "description": "", "parameters": {}}
    return json.dumps([*json.loads(content), {"function": function}]).encode()


@pytest.mark.parametrize(("change", "name"), [(without_calculate, "calculate"), (with_fly, "fly")])
def test_schemas_of_other_tools_are_refused(change: Callable[[bytes], bytes], name: str) -> None:
    with pytest.raises(DataError, match=f"sample:shop: tools.*schemas and tools differ in {name}"):
        suite(tools=change)


@pytest.mark.parametrize("content", [b"", b"{}", b"[{}]", b"[1]", b"[", b'[{"function": []}]'])
def test_damaged_schemas_are_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="where: damaged"):
        decode_tools(content, {}, "where")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"products": 1, "users": {}, "orders": {}}']
)
def test_a_damaged_database_is_refused_with_what_helps(content: bytes) -> None:
    damaged = suite(db_json=lambda _: content)
    with pytest.raises(DataError, match=r"sample:shop: the database is damaged.*pull it again"):
        damaged.factory(DEFAULT_RULES)


def test_damaged_tasks_are_refused() -> None:
    with pytest.raises(DataError, match=r"sample:shop: tasks.*not a list of tasks"):
        suite(tasks_json=lambda _: b"{}")


def test_the_rules_decide_whether_arguments_are_validated(shop: DomainSuite) -> None:
    call = ToolCall("1", "transfer_to_human_agents", {"summary": 5})
    errors = [
        shop.factory(rules)(shop.tasks[0]).call(call).error for rules in (DEFAULT_RULES, TAU2_RULES)
    ]
    assert errors == [True, False]


def test_every_world_of_a_factory_is_fresh(shop: DomainSuite) -> None:
    factory = shop.factory(DEFAULT_RULES)
    cancel: dict[str, object] = {"order_id": "#S1000001", "reason": "no longer needed"}
    used = factory(shop.tasks[0])
    assert not used.call(ToolCall("1", "cancel_pending_order", cancel)).error
    assert factory(shop.tasks[0]).delta() == {}


@pytest.mark.parametrize("name", ["policy_md", "db_json"])
def test_files_that_are_no_text_are_refused(name: str) -> None:
    def damage(content: bytes) -> bytes:
        return content.replace(b"Bo", b"\xff").replace(b"Orders", b"\xff")

    with pytest.raises(DataError):
        suite(**{name: damage}).factory(DEFAULT_RULES)
