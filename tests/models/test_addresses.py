"""Addresses of model servers in places where they are not allowed."""

import pytest

from dragoman.core.errors import UsageError
from dragoman.models.catalog import model_server_base, suggest_model_name
from dragoman.models.model_spec import parse_model_spec
from dragoman.models.realtime_spec import parse_realtime_spec
from dragoman.registry.providers import addresses_of
from dragoman.speech.specs import parse_recognizer

HOST = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("/v1", "/v1"),
        ("/v1/", "/v1"),
        ("/v1?version=2", "/v1"),
        ("/openai/v1", "/openai/v1"),
        ("/v1/chat/completions", "/v1"),
        ("/v1/chat/completions/", "/v1"),
        ("/chat/completions", ""),
        ("/v1beta/openai/chat/completions", "/v1beta/openai"),
        ("/v1/completions", "/v1"),
        ("/v1/responses", "/v1"),
        ("/v1/messages", "/v1"),
        ("/v1/models", "/v1"),
        ("/api/chat", "/v1"),
        ("/api/generate", "/v1"),
    ],
)
def test_an_address_of_a_model_server_tells_its_base(address: str, base: str) -> None:
    assert model_server_base(HOST + address) == HOST + base


@pytest.mark.parametrize(
    "address", ["", "/", "/agent", "/v1/agent", "/v2", "/reply?to=/v1", "/completions", "/chat"]
)
def test_any_other_address_may_be_an_agents(address: str) -> None:
    assert model_server_base(HOST + address) == ""


@pytest.mark.parametrize(
    ("base", "written"),
    [
        (f"{HOST}/v1", f"compatible/MODEL?base_url={HOST}/v1"),
        ("http://[::1]:8000/v1", "compatible/MODEL?base_url=http://[::1]:8000/v1"),
        ("http://h/a&b/v1", "compatible/MODEL?base_url=http://h/a%26b/v1"),
        ("https://api.openai.com/v1", "openai/MODEL"),
    ],
)
def test_a_model_is_written_by_its_base(base: str, written: str) -> None:
    assert suggest_model_name(base) == written


@pytest.mark.parametrize(
    "written", [f"{HOST}/v1", f"{HOST}/v1/chat/completions", "127.0.0.1:8000/v1"]
)
def test_an_address_in_the_place_of_a_model_tells_the_right_form(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_model_spec(written)
    assert str(refused.value).endswith(f"write compatible/MODEL?base_url={HOST}/v1")


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/completions", "/v1/responses", "/api/chat", "/v1/models"]
)
def test_a_base_url_that_holds_what_is_added_tells_the_right_one(path: str) -> None:
    with pytest.raises(UsageError, match=f"write base_url={HOST}/v1$"):
        parse_model_spec(f"compatible/m?base_url={HOST}{path}")


def test_every_equal_endpoint_is_looked_at() -> None:
    with pytest.raises(UsageError, match=r"write base_url=http://b/v1$"):
        parse_model_spec("compatible/m?base_url=http://a/v1|http://b/v1/chat/completions")


def test_realtime_and_speech_have_the_same_rule() -> None:
    with pytest.raises(UsageError, match=f"write base_url={HOST}/v1$"):
        parse_realtime_spec(f"openai-realtime/m?base_url={HOST}/v1/realtime")
    with pytest.raises(UsageError, match=f"write base_url={HOST}/v1$"):
        parse_recognizer(f"compatible/m?base_url={HOST}/v1/audio/transcriptions")


def test_an_address_of_the_environment_has_the_same_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{HOST}/v1/chat/completions")
    with pytest.raises(UsageError, match=f"write OPENAI_BASE_URL={HOST}/v1$"):
        addresses_of(parse_model_spec("openai/m"))


@pytest.mark.parametrize("written", ["v2=openai/m", "v2=compatible/m?base_url=http://h/v1"])
def test_only_an_agent_has_a_name(written: str) -> None:
    with pytest.raises(UsageError, match=r"^v2=: only an agent is given a name: leave v2= out$"):
        parse_model_spec(written)
    with pytest.raises(UsageError, match=r"^v2=: only an agent is given a name: leave v2= out$"):
        parse_recognizer(written)
