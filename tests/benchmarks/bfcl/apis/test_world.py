"""The environment of a multi-turn entry: calls by name, no evaluation, state changes."""

from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.environment import (
    FORBIDDEN,
    ApiEnvironment,
    make_apis,
    make_environment,
    public_functions,
)
from dragoman.core.errors import DataError
from dragoman.core.tools import Change, ToolCall, Toolset, ToolSpec

CLASSES = (
    "GorillaFileSystem",
    "MathAPI",
    "MessageAPI",
    "TwitterAPI",
    "TicketAPI",
    "TradingBot",
    "TravelAPI",
    "VehicleControlAPI",
)
FILES = {
    "root": {"home": {"type": "directory", "contents": {"a": {"type": "file", "content": "x"}}}}
}


def call(name: str, *positionals: object, **arguments: object) -> ToolCall:
    return ToolCall("1", name, arguments, positionals=positionals)


def content(
    environment: ApiEnvironment, name: str, *positionals: object, **arguments: object
) -> str:
    return environment.call(call(name, *positionals, **arguments)).content


def test_a_call_is_answered_with_its_id_and_name() -> None:
    result = make_environment(["MathAPI"], {}).call(call("add", a=1, b=2))
    assert (result.call_id, result.name, result.content) == ("1", "add", '{"result": 3}')
    assert not result.error


def test_arguments_without_names_take_the_signature_s_order() -> None:
    environment = make_environment(["GorillaFileSystem"], {"GorillaFileSystem": FILES})
    assert content(environment, "cat", "a") == '{"file_content": "x"}'
    assert content(environment, "mv", "a", destination="b") == "{\"result\": \"'a' moved to 'b'\"}"


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (call("cd"), "GorillaFileSystem.cd() missing 1 required positional argument: 'folder'"),
        (call("ls", b=1), "GorillaFileSystem.ls() got an unexpected keyword argument 'b'"),
        (call("cd", folder=[]), "'list' object has no attribute 'rstrip'"),
        (call("_up"), "name '_up' is not defined"),
        (call("state"), "name 'state' is not defined"),
        (call("os.system", "x"), "name 'os' is not defined"),
        (call("os.popen", "x"), "Function call popen is not allowed."),
        (call("exit"), "Function call exit is not allowed."),
        (call("cat", file_name={"pwd": {}}), "name 'pwd' is not defined"),
        (
            ToolCall("1", "ls", {}, malformed="no JSON"),
            "the arguments could not be read: no JSON",
        ),
        (ToolCall("1", "ls", {}, by="user"), "name 'ls' is not defined"),
    ],
)
def test_what_cannot_be_executed_is_told_in_the_result(wrong: ToolCall, text: str) -> None:
    result = make_environment(["GorillaFileSystem"], {}).call(wrong)
    assert result.content == f"Error during execution: {text}"
    assert result.error


def test_refusals_are_results_with_an_error() -> None:
    result = make_environment(["GorillaFileSystem"], {}).call(call("cat", file_name="none"))
    assert result.content == '{"error": "cat: \'none\': No such file or directory"}'
    assert result.error


def test_text_in_arguments_is_text() -> None:
    environment = make_environment(["GorillaFileSystem"], {})
    text = "__import__('os').getcwd() sort('a')"
    assert text in content(environment, "echo", content=text)


def test_what_a_failing_call_changed_stays_changed() -> None:
    environment = make_environment(["VehicleControlAPI"], {})
    environment.call(call("lockDoors", unlock=True, door=["driver", "boot"]))
    doors: Any = environment.state()["VehicleControlAPI"]["doorStatus"]
    assert doors["driver"] == "unlocked"


def test_arguments_belong_to_their_caller() -> None:
    environment = make_environment(["TwitterAPI"], {"TwitterAPI": {"authenticated": True}})
    posted = call("post_tweet", content="x", mentions=["@a"])
    placed = call("post_tweet", "y", [], ["@a"])
    for post in (posted, placed):
        environment.call(post)
    for tweet in (0, 1):
        environment.call(call("mention", tweet_id=tweet, mentioned_usernames=["@b"]))
    assert posted.arguments["mentions"] == ["@a"]
    assert placed.positionals == ("y", [], ["@a"])


def test_every_function_of_the_classes_can_be_called_and_says_what_it_does() -> None:
    counts = {name: len(public_functions(name)) for name in CLASSES}
    assert list(counts.values()) == [18, 17, 10, 14, 9, 20, 18, 22]
    assert not FORBIDDEN.intersection(*(public_functions(name) for name in CLASSES))
    environment = make_environment(CLASSES, {})
    assert environment.kind("mkdir") == "write"
    assert environment.kind("ls") == "read"
    assert environment.kind("unknown") is None
    assert environment.owner(call("ls")) == "agent"
    assert environment.owner(call("unknown")) is None


def test_tools_are_the_agent_s() -> None:
    tools = Toolset((ToolSpec("ls", "List", {"type": "object"}),))
    environment = make_environment(["GorillaFileSystem"], {}, None, tools)
    assert environment.tools("agent") is tools
    assert len(environment.tools("user")) == 0


def test_what_is_not_involved_is_ignored_and_what_does_not_exist_refused() -> None:
    assert list(make_apis(["MathAPI"], {"TicketAPI": {}}, None)) == ["MathAPI"]
    with pytest.raises(DataError, match="unknown class 'Nothing'"):
        make_apis(["Nothing"], {}, None)
    with pytest.raises(DataError, match="configuration of MathAPI is not an object"):
        make_apis(["MathAPI"], {"MathAPI": []}, None)


def test_differences_from_the_start_are_told_by_class_and_attribute() -> None:
    environment = make_environment(
        ["GorillaFileSystem", "MessageAPI"], {"GorillaFileSystem": FILES}
    )
    assert environment.delta() == {}
    environment.call(call("message_login", user_id="USR002"))
    environment.call(call("touch", file_name="b"))
    assert environment.delta() == {
        ("GorillaFileSystem", "root"): b'{"home": {"a": "x", "b": ""}}',
        ("MessageAPI", "current_user"): b'"USR002"',
    }
    assert environment.changes() == (
        Change(("GorillaFileSystem", "root", "home", "b"), "add", ""),
        Change(("MessageAPI", "current_user"), "set", "USR002"),
    )
    environment.call(call("rm", file_name="b"))
    assert list(environment.delta()) == [("MessageAPI", "current_user")]


def test_equal_states_have_equal_differences() -> None:
    environments = [make_environment(["VehicleControlAPI"], {}) for _ in range(2)]
    for environment, amount in zip(environments, (5, 5.0), strict=True):
        environment.call(call("fillFuelTank", fuelAmount=amount))
    assert environments[0].delta() == environments[1].delta() != {}


def test_keys_that_look_alike_are_kept_apart() -> None:
    comments = {"0": [{"username": "ben", "content": "Ho"}]}
    tweets = {"0": {"id": 0, "username": "a", "content": "b", "tags": [], "mentions": []}}
    start = {"authenticated": True, "tweets": tweets, "comments": comments}
    environment = make_environment(["TwitterAPI"], {"TwitterAPI": start})
    environment.call(call("comment", tweet_id=0, comment_content="new"))
    assert environment.changes() == (
        Change(("TwitterAPI", "comments", "[0]"), "add", [{"username": "john", "content": "new"}]),
    )


def test_changes_are_taken_once() -> None:
    environment = make_environment(["MessageAPI"], {"MessageAPI": {"current_user": "USR001"}})
    environment.call(call("send_message", receiver_id="USR002", message="x"))
    assert [change.path[1:] for change in environment.take_changes()] == [
        ("generated_ids", 0),
        ("inbox", 3),
        ("message_count",),
    ]
    assert environment.take_changes() == ()
    environment.call(call("delete_message", receiver_id="USR002"))
    assert [change.path for change in environment.take_changes()] == [("MessageAPI", "inbox")]


def test_a_snapshot_stays_what_it_was() -> None:
    environment = make_environment(["MessageAPI"], {"MessageAPI": {"current_user": "USR001"}})
    environment.call(call("send_message", receiver_id="USR002", message="x"))
    before = environment.state()
    environment.call(call("send_message", receiver_id="USR002", message="y"))
    assert before["MessageAPI"]["message_count"] == 4
    inbox: Any = before["MessageAPI"]["inbox"]
    assert len(inbox) == 4
