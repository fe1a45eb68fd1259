"""TMX 1.4b, the exchange format of translation memories: reader and writer.

Everything besides the texts is in custom properties (`x-context`, `x-origin`, ...), so that one
memory can be restored completely from the export of another. Files of other programs do not have
them: their texts become imported texts that fit any context. No external resource is read, and
custom entities are not expanded.
"""

import calendar
import re
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, get_args
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.version import VERSION
from dragoman.store.translation_memory import MemoryEntry, Origin, SourceText

MOST_BYTES = 1 << 28
MOST_CHARS = 1 << 20
"""Longest text, property or note, in characters."""

_CHUNK = 1 << 16
_TIME = "%Y%m%dT%H%M%SZ"
_ANY_LANGUAGE = "*all*"
_TAG = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,5}")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ORIGINS: tuple[Origin, ...] = get_args(Origin)


def write_tmx(entries: Iterable[MemoryEntry], source_language: str) -> Iterator[bytes]:
    """Yield a TMX file piece by piece, with a unit for each translation.

    Args:
        entries: The translations, all from one language.
        source_language: The code of that language.

    Raises:
        DataError: For a text that cannot be represented in XML.
    """
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
        '<tmx version="1.4">\n'
        f'<header creationtool="dragoman" creationtoolversion={quoteattr(VERSION)} segtype="block" '
        f'o-tmf="dragoman" adminlang="en" srclang={quoteattr(source_language)} '
        'datatype="plaintext"/>\n<body>\n'
    ).encode()
    for entry in entries:
        yield _unit(entry).encode()
    yield b"</body>\n</tmx>\n"


def read_tmx(path: Path, source_language: str, languages: Collection[str]) -> Iterator[MemoryEntry]:
    """Yield the translations from a language in a TMX file, in their order.

    Args:
        path: The file.
        source_language: The source language.
        languages: Known codes: `th-TH` is read as `th` if that is one of them.

    Raises:
        DataError: If the file cannot be read, is not TMX, or declares entities.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path}: more than {MOST_BYTES:,} bytes: split the file")
        with path.open("rb") as file:
            reader = _Reader(path.name, source_language, languages)
            yield from reader.read(file)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    except expat.ExpatError as error:
        raise DataError(f"{path}: no TMX file ({error})") from error
    except _Refused as error:
        raise DataError(f"{path}: {error}") from error


class _Refused(Exception):  # noqa: N818 - says what happens to the file
    """The reason why a file is not read any further."""


class _Variant(msgspec.Struct):
    language: str
    text: str = ""
    changed: str = ""
    props: dict[str, str] = {}
    notes: list[str] = []


class _Reader:
    """A converter of the events of an XML parser into entries."""

    def __init__(self, name: str, source_language: str, languages: Collection[str]) -> None:
        self._name = name
        self._source_language = source_language
        self._codes = {code.lower(): code for code in (*languages, source_language)}
        self._header_language = ""
        self._has_begun = False
        self._unit_language = ""
        self._unit_changed = ""
        self._unit_props: dict[str, str] = {}
        self._variants: list[_Variant] = []
        self._is_in_variant = False
        self._prop = ""
        self._collects = ""
        self._text: list[str] = []
        self._chars = 0
        self._found: list[MemoryEntry] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.SkippedEntityHandler = self._refuse_entity

    def read(self, file: BinaryIO) -> Iterator[MemoryEntry]:
        """Yield the entries of a file."""
        while chunk := file.read(_CHUNK):
            try:
                self._parser.Parse(chunk)
            # Python raises these errors for an encoding that it does not know or cannot map.
            except (LookupError, ValueError) as error:
                raise _Refused(f"{error}: save it in UTF-8") from error
            yield from self._found
            self._found = []
        self._parser.Parse(b"", True)
        yield from self._found

    def _refuse_entity(self, *_: object) -> None:
        raise _Refused("it uses XML entities of its own, which are not read: save it without them")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._has_begun and name != "tmx":
            raise _Refused(f"no TMX file: it begins with <{name[:40]}>")
        self._has_begun = True
        match name:
            case "header":
                self._header_language = attributes.get("srclang", "")
            case "tu":
                self._unit_language = attributes.get("srclang", self._header_language)
                self._unit_changed = _change_date(attributes)
                self._unit_props, self._variants = {}, []
            case "tuv":
                language = attributes.get("xml:lang") or attributes.get("lang", "")
                self._variants.append(_Variant(language, changed=_change_date(attributes)))
                self._is_in_variant = True
            case "seg" | "prop" | "note":
                self._collects, self._text, self._chars = name, [], 0
                self._prop = attributes.get("type", "")
            case _:
                pass

    def _end(self, name: str) -> None:
        if name == "tuv":
            self._is_in_variant = False
        elif name == "tu":
            self._found += self._entries()
        elif name == self._collects:
            self._take("".join(self._text))
            self._collects = ""

    def _characters(self, text: str) -> None:
        if not self._collects:
            return
        self._chars += len(text)
        if self._chars > MOST_CHARS:
            line = self._parser.CurrentLineNumber
            raise _Refused(f"line {line}: a text of more than {MOST_CHARS:,} characters")
        self._text.append(text)

    def _take(self, text: str) -> None:
        """Store a text in the current variant, or in the unit."""
        variant = self._variants[-1] if self._is_in_variant else None
        if self._collects == "prop":
            props = self._unit_props if variant is None else variant.props
            props[self._prop] = text
        elif variant is not None and self._collects == "note":
            variant.notes.append(text)
        elif variant is not None:
            variant.text = text

    def _entries(self) -> Iterator[MemoryEntry]:
        """Yield one entry of a unit for each language with a text, except the source's."""
        wanted = self._unit_language.lower()
        stated = self._source_language if wanted in {"", _ANY_LANGUAGE} else self._code(wanted)
        if stated != self._source_language:
            return
        source = next(
            (each for each in self._variants if self._code(each.language) == stated), None
        )
        if source is None:
            return
        for variant in self._variants:
            language = self._code(variant.language)
            if (
                language != stated
                and _TAG.fullmatch(language)
                and source.text.strip()
                and variant.text.strip()
            ):
                yield self._entry(source.text, language, variant)

    def _entry(self, source: str, language: str, variant: _Variant) -> MemoryEntry:
        props = {**self._unit_props, **variant.props}
        context = props.get("x-context", "")
        return MemoryEntry(
            SourceText(self._source_language, language, context, source),
            variant.text,
            _origin(props.get("x-origin", "")),
            props.get("x-translator", self._name),
            _seconds(variant.changed or self._unit_changed),
            tuple(variant.notes),
            props.get("x-back-translation"),
            _quality(props.get("x-quality", "")),
        )

    def _code(self, language: str) -> str:
        """Return the project's code of a language; an unknown one is returned unchanged."""
        given = language.lower()
        return self._codes.get(given) or self._codes.get(given.partition("-")[0]) or language


def _unit(entry: MemoryEntry) -> str:
    source, changed = entry.source, time.strftime(_TIME, time.gmtime(entry.made))
    props = {
        "x-origin": entry.origin,
        "x-translator": entry.translator,
        "x-back-translation": entry.back_translation,
        "x-quality": None if entry.quality is None else repr(entry.quality),
    }
    notes = "".join(f"<note>{_escape_xml(note)}</note>" for note in entry.notes)
    written = "".join(
        f'<prop type="{name}">{_escape_xml(value)}</prop>'
        for name, value in props.items()
        if value is not None
    )
    return (
        f'<tu changedate="{changed}"><prop type="x-context">{_escape_xml(source.context)}</prop>\n'
        "<tuv "
        f"xml:lang={quoteattr(source.source_language)}><seg>{_escape_xml(source.text)}</seg></tuv>\n"
        f'<tuv xml:lang={quoteattr(source.target_language)} changedate="{changed}">{notes}{written}'
        f"<seg>{_escape_xml(entry.target)}</seg></tuv></tu>\n"
    )


def _escape_xml(text: str) -> str:
    """Return a text as XML; carriage returns are escaped, since parsers would change them."""
    if found := _NOT_IN_XML.search(text):
        raise DataError(
            f"XML cannot carry the character U+{ord(found.group()):04X}, which is in "
            f"{text[:60]!r}: "
            "take it out of the text"
        )
    return escape(text, {"\r": "&#13;"})


def _change_date(attributes: dict[str, str]) -> str:
    return attributes.get("changedate") or attributes.get("creationdate", "")


def _seconds(written: str) -> int:
    """Return a time in seconds since 1970; 0 if it is missing or has another format."""
    try:
        return max(0, calendar.timegm(time.strptime(written, _TIME)))
    except ValueError:
        return 0


def _origin(written: str) -> Origin:
    return next((origin for origin in _ORIGINS if origin == written), "imported")


def _quality(written: str) -> float | None:
    try:
        quality = float(written)
    except ValueError:
        return None
    return quality if 0 <= quality <= 1 else None
