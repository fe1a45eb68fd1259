"""Credential removal: credentials, tracing ids and headers become configuration.

A parameter is configuration if a security scheme names it, if its name is that of a credential or
of an id for tracing, or if it is a header or a cookie, unless the author of the document says that
it belongs to tasks. Addresses and bodies carry the content of requests, and headers carry
agreements between programs. The values of configuration are not stored anywhere.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, cast
from urllib.parse import parse_qsl, unquote_plus, urlsplit, urlunsplit

import msgspec
from msgspec.structs import replace

from dragoman.core.apis.documents import (
    METHODS,
    PLACES,
    ApiDocument,
    ApiParameter,
    ConfiguredParameter,
    Operation,
)
from dragoman.curation.api_datasets.credential_detection import (
    MASK,
    is_bare_key,
    is_secret_value,
    is_worth_hiding,
    parameter_kind,
    redact_secrets,
)

_STATING = frozenset(("example", "examples", "default", "enum", "const", "x-example", "x-examples"))
CONFIGURATION = "configuration, in no task"
"""The ledger's text for parameters that callers configure."""

_DEEPEST = 40
_FEWEST_DIGITS = 2
_MOST_TOLD = 6


class ConfiguredDocument(NamedTuple):
    """A document that may be stored, and its secrets.

    The secrets are values that its author stated for credentials. They must not be stored.
    """

    document: ApiDocument
    secrets: frozenset[str]


def remove_credentials(document: ApiDocument, stated: Collection[str] = ()) -> ConfiguredDocument:
    """Turn the credentials, tracing ids and headers of a document into configuration.

    The configuration has no values.

    Args:
        document: A new document, or one that an earlier version stored.
        stated: Secrets stated outside parameters: in schemes, addresses and cookies.
    """
    secrets = {value for value in stated if is_worth_hiding(value)}
    operations = tuple(_separate_configuration(each, secrets) for each in document.api_list)
    home, _ = _plain_address(document.home_url, secrets)
    found = replace(document, api_list=operations, home_url=home)
    return ConfiguredDocument(_without_texts(found, secrets), frozenset(secrets))


def separate_configuration(document: ApiDocument) -> ApiDocument:
    """Turn the credentials and headers of a document into configuration.

    The same document is returned if they already are. Documents from an earlier version have them
    among their parameters.
    """
    secrets: set[str] = set()
    operations = tuple(_separate_configuration(each, secrets) for each in document.api_list)
    return document if operations == document.api_list else replace(document, api_list=operations)


def describe_configuration(document: ApiDocument) -> str:
    """Describe the configuration of a document's operations in words; "" for none."""
    found = {each.name: each for one in document.api_list for each in one.configuration}
    if not found:
        return ""
    said = [f"{name} ({found[name].kind}, in {found[name].place})" for name in sorted(found)]
    more = f" and {len(said) - _MOST_TOLD} more" if len(said) > _MOST_TOLD else ""
    return f"{CONFIGURATION}: {', '.join(said[:_MOST_TOLD])}{more}"


def stated_texts(value: object) -> Iterator[str]:
    """Yield the texts and numbers in a value of a document, at any depth."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from stated_texts(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def secrets_of_address(url: str) -> Iterator[str]:
    """Yield the secrets in an address: its password and values of credential parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    yield from (unquote_plus(each) for each in (password or user,) if each)
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if parameter_kind(name) == "credential" and "{" not in value:
            yield value


def _separate_configuration(operation: Operation, secrets: set[str]) -> Operation:
    known = {(each.place, each.name.casefold()): each for each in operation.configuration}
    url, in_address = _plain_address(operation.url, secrets)
    for name in in_address:
        known.setdefault(("query", name.casefold()), ConfiguredParameter(name, "query"))
    kept: dict[bool, list[ApiParameter]] = {True: [], False: []}
    for required, listed in (
        (True, operation.required_parameters),
        (False, operation.optional_parameters),
    ):
        for each in listed:
            key = (each.place, each.name.casefold())
            kind = _kind(each, is_named=key in known)
            if not kind:
                kept[required].append(_without_nested(each, secrets))
                continue
            secrets |= set(_stated_secrets(each, kind))
            before = known.get(key)
            known[key] = (
                replace(before, required=required or before.required)
                if before
                else ConfiguredParameter(each.name, each.place, kind, required=required)
            )
    return replace(
        operation,
        url=url,
        required_parameters=tuple(kept[True]),
        optional_parameters=tuple(kept[False]),
        schema=cast("dict[str, object]", _strip_credentials(operation.schema, secrets)),
        configuration=tuple(known[key] for key in sorted(known)),
    )


_Kind = Literal["credential", "tracing", "header"]


def _kind(parameter: ApiParameter, *, is_named: bool) -> _Kind | None:
    """Return the kind of configuration of a parameter; None if it belongs to tasks."""
    if parameter.in_task:
        return None
    if is_named:
        return "credential"
    is_header = parameter.place == "header"
    kind = parameter_kind(parameter.name, is_header=is_header)
    if kind == "credential" and parameter.place == "path" and is_bare_key(parameter.name):
        # A key in a path usually identifies a thing. It is a credential only if its stated value
        # looks random.
        return "credential" if any(map(_is_random, _values(parameter))) else None
    return kind or ("header" if is_header else None)


def _values(parameter: ApiParameter) -> Iterator[str]:
    values = [parameter.example, parameter.default, *parameter.examples]
    values += [value for key, value in parameter.schema.items() if key in _STATING]
    return stated_texts(values)


def _stated_secrets(parameter: ApiParameter, kind: _Kind) -> Iterator[str]:
    """Yield a parameter's stated values that must also be hidden elsewhere."""
    for text in _values(parameter):
        # A header for a version or a language states words that identify nobody.
        if (kind == "credential" and is_worth_hiding(text)) or (
            kind == "header" and _is_random(text)
        ):
            yield text


def _is_random(text: str) -> bool:
    digits = sum(letter.isdigit() for letter in text)
    return is_secret_value(text) and "/" not in text and digits >= _FEWEST_DIGITS


def _without_nested(parameter: ApiParameter, secrets: set[str]) -> ApiParameter:
    """Return a parameter whose credential fields, at any depth, state no values."""
    return replace(
        parameter,
        example=_strip_credentials(parameter.example, secrets),
        default=_strip_credentials(parameter.default, secrets),
        examples=tuple(_strip_credentials(each, secrets) for each in parameter.examples),
        schema=cast("dict[str, object]", _strip_credentials(parameter.schema, secrets)),
    )


def _strip_credentials(value: object, secrets: set[str], depth: int = 0) -> object:
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        return [_strip_credentials(each, secrets, depth + 1) for each in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, object] = {}
    for name, each in cast("Mapping[str, object]", value).items():
        if parameter_kind(name) != "credential":
            found[name] = _strip_credentials(each, secrets, depth + 1)
        elif isinstance(each, dict):
            # A field of a schema, or of a nested example, stays without its stated values.
            stating = {key: one for key, one in each.items() if key in _STATING}
            secrets |= {text for text in stated_texts(stating) if is_worth_hiding(text)}
            rest = {key: one for key, one in each.items() if key not in _STATING}
            found[name] = _strip_credentials(rest, secrets, depth + 1)
        else:
            secrets |= {text for text in stated_texts(each) if is_worth_hiding(text)}
            if isinstance(each, bool) or each is None:
                found[name] = each
    return found


def _plain_address(url: str, secrets: set[str]) -> tuple[str, Sequence[str]]:
    """Return an address without credentials, and the names of the credentials in its query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, ()
    pieces = [each for each in parts.query.split("&") if each]
    names = [unquote_plus(each.partition("=")[0]) for each in pieces]
    is_credential = [parameter_kind(name) == "credential" for name in names]
    if "@" not in parts.netloc and not any(is_credential):
        return url, ()
    secrets |= {value for value in secrets_of_address(url) if is_worth_hiding(value)}
    kept = [each for each, is_one in zip(pieces, is_credential, strict=True) if not is_one]
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="&".join(kept))
    return urlunsplit(plain), [n for n, is_one in zip(names, is_credential, strict=True) if is_one]


def _without_texts(document: ApiDocument, secrets: Collection[str]) -> ApiDocument:
    """Return a document without secrets in its texts, and without values that held one."""
    before = msgspec.to_builtins(document)
    plain = cast("dict[str, object]", _redact_values(before, secrets))
    if plain == before:
        return document
    for operation in cast("Iterable[dict[str, object]]", plain.get("api_list", ())):
        for key in ("required_parameters", "optional_parameters"):
            listed = cast("Sequence[object]", operation.get(key, ()))
            operation[key] = [_without_masked(each) for each in listed]
    found = msgspec.convert(plain, ApiDocument)
    operations = tuple(map(_with_defaults, found.api_list))
    # Names of files and hashes are not texts of the document's author.
    return replace(found, id=document.id, origins=document.origins, api_list=operations)


def _with_defaults(operation: Operation) -> Operation:
    """Return an operation with the shared objects for its methods and places.

    Records omit these objects as defaults.
    """

    def placed(listed: Iterable[ApiParameter]) -> tuple[ApiParameter, ...]:
        return tuple(replace(each, place=PLACES[each.place]) for each in listed)

    return replace(
        operation,
        method=METHODS[operation.method],
        required_parameters=placed(operation.required_parameters),
        optional_parameters=placed(operation.optional_parameters),
    )


def _redact_values(value: object, secrets: Collection[str]) -> object:
    if isinstance(value, str):
        return redact_secrets(value, secrets)
    if isinstance(value, dict):
        return {
            _redact_values(key, secrets): _redact_values(each, secrets)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redact_values(each, secrets) for each in value]
    return value


def _without_masked(value: object) -> object:
    """Return a parameter without values that contain a mask, since nobody stated these."""
    if isinstance(value, list):
        return [_without_masked(each) for each in value if not _is_masked(each)]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_masked(each)
        for key, each in value.items()
        if not (key in _STATING and not isinstance(each, list) and _is_masked(each))
    }


def _is_masked(value: object) -> bool:
    return any(MASK in text for text in stated_texts(value))
