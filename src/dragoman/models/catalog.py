"""Provider catalog: URLs, key variables, parameters and history formats of known providers.

The table ships as `providers.toml`; it is parsed strictly, and once. The module also recognizes the
address of a model server that the user gives in place of a model, so that an error message can name
the right form.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal
from urllib.parse import quote, urlsplit

import msgspec

from dragoman.core.errors import UsageError
from dragoman.models.history_format import HistoryFormat

LITELLM = "litellm:"
"""Prefix of the addresses that litellm serves.

The form is `litellm:PROVIDER`, or `litellm:` with an address instead of PROVIDER. In the table,
`litellm:` alone stands for any provider that begins a model's name.
"""

ParameterType = Literal["number", "integer", "string", "boolean", "array", "object"]

TYPES: Mapping[ParameterType, tuple[type, ...]] = {
    "number": (int, float),
    "integer": (int,),
    "string": (str,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def matches_type(value: object, kind: ParameterType) -> bool:
    """Return whether a value has a parameter's type; a boolean does not count as a number."""
    return isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One provider of the catalog.

    Attributes:
        url: The address that `/chat/completions` is added to; empty if the user must give one.
        url_env: The environment variable that may hold another address.
        key_env: The environment variable that holds the key.
        needs_key: Whether every call needs a key.
        seeds: Whether the provider accepts a seed.
        schemas: Whether the provider accepts a JSON schema for replies.
        refuses: Parameters that the provider does not accept.
        audio: Name of the form in which the provider accepts audio in messages; the table defines
            the forms.
        history: The form in which the provider accepts histories; the safe form if none is known.
        other_keys: Environment variables that litellm itself reads.
    """

    url: str = ""
    url_env: str = ""
    key_env: str = ""
    needs_key: bool = False
    seeds: bool = True
    schemas: bool = True
    refuses: tuple[str, ...] = ()
    audio: str = "openai"
    history: HistoryFormat = HistoryFormat()
    other_keys: tuple[str, ...] = ()


class ModelFamily(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Models that refuse the same parameters; `instead` names the parameters to use.

    `history` is the form in which they accept histories, if it differs from their provider's.
    """

    match: tuple[str, ...]
    refuses: tuple[str, ...] = ()
    instead: dict[str, str] = {}
    seeds: bool = True
    history: HistoryFormat | None = None


class ProviderCatalog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table.

    Attributes:
        parameters: Names of the parameters that may be set, with their types.
        audio: Forms of audio parts in messages, by name.
        audio_models: Patterns of models that are known to accept audio.
        providers: Providers by name.
        models: Families of models; the first that matches counts.
    """

    parameters: dict[str, ParameterType]
    providers: dict[str, Provider]
    models: tuple[ModelFamily, ...]
    audio: dict[str, str]
    audio_models: tuple[str, ...] = msgspec.field(name="hearing")

    def hears(self, model: str) -> bool:
        """Return whether a model, `provider/name`, is known to accept audio."""
        return any(fnmatchcase(model, pattern) for pattern in self.audio_models)

    def family(self, model: str) -> ModelFamily:
        """Return the family of a model, `provider/name`; the first match counts."""
        for family in self.models:
            if any(fnmatchcase(model, pattern) for pattern in family.match):
                return family
        return ModelFamily(())


@cache
def load_provider_catalog() -> ProviderCatalog:
    """Return the table that ships."""
    content = (files("dragoman.models") / "providers.toml").read_bytes()
    return msgspec.toml.decode(content, type=ProviderCatalog)


HTTP_SCHEMES = ("http://", "https://")

_ENDPOINT = re.compile(
    r"(?P<base>.*)/chat/completions"
    r"|(?P<version>.*/v1)/(?:completions|responses|messages|models|embeddings|realtime"
    r"|audio/(?:transcriptions|translations|speech))",
    re.IGNORECASE,
)
"""Paths of requests; the paths of a protocol are added to the part before them."""

_OLLAMA = re.compile(r"(?P<base>.*)/api/(?:chat|generate|tags)", re.IGNORECASE)
"""Paths of Ollama's own protocol; Ollama also serves OpenAI's protocol, under /v1."""

_VERSION = re.compile(r".*/v1", re.IGNORECASE)


def model_server_base(url: str) -> str:
    """Return the `base_url` of a model server's address, or "" if it is not a model server.

    Args:
        url: An address without credentials; the result has no query.
    """
    parts = urlsplit(url)
    base = _without_endpoint(parts.path)
    if base is None and _VERSION.fullmatch(parts.path.rstrip("/")):
        base = parts.path.rstrip("/")
    return "" if base is None else f"{parts.scheme}://{parts.netloc}{base}"


def suggest_model_name(base_url: str) -> str:
    """Return the name of a model behind an address.

    The name uses a provider if the address belongs to one that needs a key.
    """
    for name, provider in load_provider_catalog().providers.items():
        if provider.needs_key and provider.url == base_url:
            return f"{name}/MODEL"
    return f"compatible/MODEL?base_url={quote(base_url, safe=':/[]@~')}"


def require_base_url(base_url: str, what: str) -> None:
    """Refuse an address that ends in a path that the protocol adds to it.

    Args:
        base_url: The address.
        what: The setting's name in messages.

    Raises:
        UsageError: With the correct address.
    """
    parts = urlsplit(base_url)
    base = _without_endpoint(parts.path)
    if base is not None:
        raise UsageError(
            f"{what} is the address that {_ADDED} is added to: write "
            f"{what}={parts.scheme}://{parts.netloc}{base}"
        )


_ADDED = "/chat/completions or another path of the protocol"


def _without_endpoint(path: str) -> str | None:
    """Return the path before the path of an endpoint; None if the path does not end in one."""
    path = path.rstrip("/")
    if found := _ENDPOINT.fullmatch(path):
        return found["base"] if found["version"] is None else found["version"]
    if found := _OLLAMA.fullmatch(path):
        return f"{found['base']}/v1"
    return None
