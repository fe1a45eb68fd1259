"""Proxies and secrets as the environment names them."""

import base64
import os

import pytest

from dragoman.config.environment import (
    disable_litellm_network,
    key_values,
    proxy_for,
    redact_environment,
)
from dragoman.core.errors import UsageError


@pytest.fixture(autouse=True)
def proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def test_no_proxy_is_named() -> None:
    assert proxy_for("https://host/v1") is None


def test_a_proxy_is_named_for_a_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    assert proxy_for("https://host/v1") == "http://proxy:3128"
    assert proxy_for("http://host/v1") is None


def test_websockets_have_the_proxies_of_their_schemes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    assert proxy_for("wss://host/v1") == "http://proxy:3128"
    assert proxy_for("ws://host/v1") is None
    monkeypatch.setenv("http_proxy", "http://plain:3128")
    assert proxy_for("ws://host/v1") == "http://plain:3128"
    assert proxy_for("wss://localhost/v1") is None


def test_some_hosts_are_reached_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_for("http://inside.example/v1") is None
    assert proxy_for("http://outside.example/v1") == "http://proxy:3128"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "127.9.9.9", "[::1]:8000"])
def test_this_machine_is_never_reached_by_a_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    assert proxy_for(f"http://{host}/v1") is None


@pytest.mark.parametrize(
    "proxy",
    [
        *("proxy:3128", "socks5://me:hidden@proxy:1080"),
        *("http://", "http://me:hidden@", "http://me:hidden@proxy:99999", "http://[::hidden"),
    ],
)
def test_what_is_no_http_proxy_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(UsageError, match="http_proxy names no HTTP proxy") as caught:
        proxy_for("http://host/v1")
    assert "hidden" not in str(caught.value)


def test_whatever_is_named_like_a_key_is_kept_out_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "aaa")
    monkeypatch.setenv("hf_token", "bbb")
    monkeypatch.setenv("SOME_KEYBOARD", "ccc")
    assert {"aaa", "bbb"} <= set(key_values())
    assert "ccc" not in key_values()


def test_what_a_proxy_is_told_is_kept_out_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://me:open%2Fsesame-1001@proxy:8080")
    reported = base64.b64encode(b"me:open/sesame-1001").decode()
    said = redact_environment(
        f"407 by http://me:open%2Fsesame-1001@proxy: Basic {reported}, open/sesame-1001"
    )
    assert "sesame" not in said
    assert reported[:20] not in said
    assert said.startswith("407 by http://***@proxy: Basic ***")


def test_litellm_is_told_to_stay_off_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITELLM_LOCAL_MODEL_COST_MAP", raising=False)
    disable_litellm_network()
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
