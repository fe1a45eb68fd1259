"""Addresses of model servers where they do not belong, and how a model there is written."""

import re
from urllib.parse import quote, urlsplit

from dragoman.core.errors import UsageError
from dragoman.models.facts import load_facts

HTTP_SCHEMES = ("http://", "https://")

_ENDPOINT = re.compile(
    r"(?P<base>.*)/chat/completions"
    r"|(?P<version>.*/v1)/(?:completions|responses|messages|models|embeddings|realtime"
    r"|audio/(?:transcriptions|translations|speech))",
    re.IGNORECASE,
)
"""Paths that are asked themselves; the paths of a protocol are added to what stands before them."""

_OLLAMA = re.compile(r"(?P<base>.*)/api/(?:chat|generate|tags)", re.IGNORECASE)
"""Paths of Ollama's own protocol; it speaks OpenAI's beside them, under /v1."""

_VERSION = re.compile(r".*/v1", re.IGNORECASE)


def model_base(url: str) -> str:
    """Return the `base_url` of the models behind an address; "" where it is not a model server's.

    Args:
        url: An address without credentials; its query is left out.
    """
    parts = urlsplit(url)
    base = _without_endpoint(parts.path)
    if base is None and _VERSION.fullmatch(parts.path.rstrip("/")):
        base = parts.path.rstrip("/")
    return "" if base is None else f"{parts.scheme}://{parts.netloc}{base}"


def model_at(base_url: str) -> str:
    """Return how a model behind an address is written: by its provider where only that needs a key."""
    for name, provider in load_facts().providers.items():
        if provider.needs_key and provider.url == base_url:
            return f"{name}/MODEL"
    return f"compatible/MODEL?base_url={quote(base_url, safe=':/[]@~')}"


def require_base(base_url: str, what: str) -> None:
    """Refuse an address that ends in what a protocol adds to it.

    Args:
        base_url: The address.
        what: What it is called in messages.

    Raises:
        UsageError: With the address that is meant.
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
    """Return the path before that of an endpoint; None where it ends in none."""
    path = path.rstrip("/")
    if found := _ENDPOINT.fullmatch(path):
        return found["base"] if found["version"] is None else found["version"]
    if found := _OLLAMA.fullmatch(path):
        return f"{found['base']}/v1"
    return None
