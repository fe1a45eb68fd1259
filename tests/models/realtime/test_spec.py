"""A realtime model as a person writes it."""

import pytest

from dragoman.core.errors import UsageError
from dragoman.models.realtime_spec import parse_realtime_spec

NAME = "openai-realtime/gpt-realtime"


def refusal(written: str) -> str:
    with pytest.raises(UsageError) as caught:
        parse_realtime_spec(written)
    (line,) = str(caught.value).splitlines()
    return line


def test_what_is_set_is_a_part_of_the_session_in_the_protocols_place() -> None:
    spec = parse_realtime_spec(
        f"{NAME}?voice=marin&speed=1.2&output=audio&max_output_tokens=50&reasoning_effort=low"
        "&max_reply_s=20&extra.truncation=disabled"
    )
    assert spec.interrupted_after == 20.0
    pcm = {"type": "audio/pcm", "rate": 24_000}
    assert spec.session() == {
        "output_modalities": ["audio"],
        "audio": {
            "input": {"format": pcm, "turn_detection": None},
            "output": {"format": pcm, "voice": "marin", "speed": 1.2},
        },
        "max_output_tokens": 50,
        "reasoning": {"effort": "low"},
        "truncation": "disabled",
    }


def test_what_can_change_an_answer_is_part_of_the_identity() -> None:
    written = ("", "?voice=marin", "?max_reply_s=20", "?base_url=ws://127.0.0.1:9/v1")
    assert len({parse_realtime_spec(NAME + each).identity for each in written}) == len(written)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("ws://host:9/v1", "ws://host:9/v1"),
        ("wss://host/v1/", "wss://host/v1"),
        ("http://host:9/v1", "ws://host:9/v1"),
        ("https://host/http/v1", "wss://host/http/v1"),
        ("HTTPS://host/v1", "wss://host/v1"),
    ],
)
def test_an_address_of_http_is_that_of_the_same_server(given: str, meant: str) -> None:
    assert parse_realtime_spec(f"compatible-realtime/any?base_url={given}").base_url == meant


def test_a_providers_key_is_not_for_another_address() -> None:
    assert parse_realtime_spec(NAME).key_env == "OPENAI_API_KEY"
    assert parse_realtime_spec(f"{NAME}?base_url=ws://127.0.0.1:9/v1").key_env == ""


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("openai-realtime", "names no model: write openai-realtime/MODEL"),
        (f"{NAME}?voise=marin", "unknown parameter 'voise': did you mean 'voice'? extra.voise=..."),
        (f"{NAME}?turns=2", "unknown parameter 'turns': extra.turns=... sends it as it is"),
        (f"{NAME}?speed=fast", "speed is of type number, not 'fast'"),
        (f"{NAME}?max_output_tokens=1.5", "max_output_tokens is of type integer, not '1.5'"),
        (f"{NAME}?output=video", "output is audio or text, not 'video'"),
        (f"{NAME}?max_reply_s=0", "max_reply_s is above 0: leave it out for no limit"),
        (f"{NAME}?extra.audio=1", "extra.audio: that part of a session is not to be set"),
        (f"{NAME}?extra.=1", "unknown parameter 'extra.'"),
        (f"{NAME}?base_url=ftp://host/v1", "base_url is an address: write ws://HOST:PORT/v1"),
        (f"{NAME}?base_url=ws://me:hidden@host/v1", "a key is never part of a model's name"),
        (f"{NAME}?base_url=ws://host/v1%3Fa=b", "base_url holds credentials or a query"),
    ],
)
def test_what_cannot_be_meant_is_one_line(written: str, why: str) -> None:
    line = refusal(written)
    assert why in line
    assert "hidden" not in line
