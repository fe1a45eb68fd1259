"""Parser of realtime model names: `openai-realtime/MODEL?parameter=value`, parsed strictly."""

import difflib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.models.catalog import ParameterType, Provider, matches_type, require_base_url
from dragoman.models.model_spec import (
    EXTRA,
    key_variable,
    parse_base_url,
    parse_parameters,
    parse_value,
    require_no_credentials,
)
from dragoman.models.prices import PRICE, parse_price
from dragoman.models.realtime_protocol import FORMAT

SCHEMES = ("ws", "wss", "http", "https")
AUDIO, TEXT = "audio", "text"
_ADDRESSES = ("base_url", "key_env")
_RESERVED = frozenset(
    {"audio", "instructions", "model", "output_modalities", "tool_choice", "tools", "type"}
)


class RealtimeCatalog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of realtime providers."""

    parameters: dict[str, ParameterType]
    providers: dict[str, Provider]


class RealtimeSpec(msgspec.Struct, frozen=True):
    """One realtime model with the settings of its sessions.

    Attributes:
        written: The original text, which distinguishes agents.
        name: `provider/name`, as in prices and ledgers.
        provider: The provider's entry in the catalog, with address and key variable.
        model: The model's name at the provider.
        base_url: The given address, or "".
        key_env: The environment variable of the key, from the parameters or the provider.
        settings: The settings, by the names that users write.
    """

    written: str
    name: str
    provider: Provider
    model: str
    base_url: str
    key_env: str
    settings: dict[str, object]

    @property
    def identity(self) -> str:
        """Content hash of everything that can change an answer; it does not contain a key."""
        return content_key("realtime-1", self.name, self.base_url, self.settings)

    @property
    def interrupted_after(self) -> float | None:
        """Seconds of a spoken reply after which the caller interrupts; None for never."""
        seconds = self.settings.get("max_reply_s")
        return float(seconds) if isinstance(seconds, int | float) else None

    def session(self) -> dict[str, object]:
        """Return the settings of a session other than instructions and tools."""
        given = dict(self.settings)
        given.pop("max_reply_s", None)
        output: dict[str, object] = {"format": FORMAT}
        output |= {name: given.pop(name) for name in ("voice", "speed") if name in given}
        session: dict[str, object] = {
            "output_modalities": [given.pop("output", AUDIO)],
            "audio": {"input": {"format": FORMAT, "turn_detection": None}, "output": output},
        }
        if (effort := given.pop("reasoning_effort", None)) is not None:
            session["reasoning"] = {"effort": effort}
        return session | {name.removeprefix(EXTRA): value for name, value in given.items()}


def is_realtime(written: str) -> bool:
    """Return whether a name is the name of a realtime model."""
    return written.partition("?")[0].partition("/")[0] in load_realtime_catalog().providers


def parse_realtime_spec(written: str) -> RealtimeSpec:
    """Parse a realtime model name.

    Raises:
        UsageError: For a parameter that does not exist or does not fit, or a missing model.
    """
    require_no_credentials(written)
    name, _, query = written.partition("?")
    provider_name, _, model = name.partition("/")
    if not model:
        raise UsageError(f"{written!r} names no model: write {provider_name}/MODEL")
    provider = load_realtime_catalog().providers[provider_name]
    given = dict(parse_parameters(query, written))
    if (price := given.pop(PRICE, None)) is not None:
        parse_price(price, written)
    addresses = {key: given.pop(key, "") for key in _ADDRESSES}
    base_url = addresses["base_url"] and websocket_address(addresses["base_url"], "base_url")
    return RealtimeSpec(
        written=written,
        name=name,
        provider=provider,
        model=model,
        base_url=base_url,
        key_env=key_variable(addresses["key_env"], base_url, provider),
        settings=_settings(given, written),
    )


def websocket_address(url: str, what: str) -> str:
    """Return a WebSocket address; an HTTP address becomes that of the same server.

    Raises:
        UsageError: If the text is not an address.
    """
    require_base_url(address := parse_base_url(url, what, SCHEMES), what)
    scheme, _, rest = address.partition("://")
    return f"{scheme.lower().replace('http', 'ws')}://{rest}"


@cache
def load_realtime_catalog() -> RealtimeCatalog:
    """Return the shipped table."""
    content = (files("dragoman.models") / "realtime_providers.toml").read_bytes()
    return msgspec.toml.decode(content, type=RealtimeCatalog)


def _settings(given: Mapping[str, str], written: str) -> dict[str, object]:
    settings = {name: _setting(name, text, written) for name, text in given.items()}
    if settings.get("output", AUDIO) not in {AUDIO, TEXT}:
        raise UsageError(f"{written}: output is {AUDIO} or {TEXT}, not {settings['output']!r}")
    seconds = settings.get("max_reply_s", 1)
    if isinstance(seconds, int | float) and seconds <= 0:
        raise UsageError(f"{written}: max_reply_s is above 0: leave it out for no limit")
    return settings


def _setting(name: str, text: str, written: str) -> object:
    value = parse_value(text)
    if name.startswith(EXTRA) and len(name) > len(EXTRA):
        if name.removeprefix(EXTRA) in _RESERVED:
            raise UsageError(f"{written}: {name}: that part of a session is not to be set")
        return value
    parameters = load_realtime_catalog().parameters
    if name not in parameters:
        near = difflib.get_close_matches(name, [*parameters, *_ADDRESSES], 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"{written}: unknown parameter {name!r}: {hint}{EXTRA}{name}=... sends it as it is"
        )
    if parameters[name] == "string":
        return text
    if not matches_type(value, parameters[name]):
        raise UsageError(f"{written}: {name} is of type {parameters[name]}, not {text!r}")
    return value
