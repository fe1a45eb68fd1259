"""Addresses and API keys of model providers; keys come from the environment only."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from dragoman.config.environment import environment_variable, header_variable
from dragoman.core.errors import UsageError
from dragoman.models.catalog import LITELLM, Provider, load_provider_catalog, require_base_url
from dragoman.models.model_spec import EQUAL, ModelSpec, parse_base_url
from dragoman.models.realtime_spec import RealtimeSpec
from dragoman.speech.specs import SpeechSpec

COMPLETIONS = "/chat/completions"
EMBEDDINGS = "/embeddings"


def addresses_of(spec: ModelSpec, path: str = COMPLETIONS) -> tuple[str, ...]:
    """Return the addresses of a model's calls; several addresses give the same answers.

    Raises:
        UsageError: If the model has no address.
    """
    if spec.provider.url.startswith(LITELLM):
        if EQUAL in spec.base_url:
            raise UsageError(f"{spec.written}: litellm spreads calls by a router of its own")
        return (LITELLM + (spec.base_url or asked_as(spec).partition("/")[0]),)
    return tuple(f"{base}{path}" for base in base_address_of(spec).split(EQUAL))


def origin_of(url: str) -> str:
    """Return the part of an address by which the limits of an endpoint are set."""
    return url if url.startswith(LITELLM) else "{0.scheme}://{0.netloc}".format(urlsplit(url))


def limited_as(model: str, urls: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a model's calls in `--rate` and `--batch`.

    They are the name of its provider, and its addresses.
    """
    return (model.partition("/")[0], *map(origin_of, urls))


def asked_as(spec: ModelSpec) -> str:
    """Return the model's name in requests; litellm needs the provider before it."""
    prefix = spec.provider.url.removeprefix(LITELLM)
    is_named = spec.provider.url.startswith(LITELLM) and prefix
    return f"{prefix}/{spec.model}" if is_named else spec.model


def base_address_of(spec: ModelSpec | SpeechSpec | RealtimeSpec) -> str:
    """Return the address to which the paths of a protocol are added.

    Raises:
        UsageError: If the address is missing.
    """
    url = spec.base_url or _own_address(spec.provider)
    if not url:
        joint = "&" if "?" in spec.written else "?"
        raise UsageError(f"{spec.written}: where is it? Add {joint}base_url=http://HOST:PORT/v1")
    return url


KeyedSpec = ModelSpec | SpeechSpec | RealtimeSpec
"""A model whose calls may need a key."""


def key_of(spec: KeyedSpec) -> str:
    """Return the key of a model's calls; "" if none is needed.

    Raises:
        UsageError: If a key is needed or was named, and is not set.
    """
    if lacks_key(spec):
        raise UsageError(f"{spec.name} needs a key: set {spec.key_env} in the environment")
    return header_variable(spec.key_env) if spec.key_env else ""


def lacks_key(spec: KeyedSpec) -> bool:
    """Return whether a model's key is needed or was named, and is not set."""
    is_needed = spec.provider.needs_key and not spec.base_url
    is_named = spec.key_env != spec.provider.key_env
    return bool(spec.key_env) and (is_needed or is_named) and not header_variable(spec.key_env)


def describe_providers() -> dict[str, str]:
    """Return a line about every provider.

    The line has its address and whether its key is set, and never contains the key.
    """
    return {
        f"{name}/MODEL": describe_provider(provider)
        for name, provider in load_provider_catalog().providers.items()
    }


def _own_address(provider: Provider) -> str:
    configured = environment_variable(provider.url_env) if provider.url_env else ""
    if not configured:
        return provider.url
    address = parse_base_url(configured, provider.url_env)
    require_base_url(address, provider.url_env)
    return address


def describe_provider(provider: Provider) -> str:
    """Return the address of a provider and whether its key is set, but never the key."""
    if provider.url == LITELLM:
        return "any model that litellm reaches, by its names and keys; needs dragoman[litellm]"
    where = _own_address(provider) or "give ?base_url=http://HOST:PORT/v1"
    if provider.url.startswith(LITELLM):
        names = [name for name in (provider.key_env, *provider.other_keys) if name]
        said = ", ".join(
            f"{name} ({'set' if environment_variable(name) else 'not set'})" for name in names
        )
        return f"by litellm (dragoman[litellm]), keys in {said}"
    is_set = "set" if environment_variable(provider.key_env) else "not set"
    if provider.needs_key:
        return f"{where}, key in {provider.key_env} ({is_set})"
    return f"{where}, no key needed; {provider.key_env} is {is_set}"
