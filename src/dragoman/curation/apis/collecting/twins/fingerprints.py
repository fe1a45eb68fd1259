"""What twins are told by: names, addresses and operations, each in one form."""

import functools
import re
from importlib.resources import files
from typing import NamedTuple

import msgspec

from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.curation.apis.collecting.identity import plain_address, plain_name

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_VERSION = re.compile(r"/(?:v|version)?\d+(?:\.\d+)*(?=/|$)", re.IGNORECASE)
_NUMERIC = re.compile(r"[0-9.:]+$|\[")
_SITE_LABELS = 2
_FORMS = ("openapi-3.1", "openapi-3.0", "swagger-2.0", "fragment", "itc", "catalogue")

OperationKey = tuple[str, str]
"""A method and an address, with `{}` for each placeholder."""


class Fingerprint(NamedTuple):
    """What is known of one document without holding it.

    Attributes:
        found: The name that it was found under.
        rank: What comes first is kept, and what comes after is compared with it: those with most
            operations, the newest form, the longest description, then by name.
        name: In small letters and digits.
        link: Its page, in one form.
        site: Of its page; "" for a site that many share.
        operations: By hash, which is Python's own: it is another in the next process.
        loose: The same without versions in addresses.
    """

    found: str
    rank: tuple[object, ...]
    name: str
    link: str
    site: str
    operations: frozenset[int]
    loose: frozenset[int]


def fingerprint(found: str, document: ApiDocument) -> Fingerprint:
    """Return what a document is told by.

    Args:
        found: The name that it was found under.
        document: The document.
    """
    name = plain_name(document.tool_name)
    keys = [operation_key(each, name) for each in document.api_list]
    link = plain_address(document.home_url)
    host = next((plain_address(each.url).partition("/")[0] for each in document.api_list), "")
    form = document.origins[0].form if document.origins else "catalogue"
    return Fingerprint(
        found,
        (-len(keys), _FORMS.index(form), -len(document.tool_description), found),
        name,
        link,
        site_of(host or link.partition("/")[0]),
        frozenset(map(hash, keys)),
        frozenset(hash(loose_key(key)) for key in keys),
    )


def operation_key(operation: Operation, name: str) -> OperationKey:
    """Return what an operation is told by; where it names no host, the API's plain name stands there."""
    address = plain_address(operation.url) or f"{name}{operation.url}"
    return (operation.method, _PLACEHOLDER.sub("{}", address).lower())


def loose_key(key: OperationKey) -> OperationKey:
    """Return the same for all versions of an operation."""
    host, slash, path = key[1].partition("/")
    return (key[0], host + _VERSION.sub("", slash + path))


def site_of(host: str) -> str:
    """Return the site of a host: what its owner registered, as far as its name tells; "" for a shared one.

    A host without a name is a site of its own, with its port.
    """
    if _NUMERIC.match(host):
        return host
    sites, host = _sites(), host.partition(":")[0]
    labels = host.split(".")
    if any(host == shared or host.endswith(f".{shared}") for shared in sites.hosts):
        return ""
    is_longer = len(labels) > _SITE_LABELS and labels[-2] in sites.second_level
    return ".".join(labels[-_SITE_LABELS - is_longer :])


def likeness(one: str, other: str) -> float:
    """Return how alike two plain names are: twice the shared pairs of letters over all pairs (Dice), 0 to 1."""
    if one == other:
        return 1.0
    left, right = _pairs(one), _pairs(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def _pairs(name: str) -> set[str]:
    return {name[at : at + 2] for at in range(len(name) - 1)}


class _Sites(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    second_level: frozenset[str]
    hosts: tuple[str, ...]


@functools.cache
def _sites() -> _Sites:
    content = files(__package__).joinpath("sites.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Sites)
