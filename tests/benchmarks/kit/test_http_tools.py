from dragoman.benchmarks.kit.http_tools import (
    ApiRequest,
    HttpEndpoint,
    HttpEnvironment,
    Response,
    build_request,
    endpoint_tools,
)
from dragoman.benchmarks.kit.tool_schemas import compile_validators
from dragoman.core.tools import Change, ToolCall

NAMED: dict[str, object] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "loud": {"type": "boolean"}},
    "required": ["name"],
}
GREET = HttpEndpoint("greet", "Greets.", "GET", "http://a.example/{name}", NAMED)
CALL = HttpEndpoint("call", "Calls somebody.", "PUT", "http://a.example/{name}", NAMED)
ENDPOINTS = {"greet": GREET, "call": CALL}
TOOLS = endpoint_tools((GREET, CALL))


def environment(*answers: Response) -> HttpEnvironment:
    left = iter(answers)
    return HttpEnvironment(ENDPOINTS, TOOLS, compile_validators(TOOLS), lambda _: next(left))


def test_arguments_go_into_the_address_then_the_query_or_the_body() -> None:
    arguments = {"name": "a/b ü", "loud": True}
    assert build_request(GREET, arguments) == ApiRequest(
        "GET", "http://a.example/a%2Fb%20%C3%BC?loud=True"
    )
    assert build_request(GREET, {"name": "x"}) == ApiRequest("GET", "http://a.example/x")
    assert build_request(CALL, {"name": "..", "loud": True}) == ApiRequest(
        "PUT", "http://a.example/..", {"loud": True}
    )


def test_a_failing_status_is_an_error_and_the_body_is_told_as_it_is() -> None:
    here = environment(Response(200, ["hi"]), Response(404))
    reported = here.call(ToolCall("1", "greet", {"name": "Ann"}))
    assert (reported.content, reported.error) == ('{"body":["hi"],"status":200}', False)
    reported = here.call(ToolCall("2", "greet", {"name": "Bob"}))
    assert (reported.content, reported.error) == ('{"body":null,"status":404}', True)


def test_what_is_no_call_of_an_endpoint_sends_nothing() -> None:
    here = environment()
    for call, why in (
        (ToolCall("1", "call", {"loud": True}), "missing required field `name`"),
        (ToolCall("1", "hang_up", {}), "no endpoint 'hang_up'"),
        (ToolCall("1", "call", {"name": "Ann"}, by="user"), "no endpoint 'call'"),
        (ToolCall("1", "call", {}, malformed="no JSON"), "could not be read: no JSON"),
    ):
        reported = here.call(call)
        assert reported.error
        assert why in reported.content
    assert here.sent == []


def test_the_state_is_what_was_sent_beside_reading() -> None:
    here = environment(Response(200), Response(500), Response(200))
    for name in ("greet", "call", "call"):
        here.call(ToolCall("1", name, {"name": "Ann"}))
    sent = {"method": "PUT", "url": "http://a.example/Ann", "body": {}}
    assert here.take_changes() == (
        Change(("requests", 0), "add", sent),
        Change(("requests", 1), "add", sent),
    )
    assert here.take_changes() == ()
    assert list(here.delta()) == [("requests", "0"), ("requests", "1")]
    assert (here.kind("greet"), here.kind("call"), here.kind("x")) == ("read", "write", None)
