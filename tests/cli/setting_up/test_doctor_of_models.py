"""`dragoman doctor --model`: its findings on servers that behave as local servers do."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

SECRET = "sk-3fa9d1c07b55ee"  # noqa: S105 - looked for in what is printed
USAGE = {"prompt_tokens": 40, "completion_tokens": 9}
WITH_TOOL = {"prompt_tokens": 110, "completion_tokens": 18}
WEATHER = {"content": "It is sunny in Lisbon."}


def called(
    arguments: object = '{"city": "Lisbon"}', name: str = "current_weather"
) -> dict[str, Any]:
    call = {
        "id": "abcDEF123",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    return {"content": None, "tool_calls": [call]}


class Server:
    """A server that answers well; a test replaces the part that it examines.

    Attributes:
        words: Message of a reply without tools on offer.
        call: Message of a reply with a tool on offer.
        after: Message after a tool's result.
        usage: Reported tokens with tools on offer.
        finish: Finish reason of a reply without tools.
        refuses: Function that returns status and body for a request's body, or None to answer it.
        pages: Bodies of GET by path, including a list of models.
        streams: Whether streams are streamed.
        wanted_key: Required value of `Authorization`; "" for any value.
        heads: Further headers of every answer.
    """

    def __init__(self) -> None:
        self.words: dict[str, Any] = WEATHER
        self.call: dict[str, Any] = called()
        self.after: dict[str, Any] = WEATHER
        self.usage: Mapping[str, int] = WITH_TOOL
        self.finish = "stop"
        self.refuses: Callable[[dict[str, Any]], tuple[int, object] | None] = lambda _: None
        self.completions = "/v1/chat/completions"
        self.pages: dict[str, object] = {"/v1/models": models("tiny")}
        self.missing: tuple[int, object] = (404, {"detail": "Not Found"})
        self.streams = True
        self.wanted_key = ""
        self.heads: dict[str, str] = {}
        self.asked: list[dict[str, Any]] = []

    def answer(self, path: str, key: str, body: bytes | None) -> tuple[int, object]:
        if self.wanted_key and key != f"Bearer {self.wanted_key}":
            return 401, {"error": {"message": f"Invalid key {key}", "code": "invalid_api_key"}}
        if body is None:
            return (200, self.pages[path]) if path in self.pages else self.missing
        if path != self.completions:
            return self.missing
        asked = json.loads(body)
        self.asked.append(asked)
        return self.refuses(asked) or (200, self.reply(asked))

    def reply(self, asked: dict[str, Any]) -> object:
        has_tools = "tools" in asked
        message = self.call if has_tools else self.words
        if asked["messages"][-1]["role"] == "tool":
            message = self.after
        usage = self.usage if has_tools else USAGE
        if asked.get("stream") and self.streams:
            return streamed(message, usage)
        finish = "stop" if has_tools else self.finish
        return completion(message, usage, finish)


def models(*names: str, owner: str = "vllm", **more: object) -> dict[str, Any]:
    entries = [{"id": name, "object": "model", "owned_by": owner, **more} for name in names]
    return {"object": "list", "data": entries}


def completion(message: dict[str, Any], usage: object, finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}


def streamed(message: dict[str, Any], usage: object) -> bytes:
    words = str(message.get("content") or "").split(" ")
    deltas = [{"delta": {"content": f"{word} "}, "index": 0} for word in words]
    chunks: list[object] = [{"choices": [each]} for each in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return ("".join(lines) + "data: [DONE]\n\n").encode()


@contextmanager
def serving(server: Server) -> Iterator[str]:
    """Serve on this machine; gives the address without a path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.give(*server.answer(self.path, self.headers.get("Authorization", ""), None))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.give(*server.answer(self.path, self.headers.get("Authorization", ""), body))

        def give(self, status: int, answer: object) -> None:
            is_raw = isinstance(answer, bytes)
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response_only(status)
            is_stream = is_raw and body.startswith(b"data:")
            kind = (
                "text/event-stream" if is_stream else "text/html" if is_raw else "application/json"
            )
            heads = {"Content-Type": kind, "Content-Length": str(len(body)), **server.heads}
            for name, value in heads.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


class Found:
    """The findings of one call, by subject."""

    def __init__(self, printed: dict[str, Any]) -> None:
        self.by_subject = {each["subject"]: each for each in printed["findings"]}

    def cause(self, subject: str) -> str:
        return str(self.by_subject[subject]["cause"])

    def todo(self, subject: str) -> str:
        return str(self.by_subject[subject]["todo"])

    def text(self, subject: str) -> str:
        return str(self.by_subject[subject]["found"])

    @property
    def states(self) -> dict[str, str]:
        return {name: each["state"] for name, each in self.by_subject.items()}

    @property
    def causes(self) -> dict[str, str]:
        return {name: each["cause"] for name, each in self.by_subject.items() if each["cause"]}


Examined = Callable[..., Found]


@pytest.fixture
def examined(run_json: RunJson) -> Examined:
    """Return a function that serves the model `tiny`, examines it, and returns findings."""

    def call(
        server: Server,
        *,
        status: int,
        model: str = "compatible/tiny",
        path: str = "/v1",
        query: str = "",
        **more: str,
    ) -> Found:
        with serving(server) as origin:
            name = f"{model}?base_url={origin}{path}{query}"
            return Found(
                run_json("doctor", "--model", name, "--timeout", "20", status=status, **more)
            )

    return call


def test_a_server_that_does_everything_is_ok_in_everything(examined: Examined) -> None:
    server = Server()
    server.pages["/v1/models"] = models("tiny", "other", max_model_len=200_000)

    found = examined(server, status=0)

    wanted = {"server", "name", "words", "tool call", "tool result", "stream", "context"}
    assert {*found.states} >= wanted
    assert {*found.states.values()} == {"ok"}
    assert found.causes == {}
    assert found.text("server").endswith(", vLLM")
    assert found.text("tool call").startswith('current_weather({"city":"Lisbon"})')


def test_replies_are_bounded_unless_the_name_of_the_model_says_how(examined: Examined) -> None:
    usual, reported = Server(), Server()

    examined(usual, status=0)
    examined(reported, status=0, query="&max_tokens=33")

    assert {each["max_tokens"] for each in usual.asked} == {512}
    assert {each["max_tokens"] for each in reported.asked} == {33}


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "current_weather", "arguments": {"city": "Lisbon"}}\n</tool_call>',
        '{"name": "current_weather", "parameters": {"city": "Lisbon"}}',
        '[TOOL_CALLS]current_weather{"city": "Lisbon"}',
        '<|python_tag|>current_weather.call(city="Lisbon")\ncurrent_weather(city="Lisbon")',
        "<function=current_weather><parameter=city>Lisbon</parameter></function>",
        '[current_weather(city="Lisbon")]',
        'commentary to=functions.current_weather <|message|>{"city": "Lisbon"}',
        '```json\n{"tool": "current_weather", "city": "Lisbon"}\n```',
    ],
)
def test_a_call_that_stands_in_the_words_says_that_the_tool_parser_is_off(
    examined: Examined, text: str
) -> None:
    server = Server()
    server.call = {"content": text}

    found = examined(server, status=1)

    assert (found.states["words"], found.states["tool call"]) == ("ok", "wrong")
    assert found.cause("tool call") == "tool_parser_off"
    assert "--enable-auto-tool-choice --tool-call-parser" in found.todo("tool call")
    assert "?calls=python" in found.todo("tool call")


def test_words_about_the_tool_are_no_call(examined: Examined) -> None:
    server = Server()
    server.call = {"content": "I could use the current_weather tool, and I would rather not."}

    assert examined(server, status=1).cause("tool call") == "no_call"


@pytest.mark.parametrize(
    ("owner", "message", "todo"),
    [
        (
            "vllm",
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            "--tool-call-parser",
        ),
        ("library", "library/tiny does not support tools", "ollama show"),
        ("llamacpp", "tools param requires --jinja flag", "--jinja"),
        ("sglang", "Function calling is not supported for this model", "--tool-call-parser"),
    ],
)
def test_a_refusal_of_tools_says_how_that_server_takes_them(
    examined: Examined, owner: str, message: str, todo: str
) -> None:
    server = Server()
    server.pages["/v1/models"] = models("tiny", owner=owner)
    server.refuses = lambda asked: (
        (400, {"error": {"message": message, "code": 400}}) if "tools" in asked else None
    )

    found = examined(server, status=1)

    assert found.cause("tool call") == "tools_refused"
    assert message in found.text("tool call")
    assert todo in found.todo("tool call")
    assert found.states["words"] == "ok"
    assert found.states["stream"] == "ok"


def test_a_server_that_leaves_tools_out_of_the_prompt_is_found_by_its_own_count(
    examined: Examined,
) -> None:
    server = Server()
    server.call, server.usage = WEATHER, {"prompt_tokens": 41, "completion_tokens": 9}

    found = examined(server, status=1)

    assert found.cause("tool call") == "tools_left_out"
    assert "41 tokens with it, 40 without" in found.text("tool call")


def test_a_model_that_is_not_there_is_told_with_the_models_that_are(examined: Examined) -> None:
    server = Server()
    server.pages["/v1/models"] = models("other", "tiny-instruct")
    missing = {"error": {"message": "The model `tiny` does not exist.", "code": 404}}
    server.refuses = lambda _: (404, missing)

    found = examined(server, status=1)

    assert found.causes == {
        "name": "no_such_model",
        "words": "no_such_model",
        "tool call": "not_asked",
        "stream": "not_asked",
    }
    assert found.todo("name") == "take one that it lists: tiny-instruct, other"
    assert len(server.asked) == 1


def test_a_server_that_answers_under_any_name_says_which_one_it_has(examined: Examined) -> None:
    server = Server()
    server.pages["/v1/models"] = models("served")

    found = examined(server, status=0)

    assert (found.states["name"], found.cause("name")) == ("missing", "not_listed")
    assert "served" in found.todo("name")


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("", (404, b"404 page not found")),
        ("", (200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"})),
        ("", (200, b"<!doctype html><title>chat</title>")),
        ("/api", (405, {"detail": "Method Not Allowed"})),
    ],
)
def test_a_wrong_address_is_told_with_the_right_one(
    examined: Examined, path: str, missing: tuple[int, object]
) -> None:
    server = Server()
    server.missing = missing

    found = examined(server, status=1, path=path)

    assert found.cause("server") == "wrong_address"
    assert found.todo("server").startswith("base_url=http://127.0.0.1:")
    assert found.todo("server").endswith("/v1")


def test_a_wrong_address_without_a_right_one_near_is_told_as_such(examined: Examined) -> None:
    server = Server()
    server.pages, server.completions = {}, "/elsewhere"

    found = examined(server, status=1)

    assert found.cause("server") == "wrong_address"
    assert "http://HOST:PORT/v1" in found.todo("server")


def test_an_address_that_points_elsewhere_is_not_followed(examined: Examined) -> None:
    server = Server()
    server.heads = {"Location": "http://127.0.0.1:9/v1/chat/completions"}
    server.refuses = lambda _: (307, {})

    assert examined(server, status=1).cause("server") == "wrong_address"


def test_a_key_that_is_wanted_is_asked_for_by_name(examined: Examined) -> None:
    server = Server()
    server.wanted_key = SECRET

    found = examined(server, status=1)

    assert found.cause("key") == "key_missing"
    assert found.todo("key") == "export COMPATIBLE_API_KEY=..."


def test_a_key_that_is_refused_is_named_and_no_part_of_it_shown(dragoman: Cli) -> None:
    server = Server()
    server.wanted_key = "another-key-of-the-server"

    with serving(server) as origin:
        name = f"compatible/tiny?base_url={origin}/v1&key_env=MINE"
        done = dragoman("doctor", "--model", name, "--json", MINE=SECRET)

    found = Found(json.loads(done.stdout))
    assert done.returncode == 1
    assert found.cause("key") == "key_refused"
    assert "MINE" in found.todo("key")
    assert SECRET not in done.stdout + done.stderr


def test_a_key_that_is_taken_is_sent_and_not_shown_where_a_reply_repeats_it(dragoman: Cli) -> None:
    server = Server()
    server.wanted_key, server.words = SECRET, {"content": f"Your key is {SECRET}."}

    with serving(server) as origin:
        name = f"compatible/tiny?base_url={origin}/v1"
        done = dragoman("doctor", "--model", name, COMPATIBLE_API_KEY=SECRET)

    assert done.returncode == 0, done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_a_provider_that_needs_a_key_is_not_asked_without_one(run_json: RunJson) -> None:
    found = Found(run_json("doctor", "--model", "openai/gpt-4.1-mini", status=1, OPENAI_API_KEY=""))

    assert found.causes == {"key": "key_missing"}
    assert found.todo("key") == "export OPENAI_API_KEY=..."


def test_nothing_at_the_address_says_how_that_server_is_started(run_json: RunJson) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    name = f"ollama/qwen3?base_url=http://127.0.0.1:{port}/v1"

    found = Found(run_json("doctor", "--model", name, status=1))

    assert found.cause("server") == "no_connection"
    assert found.todo("server").startswith("ollama serve")
    assert found.states == {
        "server": "wrong",
        "words": "wrong",
        "tool call": "wrong",
        "stream": "missing",
    }


def test_a_server_that_is_silent_is_given_up_and_asked_nothing_more(run_json: RunJson) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        name = f"compatible/tiny?base_url=http://127.0.0.1:{held.getsockname()[1]}/v1"
        found = Found(run_json("doctor", "--model", name, "--timeout", "0.2", status=1))

    assert found.cause("words") == "timeout"
    assert "--timeout" in found.todo("words")
    assert found.cause("tool call") == "not_asked"


def test_a_model_that_is_being_loaded_is_waited_for_by_the_person(examined: Examined) -> None:
    server = Server()
    server.refuses = lambda _: (503, {"error": {"message": "Loading model", "code": 503}})

    found = examined(server, status=1)

    assert found.cause("server") == "loading"
    assert "Loading model" in found.text("server")


@pytest.mark.parametrize(
    ("message", "state", "cause"),
    [
        ({"content": "<think>Easy.</think>It is sunny."}, "missing", "reasoning_in_words"),
        ({"content": "Easy.\n</think>\n\nIt is sunny."}, "missing", "reasoning_in_words"),
        ({"content": "<|channel|>final<|message|>Sunny."}, "missing", "reasoning_in_words"),
        ({"content": "Sunny.", "reasoning_content": "Easy."}, "ok", ""),
        ({"content": "Sunny.", "reasoning": "Easy."}, "ok", ""),
    ],
)
def test_where_reasoning_stands_is_said(
    examined: Examined, message: dict[str, Any], state: str, cause: str
) -> None:
    server = Server()
    server.words = message

    found = examined(server, status=0)

    assert (found.states["reasoning"], found.cause("reasoning")) == (state, cause)
    assert ("--reasoning-parser" in found.todo("reasoning")) is bool(cause)


def test_a_model_that_reasons_until_the_limit_is_told_how_to_write_more(examined: Examined) -> None:
    server = Server()
    server.words, server.finish = {"content": "", "reasoning_content": "Hm. " * 99}, "length"

    found = examined(server, status=1)

    assert found.cause("words") == "reasoning_only"
    assert "max_tokens=" in found.todo("words")
    assert found.states["tool call"] == "ok"


@pytest.mark.parametrize(
    ("content", "finish", "cause"),
    [
        ("Once upon a time " * 99, "length", "endless"),
        ("Hello<|im_end|>\n<|im_start|>user\nHello", "length", "template_marks"),
        ("It is sunny.</s>", "stop", "template_marks"),
    ],
)
def test_a_model_that_is_no_chat_model_shows_itself(
    examined: Examined, content: str, finish: str, cause: str
) -> None:
    server = Server()
    server.words, server.finish = {"content": content}, finish

    assert examined(server, status=0).causes["words"] == cause


def test_an_empty_reply_is_no_words(examined: Examined) -> None:
    server = Server()
    server.words = {"content": " "}

    assert examined(server, status=1).cause("words") == "empty"


def test_a_call_where_no_tool_was_on_offer_is_no_words(examined: Examined) -> None:
    server = Server()
    server.words = called()

    assert examined(server, status=1).cause("words") == "call_unasked"


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (called('{"city": '), "bad_arguments"),
        (called("{}"), "bad_arguments"),
        (called("[]"), "bad_arguments"),
        (called(name="weather"), "unknown_tool"),
        ({"content": "I do not know."}, "no_call"),
        ({"content": None}, "no_call"),
    ],
)
def test_a_call_that_cannot_be_used_does_not_pass(
    examined: Examined, message: dict[str, Any], cause: str
) -> None:
    server = Server()
    server.call = message

    assert examined(server, status=1).cause("tool call") == cause


def test_a_server_that_refuses_the_result_of_a_call_does_not_pass(examined: Examined) -> None:
    server = Server()
    server.refuses = lambda asked: (
        (400, {"error": {"message": "roles must alternate"}})
        if asked["messages"][-1]["role"] == "tool"
        else None
    )

    found = examined(server, status=1)

    assert found.states["tool call"] == "ok"
    assert found.cause("tool result") == "result_refused"
    assert "roles must alternate" in found.text("tool result")


def test_a_server_without_streams_can_be_done_with(examined: Examined) -> None:
    whole, refusing, broken = Server(), Server(), Server()
    whole.streams = False
    refusing.refuses = lambda asked: (500, {"error": "no streams"}) if "stream" in asked else None
    broken.refuses = lambda asked: (500, {"error": "it broke"}) if "stream" in asked else None

    assert examined(whole, status=0).cause("stream") == "whole_answer"
    assert examined(refusing, status=0).cause("stream") == "whole_answer"
    assert examined(broken, status=0).cause("stream") == "refused"


@pytest.mark.parametrize(
    ("owner", "heads", "pages", "said"),
    [
        ("vllm", {}, {"/v1/models": models("tiny", max_model_len=4096)}, "4,096 tokens"),
        (
            "llamacpp",
            {"Server": "llama.cpp"},
            {"/props": {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4}},
            "2,048 tokens",
        ),
        (
            "library",
            {},
            {"/api/ps": {"models": [{"name": "tiny:latest", "context_length": 4096}]}},
            "4,096 tokens",
        ),
        (
            "organization_owner",
            {},
            {
                "/api/v0/models": {
                    "data": [
                        {"id": "tiny", "max_context_length": 99_999, "loaded_context_length": 8000}
                    ]
                }
            },
            "8,000 tokens",
        ),
        (
            "organization_owner",
            {},
            {
                "/api/v1/models": {
                    "models": [
                        {
                            "key": "tiny",
                            "max_context_length": 99_999,
                            "loaded_instances": [
                                {"id": "tiny", "config": {"context_length": 4095}}
                            ],
                        }
                    ]
                }
            },
            "4,095 tokens",
        ),
    ],
)
def test_a_context_that_is_too_small_is_told_with_the_suites_that_miss_it(
    examined: Examined, owner: str, heads: dict[str, str], pages: dict[str, object], said: str
) -> None:
    server = Server()
    server.heads, server.pages = heads, {"/v1/models": models("tiny", owner=owner), **pages}

    found = examined(server, status=0)

    assert found.cause("context") == "small_context"
    assert found.text("context").startswith(f"{said}, too few for ")
    assert "tau2" in found.text("context")
    assert "local_models.md" in found.todo("context")


def test_a_seed_that_is_refused_is_told_with_the_way_to_leave_it_out(examined: Examined) -> None:
    server = Server()
    refusal = {"error": {"message": "seed is not supported", "param": "seed"}}
    server.refuses = lambda asked: (400, refusal) if "seed" in asked else None

    assert examined(server, status=1).todo("words") == "add seed=off to the model's parameters"
    assert examined(server, status=0, query="&seed=off").states["words"] == "ok"


@pytest.mark.parametrize(
    "listed",
    [
        {"data": None},
        {"data": [None, 3, {"id": None}, {"id": 4}, {"owned_by": {"a": 1}}]},
        {"data": [{"id": "\x1b[2J\u202etiny", "max_model_len": "many"}]},
        {"data": [{"id": "tiny", "max_model_len": -1, "meta": [1]}]},
        {"data": [{"id": "x" * 10_000} for _ in range(300)]},
        [1, 2],
        b"{",
        b"[" * 100_000,
    ],
)
def test_whatever_a_list_of_models_holds_nothing_breaks_and_nothing_acts_on_the_terminal(
    dragoman: Cli, listed: object
) -> None:
    server = Server()
    server.pages["/v1/models"] = listed

    with serving(server) as origin:
        done = dragoman("doctor", "--model", f"compatible/tiny?base_url={origin}/v1")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "\x1b[2J" not in done.stdout
    assert len(done.stdout) < 6_000


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"null",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": "three"}]}',
        b'{"error": null}',
        b'{"error": {"message": ["a"]}}',
        b"\xff\xfe",
        b"data: {\n\n",
        b"[" * 100_000,
    ],
)
def test_an_answer_that_is_no_completion_is_told_as_one_line(
    examined: Examined, answer: bytes
) -> None:
    server = Server()
    server.refuses = lambda _: (200, answer)

    found = examined(server, status=1)

    assert found.cause("words") == "not_a_completion"
    assert "\n" not in found.text("words")
    assert len(found.text("words")) < 300


def test_several_equal_endpoints_are_each_asked(run_json: RunJson) -> None:
    good, bad = Server(), Server()
    bad.call = {"content": "No."}

    with serving(good) as first, serving(bad) as second:
        name = f"compatible/tiny?base_url={first}/v1|{second}/v1"
        found = Found(run_json("doctor", "--model", name, status=1))

    assert found.states[f"tool call at {first}/v1"] == "ok"
    assert found.states[f"tool call at {second}/v1"] == "wrong"


@pytest.mark.parametrize(
    "name", ["gold", "local/folder", "scripted/file.json", "http://127.0.0.1:9/agent", "nope/model"]
)
def test_what_has_no_endpoint_is_refused_in_one_line(refused: Refused, name: str) -> None:
    assert "doctor" not in refused("doctor", "--model", name, status=2)


def test_options_of_calls_in_text_are_no_parameters_of_the_endpoint(examined: Examined) -> None:
    assert examined(Server(), status=0, query="&calls=python").states["words"] == "ok"


def test_people_read_what_to_do_below_and_what_is_asked_on_stderr(dragoman: Cli) -> None:
    server = Server()
    server.call = {"content": '{"name": "current_weather", "arguments": {}}'}

    with serving(server) as origin:
        name = f"vllm/tiny?base_url={origin}/v1"
        usual = dragoman("doctor", "--model", name, COLUMNS="80")
        quiet = dragoman("doctor", "--model", name, "--quiet", COLUMNS="80")

    lines = usual.stdout.splitlines()
    assert lines[-1] == "wrong: tool call"
    assert "To do" in lines
    assert "asking for a tool call" in usual.stderr.splitlines()
    assert quiet.stderr == ""
    assert quiet.stdout.splitlines()[-1] == "wrong: tool call"
