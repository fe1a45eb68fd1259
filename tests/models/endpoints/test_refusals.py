"""A refusal is read for whose doing it is, in the words of common servers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.endpoints.error_responses import (
    find_error,
    is_request_error,
    parse_error_response,
)

CONTEXT = [
    {"detail": "Prompt length 5000 is greater than max_seq_len 4096"},
    {"error": {"message": "ContextWindowExceededError: prompt too big"}},
    {
        "error": {
            "message": "Request prompt has 5000 tokens, larger than the model input length limit"
        }
    },
    {
        "error": {
            "message": "the number of input tokens 5000 cannot exceed the total tokens limit 4096"
        }
    },
    {"error": {"code": "1261", "message": "Prompt 超长"}},
    {"error": {"message": "Number of prompt tokens: 5000 exceeds model max length: 4096"}},
    {"error": {"message": "input_len (5000) exceeds session_len (4096)"}},
    {"error": {"message": "Exceeded limit on max input tokens: 4096"}},
    {"error": {"message": "Conversation too long. Token limit: 8192, tokens: 9000"}},
    {"code": 1261, "msg": "Prompt exceeds max length", "success": False},
    {
        "choices": None,
        "base_resp": {"status_code": 2013, "status_msg": "context window exceeds limit"},
    },
    {"error": {"code": "context_length_exceeded", "message": "too long"}},
    {
        "error": {
            "message": "request (5012 tokens) exceeds the available context size (4096 tokens)"
        }
    },
    {"error": {"type": "exceed_context_size_error", "message": "no"}},
    [
        {
            "error": {
                "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
            }
        }
    ],
    {
        "object": "error",
        "message": "This model's maximum context length is 4096 tokens. However, you requested 5000",
    },
    {
        "object": "error",
        "message": "The decoder prompt (length 5012) is longer than the maximum model length of 4096.",
    },
    {"message": "The input (5012 tokens) is longer than the model's context length (4096 tokens)."},
    {
        "message": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"
    },
    {
        "error": "The number of tokens to keep from the initial prompt is greater than the context length"
    },
    {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}},
    {"message": "Input is too long for requested model."},
    {"error": {"message": "Your request exceeded model token limit: 8192"}},
    {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens"},
    {"error": {"message": "Range of input length should be [1, 129024]"}},
    {"message": "too many tokens: size limit exceeded by 500 tokens"},
    {"error": {"message": "prompt token count of 130000 exceeds the limit of 128000"}},
    {
        "error": {
            "message": "This model's maximum prompt length is 131072 but the request contains 140000 tokens."
        }
    },
    {
        "detail": [
            {"type": "value_error", "msg": "Requested tokens (5016) exceed context window of 512"}
        ]
    },
]
FAILED_CALLS = [
    {
        "error": {
            "code": "tool_use_failed",
            "message": "Failed to call a function.",
            "failed_generation": "<function=x>",
        }
    },
    {"error": {"message": "error parsing tool call: raw='{' err=unexpected end of JSON input"}},
    {
        "error": {
            "message": "Tool call validation failed: attempted to call tool 'x' which was not in request.tools"
        }
    },
    {"error": {"code": "output_parse_failed", "message": "Parsing failed."}},
    {"error": {"message": "Failed to parse input at pos 57: <|channel|>"}},
    {"error": {"message": "unexpected tokens remaining in message header: Some(...)"}},
    {"error": {"code": "json_validate_failed", "message": "Failed to generate JSON."}},
]
NEITHER = [
    {"error": {"message": "the input parameter temperature cannot exceed 2"}},
    {"error": {"message": "Daily token limit exceeded: input tokens exceed your quota"}},
    {"error": {"message": "model overloaded"}},
    {
        "error": {
            "message": "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000"
        }
    },
    {
        "error": {
            "message": "max_tokens is too large: 100000. This model supports at most 16384 completion tokens"
        }
    },
    {"error": {"message": "Failed to parse tool call arguments as JSON"}},
    {"error": {"message": "Invalid API key"}},
    {"error": {"message": "The model `x` does not exist"}},
    {"error": {"message": "Unterminated string starting at: line 1 column 19 (char 18)"}},
    {"error": {"message": "internal server error"}},
]


@pytest.mark.parametrize("body", CONTEXT)
def test_a_conversation_that_is_too_long_is_told_in_many_words(body: object) -> None:
    reason = parse_error_response(json.dumps(body).encode())
    assert (reason.is_context, reason.is_failed_call) == (True, False)
    assert reason.message


@pytest.mark.parametrize("body", FAILED_CALLS)
def test_a_call_that_the_server_could_not_read_is_the_models(body: object) -> None:
    content = json.dumps(body).encode()
    assert (
        parse_error_response(content).is_context,
        parse_error_response(content).is_failed_call,
    ) == (False, True)
    assert is_request_error(content)


@pytest.mark.parametrize("body", NEITHER)
def test_any_other_error_is_neither(body: object) -> None:
    reason = parse_error_response(json.dumps(body).encode())
    assert (reason.is_context, reason.is_failed_call) == (False, False)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (
            "Conversation roles must alternate user/assistant/user/assistant/...",
            "wants_alternating_roles",
        ),
        (
            "After the optional system message, conversation roles must alternate",
            "wants_alternating_roles",
        ),
        ("System role not supported", "refuses_system"),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", "refuses_system"),
        (
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "wants_reasoning",
        ),
        (
            "thinking is enabled but reasoning_content is missing in assistant tool call message",
            "wants_reasoning",
        ),
        ("property 'messages.2.assistant.reasoning_content' is unsupported", "refuses_reasoning"),
        ("Extra inputs are not permitted, field: 'messages[8].reasoning'", "refuses_reasoning"),
        ("messages: text content blocks must be non-empty", "refuses_empty"),
        ("Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9.", "refuses_ids"),
        ("`tool_use` ids must be unique", "refuses_ids"),
        ('first message must use the "user" role', "wants_alternating_roles"),
        ("Expected first message to have role user but got assistant", "wants_alternating_roles"),
        ('messages: Unexpected role "system"', "refuses_system"),
        ("messages[5]: assistant message must include reasoning_content", "wants_reasoning"),
        ("Extra inputs are not permitted: thought_signature", "refuses_reasoning"),
        ("'content' field must be a string or an array of objects", "refuses_null"),
        ("content: Input should be a valid string", "refuses_null"),
        ("function_response.name: Name is not there", "wants_names"),
        ("'name' is required for messages with role 'tool'", "wants_names"),
    ],
)
def test_a_refusal_of_our_history_says_what_it_asks_for(message: str, asked: str) -> None:
    reason = parse_error_response(json.dumps({"error": {"message": message}}).encode())
    questions = (
        *(
            "wants_alternating_roles",
            "refuses_system",
            "wants_reasoning",
            "refuses_empty",
            "refuses_ids",
            "refuses_null",
            "wants_names",
        ),
        *(("refuses_reasoning",) if asked == "refuses_reasoning" else ()),
    )
    assert [name for name in questions if getattr(reason, name)] == [asked]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"Bad gateway\n  today", "Bad gateway today"),
        (b'{"error": "no"}', "no"),
        (b'{"error": {"message": "no", "param": "seed"}}', "no"),
        (
            b'{"detail": [{"loc": ["body"], "msg": "Extra inputs are not permitted"}]}',
            "Extra inputs are not permitted",
        ),
        (b'{"message": {"detail": [{"msg": "no"}]}}', "no"),
        (b'[{"error": {"message": "no"}}]', "no"),
        (b'{"errors": ["no", "never"]}', "no; never"),
    ],
)
def test_the_message_is_found_in_any_shape(body: bytes, message: str) -> None:
    assert parse_error_response(body).message == message


def test_a_good_answer_holds_no_error() -> None:
    assert find_error(b'{"choices": [], "error": null}') is None
    assert find_error(b'{"choices": [') is None
    found = find_error(b'{"error": {"message": "overloaded", "code": 529}}')
    assert found is not None
    assert found.message == "overloaded"


@given(
    st.binary(max_size=80)
    | st.recursive(
        st.text(max_size=9) | st.none(),
        lambda each: (
            st.lists(each)
            | st.dictionaries(st.sampled_from(["error", "message", "detail", "code"]), each)
        ),
    ).map(lambda each: json.dumps(each).encode())
)
def test_any_body_is_a_reason_within_bounds(body: bytes) -> None:
    reason = parse_error_response(body)
    assert len(reason.message) <= 300
    assert "\n" not in reason.message


@pytest.mark.parametrize(
    "body",
    [
        [{"error": {"code": 503, "message": "it died"}}],
        {"object": "error", "message": "it died"},
        {"detail": "it died"},
        {"message": "it died", "success": False},
        {"code": 1234, "msg": "it died", "success": False},
        {"choices": None, "base_resp": {"status_code": 1000, "status_msg": "it died"}},
        {"choices": [{"message": {"content": ""}, "error": {"message": "it died"}}]},
    ],
)
def test_an_error_in_a_good_answer_is_found_in_every_shape(body: object) -> None:
    assert find_error(json.dumps(body).encode()) is not None


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "Hello."}}], "error": None},
        {"choices": [{"message": {"content": "Hello."}}], "code": 0, "message": "success"},
        {"type": "ping"},
        [],
        "error",
    ],
)
def test_what_is_no_error_is_not_taken_for_one(body: object) -> None:
    assert find_error(json.dumps(body).encode()) is None
