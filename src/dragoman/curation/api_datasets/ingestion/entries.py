"""Entries of a source file, one for each API, with API ids and normalized addresses."""

import hashlib
import re
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.texts.characters import slugify, truncate_slug


class SourceFacts(msgspec.Struct, frozen=True):
    """The collector's statements about a whole source.

    A document's statements about itself take precedence.
    """

    source: str
    country: str = ""
    language: str = ""
    licence: str = ""


class ReadFile(msgspec.Struct, frozen=True):
    """A file: its place, the SHA-256 of its bytes, and the facts on its source."""

    place: str
    digest: str
    facts: SourceFacts


class SkippedEntry(msgspec.Struct, frozen=True):
    """An operation excluded from a document: its method and path, and the reason."""

    name: str
    reason: str


class FoundEntry(msgspec.Struct, frozen=True):
    """One API that a file lists.

    Attributes:
        place: The file in its source, and the place in the file: "lists/chile.md#3".
        document: The document; None if it is excluded.
        remark: The reason for excluding it, or a remark on it.
        left_out: Operations excluded from the document.
        prints: Fingerprints of values that its author stated for credentials.
    """

    place: str
    document: ApiDocument | None = None
    remark: str = ""
    left_out: tuple[SkippedEntry, ...] = ()
    prints: tuple[str, ...] = ()


_LONGEST_SLUG, _DIGEST = 60, 8
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid", re.IGNORECASE)
_ROUTE = ("/", "!")


def with_id(document: ApiDocument, place: str) -> ApiDocument:
    """Return a document with its id: its name, and a hash of name and address.

    An id does not change if descriptions or operations change, or if other documents are collected.

    Args:
        document: The document.
        place: The place where it was found; used if the document has no address with a host.
    """
    base = next((one.url for one in document.api_list), "") or document.home_url
    address = normalized_address(base)
    where = address if not document.api_list else address.partition("/")[0]
    key = "\n".join((normalized_name(document.tool_name), where or place))
    digest = hashlib.sha256(key.encode()).hexdigest()[:_DIGEST]
    slug = truncate_slug(normalized_name(document.tool_name), _LONGEST_SLUG)
    return msgspec.structs.replace(document, id=f"{slug}-{digest}" if slug else digest)


def normalized_name(name: str) -> str:
    """Return a name in lowercase letters and digits of any script, joined by hyphens.

    The letters keep their marks.
    """
    return slugify(name)


def normalized_address(url: str) -> str:
    """Return the address that identifies duplicates.

    It has no scheme, no `www.` and no tail; it is "" if the address has no host.
    """
    parts = split_address(url)
    if not parts.netloc:
        return ""
    host = parts.netloc.rpartition("@")[2].lower().removeprefix("www.")
    path = parts.path.rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    route = f"#{parts.fragment}" if parts.fragment.startswith(_ROUTE) else ""
    return f"{host}{path}{query}{route}"


def without_tracking(url: str) -> str:
    """Return an address without parameters that only track how a visitor came to it."""
    parts = split_address(url.strip())
    if not parts.query or not parts.netloc:
        return url.strip()
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in pairs if not _TRACKING.fullmatch(pair[0].strip())]
    if len(kept) == len(pairs):
        return url.strip()
    return urlunsplit(parts._replace(query=urlencode(kept)))


def split_address(url: str) -> SplitResult:
    """Return the parts of an address; empty parts if it is invalid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
