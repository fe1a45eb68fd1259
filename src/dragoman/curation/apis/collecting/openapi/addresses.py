"""Where the operations of a document are served."""

import re
from collections.abc import Iterable, Mapping

from dragoman.curation.apis.collecting.values import first_text, mapping, sequence, text
from dragoman.curation.apis.secrecy.configuration import secrets_of_address
from dragoman.curation.apis.secrecy.names import kind_of_name

_VARIABLE = re.compile(r"\{([^{}]{1,100})\}")


def server_of(*levels: Mapping[str, object]) -> str:
    """Return the address that operations stand under, "" where a document names none.

    Args:
        levels: An operation, its path and its document: the first that names servers counts.
    """
    for level in levels:
        addresses = [
            address for each in sequence(level.get("servers")) if (address := _server(each))
        ]
        if addresses:
            return _secure(addresses)
    return _swagger_server(levels[-1])


def secrets_of_servers(*levels: Mapping[str, object]) -> Iterable[str]:
    """Yield the secrets in the addresses of all servers, and what variables for credentials may be."""
    for level in levels:
        for each in sequence(level.get("servers")):
            raw = mapping(each)
            yield from secrets_of_address(_server(raw))
            yield from secrets_of_address(text(raw.get("url"), 2_000))
            for name, variable in mapping(raw.get("variables")).items():
                if kind_of_name(name) == "credential":
                    said = mapping(variable)
                    yield from filter(
                        None, map(text, (said.get("default"), *sequence(said.get("enum"))))
                    )
    yield from secrets_of_address(f"https://{text(levels[0].get('host'), 300)}")


def _server(server: object) -> str:
    """Return a server's address with the defaults of its variables, but for those that are credentials."""
    raw = mapping(server)
    variables = mapping(raw.get("variables"))

    def default(match: re.Match[str]) -> str:
        if kind_of_name(match[1]) == "credential":
            return match[0]
        raw = mapping(variables.get(match[1]))
        listed = next(filter(None, map(text, sequence(raw.get("enum")))), "")
        return first_text(raw, "default") or listed or match[0]

    return _VARIABLE.sub(default, text(raw.get("url"), 2_000)).rstrip("/")


def _secure(addresses: list[str]) -> str:
    return next((each for each in addresses if each.startswith("https://")), addresses[0])


def _swagger_server(document: Mapping[str, object]) -> str:
    host = text(document.get("host"), 300).strip("/")
    base = text(document.get("basePath"), 1_000).strip("/")
    path = f"/{base}" if base else ""
    if not host:
        return path
    schemes = [text(each, 10) for each in sequence(document.get("schemes"))]
    scheme = "http" if "http" in schemes and "https" not in schemes else "https"
    return f"{scheme}://{host}{path}"


def address_of(server: str, path: str) -> str:
    """Return the address of a path; what a server's address has behind it stays behind it."""
    base, mark, query = server.partition("?")
    path = path if path.startswith("/") else f"/{path}"
    return f"{base.rstrip('/')}{path}" + (f"{'&' if '?' in path else '?'}{query}" if mark else "")


def placeholders(path: str) -> Iterable[str]:
    """Yield the names in braces of a path, once each."""
    return dict.fromkeys(_VARIABLE.findall(path))
