"""What reading a file gives: one entry for each API in it."""

import msgspec

from dragoman.core.apis.documents import ApiDocument


class StatedFacts(msgspec.Struct, frozen=True):
    """What whoever collects says of a whole source; what a document says of itself goes before it."""

    source: str
    country: str = ""
    language: str = ""
    licence: str = ""


class ReadFile(msgspec.Struct, frozen=True):
    """A file that is read: its place, the SHA-256 of its bytes, and what is said of its source."""

    place: str
    digest: str
    facts: StatedFacts


class LeftOutEntry(msgspec.Struct, frozen=True):
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
    left_out: tuple[LeftOutEntry, ...] = ()
    prints: tuple[str, ...] = ()
