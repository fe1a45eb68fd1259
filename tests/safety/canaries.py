"""A value of its own for every variable that the package may read a key from."""

import functools
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from tests.safety.looking import STEM

import dragoman

_KEYS = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)\b")
_OF_LIBRARIES = (
    *("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    *("AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_API_KEY", "AZURE_AD_TOKEN"),
    *("AZURE_CLIENT_SECRET", "AZURE_OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"),
    *("GOOGLE_APPLICATION_CREDENTIALS_JSON", "VERTEXAI_CREDENTIALS", "RAY_AUTH_TOKEN"),
)
"""Variables that the libraries of the package may read by themselves."""

_NO_VARIABLES = {"SEARCH_KEY", "SHORTEST_KEY", "BYTES_PER_TOKEN"}
"""Names in the code that look like it."""


def key_variables() -> list[str]:
    """Return every variable that the package's code and tables name as a key's, and libraries'."""
    root = Path(dragoman.__file__).parent
    found = {
        name
        for kind in ("*.py", "*.toml")
        for path in root.rglob(kind)
        for name in _KEYS.findall(path.read_text("utf-8"))
    }
    return sorted((found | {*_OF_LIBRARIES}) - _NO_VARIABLES)


@functools.cache
def canaries() -> Mapping[str, str]:
    """Return values by variable; each has characters that are quoted in addresses and in JSON."""
    return {
        name: f"{STEM}{hashlib.sha256(name.encode()).hexdigest()[:20]}"
        for name in [*key_variables(), "HTTP_PROXY", "HTTPS_PROXY", "OPENAI_BASE_URL"]
    }


def environment(proxy: str) -> Mapping[str, str]:
    """Return the variables that hold them; a proxy's and an address' are passwords in them."""
    values = dict(canaries())
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        password = quote(values.pop(name), safe="")
        values |= dict.fromkeys((name, name.lower()), f"http://me:{password}@{proxy}")
    password = quote(values["OPENAI_BASE_URL"], safe="")
    return values | {"OPENAI_BASE_URL": f"http://me:{password}@127.0.0.1:9/v1"}
