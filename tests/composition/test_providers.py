"""Addresses and keys come from the environment, and no key is ever shown."""

import pytest

from dragoman.core.errors import UsageError
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.providers import addresses_of, describe_providers, key_of

KEY = "sk-2718281828459045"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "VLLM_API_KEY", "MINE"):
        monkeypatch.delenv(name, raising=False)


def test_a_provider_has_its_address() -> None:
    assert addresses_of(parse_model_spec("openai/gpt-4.1")) == (
        "https://api.openai.com/v1/chat/completions",
    )


def test_another_address_comes_from_the_name_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1/")
    assert addresses_of(parse_model_spec("openai/m")) == ("http://localhost:1/v1/chat/completions",)
    named = parse_model_spec("openai/m?base_url=http://localhost:2/v1")
    assert addresses_of(named) == ("http://localhost:2/v1/chat/completions",)


def test_several_equal_endpoints_have_an_address_each() -> None:
    named = parse_model_spec("compatible/m?base_url=http://localhost:1/v1|http://localhost:2/v1/")
    assert addresses_of(named) == (
        "http://localhost:1/v1/chat/completions",
        "http://localhost:2/v1/chat/completions",
    )
    with pytest.raises(UsageError, match="base_url is an address"):
        parse_model_spec("compatible/m?base_url=http://localhost:1/v1|elsewhere")
    with pytest.raises(UsageError, match="a router of its own"):
        addresses_of(parse_model_spec("litellm/a/b?base_url=http://localhost:1|http://localhost:2"))


def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{KEY}@localhost:1/v1")
    with pytest.raises(UsageError, match="OPENAI_BASE_URL holds credentials") as caught:
        addresses_of(parse_model_spec("openai/m"))
    assert KEY not in str(caught.value)
    with pytest.raises(UsageError, match=r"where is it\? Add \?base_url="):
        addresses_of(parse_model_spec("compatible/m"))


def test_litellm_is_told_the_provider_or_the_address() -> None:
    assert addresses_of(parse_model_spec("litellm/gemini/flash")) == ("litellm:gemini",)
    named = parse_model_spec("litellm/openai/m?base_url=http://localhost:2/v1")
    assert addresses_of(named) == ("litellm:http://localhost:2/v1",)


def test_a_key_comes_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    assert key_of(parse_model_spec("openai/m")) == KEY
    assert key_of(parse_model_spec("vllm/m")) == ""


def test_a_key_stays_with_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert key_of(parse_model_spec("openai/m?base_url=http://localhost:1/v1")) == ""
    named = "openai/m?base_url=http://localhost:1/v1&key_env=OPENAI_API_KEY"
    assert key_of(parse_model_spec(named)) == KEY


@pytest.mark.parametrize(
    ("written", "variable"),
    [("openai/m", "OPENAI_API_KEY"), ("vllm/m?key_env=MINE", "MINE")],
)
def test_a_key_that_is_missing_is_told(written: str, variable: str) -> None:
    with pytest.raises(UsageError, match=f"needs a key: set {variable} in the environment"):
        key_of(parse_model_spec(written))


@pytest.mark.parametrize("value", ["sk-a\r\nX: y", "schlüssel-123", "sk-\udcff"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds a character") as caught:
        key_of(parse_model_spec("openai/m"))
    assert value not in str(caught.value)


def test_providers_are_listed_with_whether_their_key_is_set_and_never_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = describe_providers()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    after = describe_providers()
    assert before["openai/MODEL"].endswith("key in OPENAI_API_KEY (not set)")
    assert after["openai/MODEL"].endswith("key in OPENAI_API_KEY (set)")
    assert before["vllm/MODEL"].endswith("no key needed; VLLM_API_KEY is not set")
    assert KEY not in "".join(after.values())
