"""Datasets of other projects, each in a few lines of its own form."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.itc.datasets.acebench import read_chinese
from dragoman.benchmarks.itc.datasets.api_bank import read_hammer
from dragoman.benchmarks.itc.datasets.conversion import Read
from dragoman.benchmarks.itc.datasets.nestful import read_nestful
from dragoman.benchmarks.itc.datasets.nexusraven import read_cve, read_emailrep
from dragoman.benchmarks.itc.datasets.seal_tools import read_old_seal_tools, read_seal_tools
from dragoman.benchmarks.itc.datasets.toolalpaca import read_toolalpaca
from dragoman.benchmarks.itc.datasets.toolbench import NO_ARGUMENTS, read_toolbench
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.episodes import Message
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolResult


def files(**contents: object) -> Read:
    """Return a function that reads files.

    It writes a list as one JSON value per line, and any other value as one JSON file; `__` in a
    name stands for `/`.
    """
    written: Mapping[str, Any] = {name.replace("__", "/"): held for name, held in contents.items()}

    def read(name: str) -> bytes:
        held = written[name.replace(".", "_").replace("-", "_")]
        if isinstance(held, tuple):
            return b"\n".join(map(msgspec.json.encode, held))
        return msgspec.json.encode(held)

    return read


TOOL = {
    "api_name": "getRain", "api_description": "Rain in a town.", "field": "Weather/Rain",
    "parameters": {"town": {"type": "str", "description": "Where."}}, "required": ["town"],
}  # fmt: skip
TOOLS = tuple({**TOOL, "api_name": f"getRain{n}"} for n in range(8))


def test_seal_tools_has_a_value_that_is_an_earlier_response() -> None:
    calls = [{"api": "getRain", "parameters": {"town": "Lee"}, "responses": ["API_call_0"]},
             {"api": "getRain1", "parameters": {"town": "API_call_0"}, "responses": ["API_call_1"]}]  # fmt: skip
    sample = {"id": "dev-1", "query": "Will it rain?", "calling": calls}
    given = {"seal_tools__tool_jsonl": (TOOL, *TOOLS)}
    (document,), (task,) = read_seal_tools(files(seal_tools__dev_jsonl=(sample,), **given))
    assert (task.task.kind, len(task.task.offered)) == ("nested", 8)
    assert {"seal-tools/getRain", "seal-tools/getRain1"} <= set(task.task.offered)
    assert document.api_list[0].required_parameters[0].type == "string"
    old = [[{"api": "getRain", "parameters": {"town": "Lee"}}, "Will it rain?"]]
    old_files = files(seal_tools__old_format_dev_jsonl=tuple(old), **given)
    _, (again,) = read_old_seal_tools(old_files)
    assert (again.task.id, again.task.gold) == ("old-1", (ApiCall("getRain", {"town": "Lee"}),))


def test_inputs_that_are_no_json_leave_arguments_unjudged_and_unknown_actions_all() -> None:
    api = {
        "Name": "Parks", "Category": "Travel", "Instructions": ["Find one.", "Tell me more.", "More?"],
        "Function_Description": {"find": 'Finds.\nParameters: {"name": "Required. string."}\nOutput: x', "components": ""},
        "Golden_Answers": [
            [{"Action": "find", "Action_Input": '{"name": "Oak"}'}],
            [{"Action": "find", "Action_Input": '{"id": ${id from find}}'}],
            [{"Action": "getDetails", "Action_Input": "{}"}],
        ],
    }  # fmt: skip
    (document,), tasks = read_toolalpaca(files(toolalpaca__eval_simulated_json=[api]))
    assert [each.name for each in document.api_list[0].required_parameters] == ["name"]
    assert [each.no_arguments for each in tasks] == [
        "", '1 of its gold inputs are no JSON, such as {"id": ${id from find}}', "",
    ]  # fmt: skip
    assert [each.no_tools for each in tasks] == [
        "",
        "",
        "gold calls getDetails, not among the functions",
    ]


def test_calls_of_python_lose_their_assignment_and_module() -> None:
    function = {
        "name": "searchCPE",
        "parameters": [{"name": "keywordSearch"}, {"name": "limit", "type": "int"}],
    }
    queries = [
        {
            "query": "Five?",
            "reference": "r = nvdlib.searchCPE(keywordSearch='Windows 10', limit=5)",
        },
        {"query": "Php?", "reference": "nvdlib.searchCPE('PHP')"},
        {"query": "Odd?", "reference": "[x for x in r]"},
    ]
    given = {"nexusraven__cve_cpe_functions_json": [function]}
    _, tasks = read_cve(files(nexusraven__cve_cpe_queries_json=queries, **given))
    assert tasks[0].task.gold == (
        ApiCall("searchCPE", {"keywordSearch": "Windows 10", "limit": 5}),
    )
    assert tasks[1].task.gold == (ApiCall("searchCPE", {"keywordSearch": "PHP"}),)
    assert tasks[2].no_arguments.startswith("gold cannot be read: ")
    mail = [{"query": "Is it?", "reference": 'emailrep_post(email="a@example.com")'}]
    (document,), _ = read_emailrep(files(nexusraven__emailrep_queries_json=mail))
    assert [each.name for each in document.api_list[0].optional_parameters] == ["email"]


def test_a_dialogue_becomes_history_and_the_last_words_of_its_user() -> None:
    turns = [
        {"role": "user", "content": "What is the price?"}, {"role": "agent", "content": "Sure."},
        {"role": "assistant", "content": '```[{"name": "Search", "arguments": {"q": "price"}}]```'},
        {"role": "tool", "content": "{'name': 'Price'}"},
    ]  # fmt: skip
    sample = {"query": turns, "tools": [{"name": "Price", "parameters": {"what": {"type": "str"}}}],
              "answers": [{"name": "Price", "arguments": {"what": "tea"}}]}  # fmt: skip
    asked = {**sample, "query": turns[:2]}
    _, (later, first) = read_hammer(files(hammer__apibank_l2_json=[sample, asked]))
    assert later.task.query == ""
    kinds = [type(each) for each in later.history]
    assert kinds == [Message, Message, Message, ToolResult]
    assert (first.task.query, first.history) == ("What is the price?", ())


def test_questions_find_their_answers_by_id() -> None:
    function = {
        "name": "rain",
        "description": "雨",
        "parameters": {
            "properties": {"city": {"type": "string", "enum": ["北京"]}},
            "required": ["city"],
        },
    }
    line = {
        "id": "q1",
        "question": "user: 你好\nsystem: 您好\nuser: 北京下雨吗\n",
        "function": [function],
        "time": "今天是星期五。",
    }
    empty: tuple[object, ...] = ()
    given = {
        "acebench__zh_normal_single_turn_single_function_json": (line,),
        "acebench__zh_normal_single_turn_single_function_answers_json": (
            {"id": "q1", "ground_truth": {"rain": {"city": "北京"}}},
        ),
        "acebench__zh_normal_similar_api_json": empty,
        "acebench__zh_normal_similar_api_answers_json": empty,
    }
    (document,), (task,) = read_chinese(files(**given))
    assert (task.task.query, len(task.history), task.instructions) == (
        "北京下雨吗",
        2,
        "今天是星期五。",
    )
    assert task.task.gold == (ApiCall("rain", {"city": "北京"}),)
    assert document.api_list[0].required_parameters[0].schema == {"enum": ["北京"]}
    lost = {**given, "acebench__zh_normal_single_turn_single_function_answers_json": empty}
    with pytest.raises(DataError, match="q1 has no possible answer"):
        read_chinese(files(**lost))


def test_nested_gold_names_fields_of_earlier_results_and_what_gathers_them_is_no_call() -> None:
    spec = {
        "name": "airport",
        "query_parameters": {"query": {"type": "string", "required": True}},
        "output_parameters": {"id": {}},
    }
    made = [{"name": "airport", "arguments": {"query": "Lee"}, "label": "var1"},
            {"name": "airport", "arguments": {"query": "$var1.id$"}, "label": "var2"},
            {"name": "var_result", "arguments": {"a": "$var2$"}}]  # fmt: skip
    data = [{"input": "Where?", "output": made}]
    (document,), (task,) = read_nestful(
        files(nestful__executable_data_json=data, nestful__executable_spec_json=[spec])
    )
    assert (task.task.kind, len(task.task.gold)) == ("nested", 2)
    assert [each.name for each in document.api_list[0].parameters] == ["query"]


def test_where_gold_names_tools_alone_arguments_are_unjudged() -> None:
    asked = {
        "query": "Track it.", "query_id": 7, "relevant APIs": [["Post", "Track"]],
        "api_list": [{"tool_name": "Post", "api_name": "Track", "required_parameters": [{"name": "id", "type": "NUMBER", "default": ""}]}],
    }  # fmt: skip
    none: list[object] = []
    (document,), (task,) = read_toolbench(
        files(
            toolbench__G1_query_json=[asked],
            toolbench__G2_query_json=none,
            toolbench__G3_query_json=none,
        )
    )
    assert (task.task.id, task.no_arguments) == ("G1-7", NO_ARGUMENTS)
    assert task.task.gold == (ApiCall("Post: Track"),)
    assert document.api_list[0].required_parameters[0].type == "number"
