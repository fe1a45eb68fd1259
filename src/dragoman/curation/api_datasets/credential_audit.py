"""Credential audit: search a dataset, or files derived from it, for credentials.

A finding names the place of a credential and the rule that found it, never the credential.
"""

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.curation.api_datasets.credential_detection import (
    MASK,
    WITHHELD,
    WithheldValues,
    contains_secret,
    find_secrets,
    has_fingerprint,
    has_known_key_format,
    has_random_string,
    is_secret_value,
    is_worth_hiding,
    parameter_kind,
)
from dragoman.curation.api_datasets.credential_removal import separate_configuration, stated_texts
from dragoman.store.dataset import Dataset, StoredItem
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.response_bodies import body_text

_DOCUMENTS = frozenset(("document", "found"))
_EXCHANGE = "exchange"
_DEEPEST = 60
_SHORTEST, _LONGEST_KEPT = 6, 200
_OURS = frozenset(("authentication",))
"""Fields of our records that have names of credentials but hold kinds of credentials."""

_MOST_IN_MEMORY = 256 << 20


class FoundSecret(msgspec.Struct, frozen=True):
    """The place of a credential.

    It consists of the item or file, the place in it, and the reason for the finding.
    """

    where: str
    place: str
    why: str


class AuditRules(msgspec.Struct, frozen=True):
    """The rules of an audit.

    Attributes:
        prints: Fingerprints of values that documents state for credentials.
        keys: Secrets known by value.
        in_task: Names that documents' authors mark as parts of tasks, in lower case.
    """

    prints: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    in_task: frozenset[str] = frozenset()


def audit_rules(dataset: Dataset, keys: Iterable[str] = ()) -> AuditRules:
    """Return the rules for the audit of a dataset and of files derived from it.

    Args:
        dataset: The dataset.
        keys: Secrets known by value, such as those of the environment.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    prints = {
        each for item in dataset.items(WITHHELD) for each in item.record(WithheldValues).prints
    }
    marked = {
        each.name.casefold()
        for item in dataset.items("found")
        for operation in item.record(ApiDocument).api_list
        for each in operation.parameters
        if each.in_task
    }
    return AuditRules(frozenset(prints), tuple(keys), frozenset(marked))


def audit_dataset(dataset: Dataset, rules: AuditRules) -> Iterator[FoundSecret]:
    """Yield the places of credentials in the items of a dataset and in its ledger.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    for kind in dataset.kinds():
        for item in dataset.items(kind):
            if kind != WITHHELD:
                yield from _of_item(item, rules)
    for line in dataset.ledger():
        for place, text in (("name", line.name), ("reason", line.reason)):
            if why := _why(text, rules):
                yield FoundSecret(f"the ledger of {line.step}", f"{place} of a {line.kind}", why)


def audit_files(path: Path, rules: AuditRules) -> Iterator[FoundSecret]:
    """Yield the places of credentials in a file or in the files of a folder.

    These are sheets, exports or rows.

    Raises:
        DataError: If a file cannot be read.
    """
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    for file in files:
        if file.suffix == ".parquet":
            yield from _of_table(file, rules)
        else:
            yield from _of_lines(file, rules)


def _of_item(item: StoredItem, rules: AuditRules) -> Iterator[FoundSecret]:
    where = f"{item.kind} {item.name!r:.120}"
    if why := _why(item.name, rules):
        yield FoundSecret(f"the name of a {item.kind}", "", why)
    if item.kind == _EXCHANGE:
        yield from _of_exchange(where, item.record(HttpExchange), rules)
        return
    if item.kind in _DOCUMENTS:
        yield from _of_document(where, item.record(ApiDocument))
    value = msgspec.json.decode(item.data)
    is_strict = item.kind not in _DOCUMENTS
    for place, why in _of_value(value, rules, is_strict=is_strict):
        yield FoundSecret(where, place, why)


def _of_document(where: str, document: ApiDocument) -> Iterator[FoundSecret]:
    """Yield parameters that an earlier version stored with the value of a credential."""
    now = {each.name: each for each in separate_configuration(document).api_list}
    for operation in document.api_list:
        kept = {(each.place, each.name) for each in now[operation.name].parameters}
        for each in operation.parameters:
            if (each.place, each.name) in kept:
                continue
            values = [each.example, each.default, *each.examples, dict(each.schema)]
            if any(map(is_secret_value, stated_texts(values))):
                place = f"{operation.name!r:.60}, parameter {each.name!r:.60}"
                yield FoundSecret(where, place, "a value of a credential: collect its source again")


def _of_exchange(where: str, exchange: HttpExchange, rules: AuditRules) -> Iterator[FoundSecret]:
    yield from (
        FoundSecret(where, place, why)
        for place, why in _of_value(
            {
                "url": exchange.url,
                "request_headers": exchange.request_headers,
                "request_body": _decode_body(exchange.request_body),
                "redirects": list(exchange.redirects),
            },
            rules,
            is_strict=False,
        )
    )
    plain = redact_exchange(exchange)
    for field in ("url", "request_headers", "request_body", "headers", "body", "redirects"):
        if getattr(plain, field) != getattr(exchange, field):
            yield FoundSecret(where, field, "a secret that is not taken out")
    # A response uses names of its own and does not repeat the request, so only known keys and known
    # formats are searched.
    answer = body_text(exchange.body, exchange.headers).text
    for place, text in (("body", answer), *exchange.headers.items()):
        if has_fingerprint(text, rules.prints) or contains_secret(text, rules.keys):
            yield FoundSecret(where, place, "a known key")
        elif has_known_key_format(text):
            yield FoundSecret(where, place, "a key by its format")


def _decode_body(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except DECODING_ERRORS:
        return body.decode("utf-8", "replace")


def _of_value(
    value: object, rules: AuditRules, place: str = "", depth: int = 0, *, is_strict: bool
) -> Iterator[tuple[str, str]]:
    """Yield the places of credentials in a value, each with the reason.

    Args:
        value: A JSON value.
        rules: The rules of the audit.
        place: The place of the value.
        depth: The depth of the value.
        is_strict: Whether any value under the name of a credential counts as a credential.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        # Ids and names of tools mix letters and digits too; queries and arguments do not.
        is_said = is_strict and _is_said(place)
        is_drawn = is_said and has_random_string(value)
        if why := _why(value, rules) or ("a text that looks like a key" if is_drawn else ""):
            yield place or "its text", why
    elif isinstance(value, dict):
        for name, each in cast("Mapping[str, object]", value).items():
            inner = f"{place}.{_short(name)}" if place else _short(name)
            if why := _why_field(name, each, rules, is_strict=is_strict):
                yield inner, why
            yield from _of_value(each, rules, inner, depth + 1, is_strict=is_strict)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _of_value(each, rules, f"{place}[{at}]", depth + 1, is_strict=is_strict)


_is_said = re.compile(r"(?:^|.*[.\]])(?:query|arguments)(?:[.\[].*|$)").fullmatch


def _why_field(name: str, value: object, rules: AuditRules, *, is_strict: bool) -> str:
    if _is_held(name, value, rules, is_strict=is_strict):
        return "a value under the name of a credential"
    return _why(name, rules)


def _is_held(name: str, value: object, rules: AuditRules, *, is_strict: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    text = str(value).removeprefix("Bearer ").removeprefix("Basic ")
    if MASK in text or name in _OURS or name.casefold() in rules.in_task:
        return False
    if parameter_kind(name) != "credential":
        return False
    return is_worth_hiding(text) if is_strict else is_secret_value(text)


def _why(text: str, rules: AuditRules) -> str:
    """Return why a text holds a credential; "" if it holds none."""
    if len(text) < _SHORTEST:
        return ""
    return _why_long(text, rules) if len(text) > _LONGEST_KEPT else _why_known(text, rules)


@functools.lru_cache(maxsize=65_536)
def _why_known(text: str, rules: AuditRules) -> str:
    # Most strings of a dataset are names of fields, types and the like, repeated many times.
    return _why_long(text, rules)


def _why_long(text: str, rules: AuditRules) -> str:
    if has_fingerprint(text, rules.prints):
        return "a value that a document states for a credential"
    if contains_secret(text, rules.keys):
        return "a key of the environment"
    if find_secrets(text, rules.in_task):
        return "a text that looks like a key"
    return ""


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"  # noqa: PLR2004 - characters of a line


def _of_lines(file: Path, rules: AuditRules) -> Iterator[FoundSecret]:
    """Yield the credentials in a file.

    In a binary file only secrets known by value can be found.
    """
    with TranslatedErrors(DataError, f"{file}: cannot be read"):
        if file.suffix == ".json" and file.stat().st_size <= _MOST_IN_MEMORY:
            lines: Iterable[tuple[int, bytes]] = [(0, file.read_bytes())]
        else:
            with file.open("rb") as opened:
                yield from _of_numbered(file, enumerate(opened, 1), rules)
            return
    yield from _of_numbered(file, lines, rules)


def _of_numbered(
    file: Path, lines: Iterable[tuple[int, bytes]], rules: AuditRules
) -> Iterator[FoundSecret]:
    for number, line in lines:
        at = f"line {number}" if number else ""
        value = _decode_body(line)
        for place, why in _of_value(value, rules, is_strict=file.suffix == ".jsonl"):
            said = place if not isinstance(value, str) else ""
            yield FoundSecret(str(file), ", ".join(filter(None, (at, said))), why)


def _of_table(file: Path, rules: AuditRules) -> Iterator[FoundSecret]:
    import polars as pl

    with TranslatedErrors(DataError, f"{file}: cannot be read"):
        try:
            rows = pl.read_parquet(file).to_dicts()
        except pl.exceptions.PolarsError as error:
            raise DataError(f"{file}: no Parquet ({type(error).__name__})") from error
    for number, row in enumerate(rows, 1):
        read = {
            name: _decode_body(each.encode()) if isinstance(each, str) else each
            for name, each in row.items()
        }
        for place, why in _of_value(read, rules, is_strict=True):
            yield FoundSecret(str(file), f"row {number}, {place}", why)


def summarize_secrets(found: Collection[FoundSecret]) -> str:
    """Return the first place of a credential and the number of others, as one line."""
    places = list(dict.fromkeys((each.where, each.place) for each in found))
    first = next(iter(found))
    at = f", at {first.place}" if first.place else ""
    more = f", and {len(places) - 1:,} more places (--json lists them)" if len(places) > 1 else ""
    return f"a credential stands in {first.where}{at}: {first.why}{more}"
