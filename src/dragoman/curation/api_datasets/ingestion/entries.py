"""Entries that a source file yields, one for each API, with API ids and normalized addresses."""

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
    """A file that is read: its place, the SHA-256 of its bytes, and what is said of its source."""

    place: str
    digest: str
    facts: SourceFacts


class SkippedEntry(msgspec.Struct, frozen=True):
    """An operation that was left out of a document, by its method and path, and why."""

    name: str
    reason: str


class FoundEntry(msgspec.Struct, frozen=True):
    """One API that a file lists.

    Attributes:
        place: The file in its source, and where in it: "lists/chile.md#3".
        document: None where it is left out.
        remark: Why it is left out, or what is to be known of it.
        left_out: Operations that the document lacks.
        prints: Fingerprints of what its author stated for credentials.
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

    An id does not change when descriptions or operations do, nor by what else is collected.

    Args:
        document: The document.
        place: Where it was found; counts where it has no address of a host.
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
    """Return an address without what only tells its owner who sent a visitor."""
    parts = split_address(url.strip())
    if not parts.query or not parts.netloc:
        return url.strip()
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in pairs if not _TRACKING.fullmatch(pair[0].strip())]
    if len(kept) == len(pairs):
        return url.strip()
    return urlunsplit(parts._replace(query=urlencode(kept)))


def split_address(url: str) -> SplitResult:
    """Return the parts of an address; of what is none, empty ones."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
