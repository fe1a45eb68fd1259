"""A model as a person writes it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import UsageError
from dragoman.models.catalog import load_provider_catalog
from dragoman.models.model_spec import (
    parse_base_url,
    parse_model_spec,
    sent_settings,
    with_default_parameter,
)

SECRET = "sk-2718281828459045"  # noqa: S105 - no secret outside this test


def test_a_name_alone_takes_everything_from_the_provider() -> None:
    spec = parse_model_spec("openai/gpt-4.1-mini")
    assert (spec.name, spec.model, spec.key_env) == (
        "openai/gpt-4.1-mini",
        "gpt-4.1-mini",
        "OPENAI_API_KEY",
    )
    assert (spec.settings, spec.base_url, spec.seeds, spec.streams) == ({}, "", True, False)


def test_a_model_may_have_slashes_and_colons() -> None:
    assert parse_model_spec("openrouter/meta/llama-3.1:free").model == "meta/llama-3.1:free"


def test_parameters_have_their_types() -> None:
    spec = parse_model_spec(
        "vllm/qwen?temperature=0&top_p=0.9&max_tokens=512&parallel_tool_calls=false&extra.top_k=5"
        "&extra.stop=a%26b&reasoning_effort=low"
    )
    assert sent_settings(spec.settings) == {
        "temperature": 0,
        "top_p": 0.9,
        "max_tokens": 512,
        "parallel_tool_calls": False,
        "top_k": 5,
        "stop": "a&b",
        "reasoning_effort": "low",
    }


def test_switches_and_addresses_are_no_parameters() -> None:
    spec = parse_model_spec(
        "compatible/m?base_url=http://localhost:9/v1/&key_env=MINE&seed=off&stream=on&schema=off"
    )
    assert (spec.base_url, spec.key_env) == ("http://localhost:9/v1", "MINE")
    assert (spec.seeds, spec.streams, spec.schemas, spec.settings) == (False, True, False, {})


def test_a_providers_key_is_not_for_another_address() -> None:
    assert parse_model_spec("openai/m?base_url=http://localhost:9/v1").key_env == ""
    assert parse_model_spec("vllm/m?base_url=http://localhost:9/v1").key_env == "VLLM_API_KEY"
    given = parse_model_spec("openai/m?base_url=http://localhost:9/v1&key_env=OPENAI_API_KEY")
    assert given.key_env == "OPENAI_API_KEY"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("gpt-4", "unknown model provider 'gpt-4' in 'gpt-4': choose anthropic, "),
        ("opneai/x", "unknown model provider 'opneai'"),
        ("openai/", "'openai/' names no model: write openai/MODEL"),
        ("openai/x?temperature", r"write parameters as \?name=value&name=value"),
        ("openai/x?temperature=0&temperature=1", "temperature is given twice"),
        ("vllm/x?top_p=1&extra.top_p=0", "top_p is given twice, once with extra."),
        ("vllm/x?temprature=0", "unknown parameter 'temprature': did you mean 'temperature'"),
        ("vllm/x?top_k=5", r"unknown parameter 'top_k': .*extra\.top_k=\.\.\."),
        ("vllm/x?=5", "unknown parameter ''"),
        ("vllm/x?extra.=5", "unknown parameter 'extra.'"),
        ("vllm/x?temperature=hot", "temperature is of type number, not 'hot'"),
        ("vllm/x?temperature=", "temperature is of type number, not ''"),
        ("vllm/x?temperature=true", "temperature is of type number, not 'true'"),
        ("vllm/x?temperature=NaN", "temperature is of type number, not 'NaN'"),
        ("vllm/x?temperature=1e999", "temperature is of type number, not '1e999'"),
        ("vllm/x?max_tokens=1.5", "max_tokens is of type integer, not '1.5'"),
        ("vllm/x?parallel_tool_calls=1", "parallel_tool_calls is of type boolean, not '1'"),
        ("vllm/x?seed=7", "seed is on or off, not '7'"),
        ("vllm/x?extra.messages=[]", "extra.messages: that part of a request is not to be set"),
        ("vllm/x?extra.tool_choice=none", "that part of a request is not to be set"),
        ("vllm/x?key_env=A B", "key_env names a variable of the environment"),
        ("openai/o3?temperature=0", "openai/o3 does not take temperature: leave it out"),
        ("openai/o3?max_tokens=9", "openai/o3 does not take max_tokens: use max_completion_tokens"),
        ("openai/o3?seed=on", "openai/o3 takes no seed: leave seed=on out"),
        ("anthropic/c?reasoning_effort=low", "does not take reasoning_effort: leave it out"),
        ("openai/x\nmore", "characters that cannot be printed"),
        ("openai/x\udcff", "characters that cannot be printed"),
    ],
)
def test_a_mistake_is_told(written: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        parse_model_spec(written)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host",
        "http://",
        "http://[::1",
        "http://host:99999",
        "http://host:0",
        "http://a b",
        "//host",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="base_url is an address: write http://HOST:PORT/v1"):
        parse_base_url(url, "base_url")


@pytest.mark.parametrize(
    "written",
    [
        f"compatible/m?base_url=http://me:{SECRET}@host/v1",
        f"compatible/m?base_url=http://{SECRET}@host/v1",
        f"compatible/m?base_url=http%3A%2F%2F{SECRET}%40host/v1",
        f"compatible/m?base_url=http://host/v1?api-key={SECRET}",
        f"compatible/m?seed=7&base_url=http://{SECRET}@host/v1",
        f"openai/m?api_key={SECRET}",
        f"openai/m?extra.api_key={SECRET}",
        f"openai/m?temperature=0&Authorization={SECRET}",
        f"openai/m?access_token={SECRET}",
        f"openai/m?extra.password={SECRET}",
        f"openai/m?key_env={SECRET}!",
        f"nobody/m?key_env=sk-{SECRET}",
        f"openai/m?key_env=A%26{SECRET}",
    ],
)
def test_a_key_in_a_name_is_refused_and_not_repeated(written: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model_spec(written)
    assert SECRET not in str(caught.value)


def test_what_can_change_an_answer_is_the_identity_and_the_key_is_not() -> None:
    base = "compatible/m?base_url=http://h:1/v1"
    same = [base, f"{base}/", f"{base}&key_env=OTHER"]
    assert len({parse_model_spec(written).identity for written in same}) == 1
    others = ["temperature=0", "temperature=1", "seed=off", "stream=on", "schema=off", "extra.a=1"]
    changed = [f"{base}&{other}" for other in others] + ["compatible/m?base_url=http://h:2/v1"]
    assert (
        len({parse_model_spec(written).identity for written in [base, *changed]})
        == len(changed) + 1
    )


NAMES = sorted(
    {*load_provider_catalog().parameters, "seed", "base_url", "key_env", "extra.x", "extra.", "?"}
)
QUERY = st.lists(st.tuples(st.sampled_from(NAMES), st.text(max_size=12)), max_size=3).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)
)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.text(max_size=30)
    | st.text(max_size=20).map("openai/".__add__)
    | QUERY.map("vllm/m?".__add__)
    | st.text(max_size=20).map("vllm/m?base_url=http://".__add__)
)
def test_any_text_is_a_model_or_a_mistake_in_one_line(written: str) -> None:
    try:
        spec = parse_model_spec(written)
    except UsageError as error:
        said = str(error)
    else:
        said = spec.identity
    assert said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("written", "temperature"),
    [("openai/gpt-4.1", 0), ("openai/gpt-4.1?temperature=0.7", 0.7), ("openai/o3", None)],
)
def test_a_default_is_set_where_none_is_given_and_the_model_takes_it(
    written: str, temperature: float | None
) -> None:
    assert with_default_parameter(parse_model_spec(written), "temperature", 0).settings.get(
        "temperature"
    ) == (temperature)
