"""Parser of model names with parameters (temperature, seed): `provider/name?parameter=value`."""

import difflib
import re
from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from dragoman.core.chat_messages import PartForm, part_form
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.models.catalog import (
    HTTP_SCHEMES,
    Provider,
    ProviderCatalog,
    load_provider_catalog,
    matches_type,
    model_server_base,
    require_base_url,
    suggest_model_name,
)
from dragoman.models.history_format import HistoryFormat
from dragoman.models.prices import PRICE, parse_price
from dragoman.models.response_audio import FORMATS

EXTRA = "extra."
"""Prefix of parameters that the table does not list and that are sent unchanged."""

HEARS = "hears"
"""The parameter for whether a model accepts audio: on, off, or a form of the table."""

EQUAL = "|"
"""Separator between the addresses of endpoints that serve the same model."""

HTTP = ("http", "https")

_SWITCHES = ("seed", "stream", "schema")
_ADDRESSES = ("base_url", "key_env")
_RESERVED = frozenset(
    {
        "messages",
        "model",
        "response_format",
        "seed",
        "stream",
        "stream_options",
        "tool_choice",
        "tools",
    }
)


class ModelSpec(msgspec.Struct, frozen=True):
    """One model with everything that is sent with its calls.

    Attributes:
        written: The original text, which distinguishes agents.
        name: `provider/name`, as in prices and ledgers.
        provider: The provider's entry in the catalog.
        model: The model's name at the provider.
        base_url: The given address, or "". The addresses of several equal endpoints are separated
            by a bar.
        key_env: The environment variable of the key, from the parameters or the provider.
        settings: Parameters of every call.
        audio: The form in which the model accepts audio in messages; None for a model without audio
            input.
        history: The form in which the model accepts histories.
    """

    written: str
    name: str
    provider: Provider
    model: str
    base_url: str
    key_env: str
    settings: dict[str, object]
    seeds: bool
    streams: bool
    schemas: bool
    audio: PartForm | None = None
    history: HistoryFormat = HistoryFormat()

    @property
    def identity(self) -> str:
        """Content hash of everything that can change an answer; it does not contain a key."""
        return content_key(
            "model-1",
            self.name,
            self.base_url,
            self.settings,
            self.seeds,
            self.streams,
            self.schemas,
        )


def parse_model_spec(written: str) -> ModelSpec:
    """Parse a model name.

    Raises:
        UsageError: For a provider or parameter that does not exist or does not fit.
    """
    facts = load_provider_catalog()
    require_no_credentials(written)
    require_no_address(written)
    require_no_agent_name(written)
    name, _, query = written.partition("?")
    provider_name, _, model = name.partition("/")
    if provider_name not in facts.providers:
        raise UsageError(
            f"unknown model provider {provider_name!r} in {written!r}: choose "
            f"{', '.join(sorted(facts.providers))}, scripted or local"
        )
    if not model:
        raise UsageError(f"{written!r} names no model: write {provider_name}/MODEL")
    provider, family = facts.providers[provider_name], facts.family(name)
    given = dict(parse_parameters(query, written))
    switches = {
        key: parse_switch(given.pop(key), key, written) for key in _SWITCHES if key in given
    }
    addresses = {key: given.pop(key, "") for key in _ADDRESSES}
    base_url = EQUAL.join(
        parse_base_url(url, "base_url") for url in addresses["base_url"].split(EQUAL) if url
    )
    if (price := given.pop(PRICE, None)) is not None:
        parse_price(price, written)
    for url in filter(None, base_url.split(EQUAL)):
        require_base_url(url, "base_url")
    hears = given.pop(HEARS, "on" if facts.hears(name) else "off")
    seeds = provider.seeds and family.seeds
    if switches.get("seed") and not seeds:
        raise UsageError(f"{written}: {name} takes no seed: leave seed=on out")
    return ModelSpec(
        written=written,
        name=name,
        provider=provider,
        model=model,
        base_url=base_url,
        key_env=key_variable(addresses["key_env"], base_url, provider),
        settings=_settings(given, name, facts),
        seeds=switches.get("seed", seeds),
        streams=switches.get("stream", False),
        schemas=switches.get("schema", provider.schemas),
        audio=_audio(hears, written, provider, facts),
        history=family.history or provider.history,
    )


def _audio(hears: str, written: str, provider: Provider, facts: ProviderCatalog) -> PartForm | None:
    """Return the form in which a model accepts audio; None if it accepts none."""
    if hears == "off":
        return None
    name = provider.audio if hears == "on" else hears
    if name not in facts.audio:
        raise UsageError(
            f"{written}: {HEARS} is on, off, or how it takes audio "
            f"({', '.join(facts.audio)}), not {hears!r}"
        )
    return part_form(facts.audio[name])


def with_default_parameter(spec: ModelSpec, name: str, value: object) -> ModelSpec:
    """Return a model with a parameter set, unless it is given or the model does not accept it."""
    refused = {*load_provider_catalog().family(spec.name).refuses, *spec.provider.refuses}
    if name in spec.settings or name in refused:
        return spec
    return msgspec.structs.replace(spec, settings={**spec.settings, name: value})


def parse_parameters(query: str, written: str) -> list[tuple[str, str]]:
    """Return the parameters after a name's question mark; each may occur once.

    Raises:
        UsageError: If the text does not consist of parameters, or one occurs twice.
    """
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise UsageError(f"{written}: write parameters as ?name=value&name=value") from error
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UsageError(f"{written}: {twice} is given twice")
    return pairs


def parse_switch(text: str, name: str, written: str) -> bool:
    """Return the value of a switch.

    Raises:
        UsageError: If the text is neither on nor off.
    """
    if text not in {"on", "off"}:
        raise UsageError(f"{written}: {name} is on or off, not {text!r}")
    return text == "on"


def parse_base_url(url: str, what: str, schemes: Collection[str] = HTTP) -> str:
    """Return an address that paths can be added to.

    Args:
        url: The address.
        what: The setting's name in messages.
        schemes: Accepted schemes; error messages show the first one.

    Raises:
        UsageError: If the text is not an address; the error does not repeat it, because it may hold
            credentials.
    """
    none = UsageError(f"{what} is an address: write {next(iter(schemes))}://HOST:PORT/v1")
    try:
        parts = urlsplit(url)
        is_possible = parts.port != 0 and not {" ", EQUAL} & set(url)
    except ValueError:
        raise none from None
    if not is_possible or parts.scheme not in schemes or not parts.hostname:
        raise none
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(f"{what} holds credentials or a query: leave them out")
    return url.rstrip("/")


def require_no_credentials(written: str) -> None:
    """Refuse a name with content that must not appear in any message.

    Raises:
        UsageError: For a key, even in place of its variable, or for characters that are not text.
    """
    if not written.isprintable():
        raise UsageError("a model's name holds characters that cannot be printed")
    if _KEY.search(unquote(written)):
        raise UsageError(
            "a key is never part of a model's name, which is stored: set it in the environment, "
            "and name the variable with key_env=NAME"
        )
    given = parse_qsl(written.partition("?")[2])
    if any(name == "key_env" and not value.isidentifier() for name, value in given):
        raise UsageError("key_env names a variable of the environment: the key itself stays in it")


def require_no_address(written: str) -> None:
    """Refuse an address in the place of a model.

    Raises:
        UsageError: With the correct form.
    """
    address = f"http://{written}" if _HOST_AND_PORT.match(written) else written
    if address.lower().startswith(HTTP_SCHEMES):
        url = parse_base_url(address.partition("?")[0], "a model")
        meant = suggest_model_name(model_server_base(url) or url)
        raise UsageError(f"{url} is an address, not a model: write {meant}")


def require_no_agent_name(written: str) -> None:
    """Refuse an agent's name before a model that is not an agent.

    Raises:
        UsageError: If the text begins with a name.
    """
    name, equals, _ = re.split(r"[/?]", written, maxsplit=1)[0].partition("=")
    if equals:
        raise UsageError(f"{name:.80}=: only an agent is given a name: leave {name:.80}= out")


def holds_secret(query: str) -> bool:
    """Return whether a parameter of an address has a name that is typical of secrets."""
    return any(_SECRET.search(name) for name, _ in parse_qsl(query, keep_blank_values=True))


_HOST_AND_PORT = re.compile(r"[^/?=]+:\d+(?:[/?]|$)")
_KEY = re.compile(
    r"[?&](?:extra\.)?(?:api[-_]?key|key|(?:access|auth)?[-_]?token|authorization|secret|password)="
    r"|://[^/]*@",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"(?:key|token|secret|password|passwd|pwd|auth|authorization|credentials?|sig|signature)$",
    re.IGNORECASE,
)


def key_variable(given: str, base_url: str, provider: Provider) -> str:
    """Return the variable of the key; a provider's own key is sent only to its own address."""
    return given or ("" if base_url and provider.needs_key else provider.key_env)


def _settings(given: Mapping[str, str], model: str, facts: ProviderCatalog) -> dict[str, object]:
    for name in given:
        if f"{EXTRA}{name}" in given:
            raise UsageError(f"{model}: {name} is given twice, once with {EXTRA}")
    return {name: _setting(name, text, model, facts) for name, text in given.items()}


def _setting(name: str, text: str, model: str, facts: ProviderCatalog) -> object:
    value = parse_value(text)
    if name.startswith(EXTRA) and len(name) > len(EXTRA):
        if name.removeprefix(EXTRA) in _RESERVED:
            raise UsageError(f"{model}: {name}: that part of a request is not to be set")
        return value
    if name not in facts.parameters:
        known = [*facts.parameters, *_SWITCHES, HEARS, PRICE, *_ADDRESSES]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"{model}: unknown parameter {name!r}: {hint}{EXTRA}{name}=... sends it as it is"
        )
    _require_accepted_parameter(name, model, facts)
    kind = facts.parameters[name]
    if not matches_type(value, kind):
        raise UsageError(f"{model}: {name} is of type {kind}, not {text!r}")
    if isinstance(value, dict) and value.get("format") not in FORMATS:
        raise UsageError(f"{model}: {name} has a format that is read: {' or '.join(FORMATS)}")
    return value


def _require_accepted_parameter(name: str, model: str, facts: ProviderCatalog) -> None:
    family = facts.family(model)
    provider = facts.providers[model.partition("/")[0]]
    if name in {*family.refuses, *provider.refuses}:
        instead = family.instead.get(name)
        hint = f"use {instead}" if instead else "leave it out"
        raise UsageError(f"{model} does not take {name}: {hint}")


def parse_value(text: str) -> object:
    """Return the value of a parameter's text.

    It is the text's JSON value, or the text itself if it is not JSON.
    """
    try:
        return msgspec.json.decode(text)
    except DECODING_ERRORS:
        return text


def sent_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters under the names in the request."""
    return {name.removeprefix(EXTRA): value for name, value in settings.items()}
