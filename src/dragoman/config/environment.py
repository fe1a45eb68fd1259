"""Environment variables: folders, keys, proxies. No other module reads the environment."""

import ipaddress
import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dragoman.core.errors import UsageError
from dragoman.core.texts.redaction import redact_text


def cache_folder() -> Path:
    """Return the folder of files that can be restored, under XDG_CACHE_HOME or ~/.cache."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    return root / "dragoman"


def state_folder() -> Path:
    """Return the folder of records of the user's own runs, under XDG_STATE_HOME."""
    configured = os.environ.get("XDG_STATE_HOME", "")
    root = Path(configured) if configured.startswith("/") else Path.home() / ".local" / "state"
    return root / "dragoman"


def data_folder() -> Path:
    """Return the folder of pulled benchmark data."""
    return cache_folder() / "data"


def hub_endpoint() -> str:
    """Return the address of the Hugging Face hub, or of the mirror in HF_ENDPOINT.

    Raises:
        UsageError: If HF_ENDPOINT is not a web address.
    """
    address = environment_variable("HF_ENDPOINT") or "https://huggingface.co"
    if not address.startswith(("https://", "http://")):
        raise UsageError("HF_ENDPOINT is not a web address: write https://HOST")
    return address


def hub_is_off() -> bool:
    """Return whether HF_HUB_OFFLINE forbids downloads from the hub."""
    return environment_variable("HF_HUB_OFFLINE").upper() in {"1", "ON", "YES", "TRUE"}


def environment_variable(name: str) -> str:
    """Return an environment variable without white space around it; "" if it is not set."""
    return os.environ.get(name, "").strip()


def header_variable(name: str) -> str:
    """Return an environment variable that is sent in a header; "" if it is not set.

    Raises:
        UsageError: If the value has a character that a header cannot carry.
    """
    value = environment_variable(name)
    if not (value.isascii() and value.isprintable()):
        raise UsageError(f"{name} holds a character that no header can carry")
    return value


def key_values() -> tuple[str, ...]:
    """Return the values of environment variables named like keys, for removal from texts."""
    from urllib.request import getproxies

    named = tuple(value.strip() for name, value in os.environ.items() if _is_key(name.upper()))
    return named + tuple(each for url in getproxies().values() for each in proxy_secrets(url))


def redact_environment(text: str) -> str:
    """Return an error message without any key that the environment holds."""
    return redact_text(text, key_values())


def disable_litellm_network() -> None:
    """Keep litellm from fetching a price list over the network while it is imported."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def use_passive_openmp_waits() -> None:
    """Prevent OpenMP threads from busy waiting, since other processes need the cores."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


_is_key = re.compile(r"(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)(?:_.*)?").fullmatch


def proxy_for(url: str) -> str | None:
    """Return the proxy of an address from the environment; None if there is none.

    This machine's own addresses have no proxy.

    Raises:
        UsageError: If the value is not an HTTP proxy; the message omits it because it may hold a
            password.
    """
    # It loads an HTTP client, which a command that opens no connection does not need.
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    host = parts.hostname
    if not host or _is_this_machine(host) or proxy_bypass(host):
        return None
    scheme = parts.scheme.replace("ws", "http")
    proxy = getproxies().get(scheme)
    if proxy and not _is_of_web_server(proxy):
        raise UsageError(f"{scheme}_proxy names no HTTP proxy: write http://HOST:PORT")
    return proxy


def _is_of_web_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none
        return False


def proxy_secrets(proxy: str | None) -> tuple[str, ...]:
    """Return a proxy's secrets, which no text may show: its password, alone and as sent."""
    password = unquote(urlsplit(proxy or "").password or "")
    user = unquote(urlsplit(proxy or "").username or "")
    return (f"{user}:{password}", password) if password else ()


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
