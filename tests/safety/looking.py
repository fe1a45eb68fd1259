"""Searches for texts in the files of a program, in any packing or encoding."""

import base64
import binascii
import functools
import gzip
import io
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import zstandard

STEM = "sk/canary+"
"""Common prefix of all searched texts: other texts are ruled out at no cost."""

_DEEPEST = 4
_MOST = 64 * 2**20
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_SQLITE = b"SQLite format 3\0"
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")


@functools.cache
def written(text: str) -> frozenset[bytes]:
    """Return a text as it may be written: plain, quoted for addresses, as JSON, as base64."""
    plain = text.encode()
    forms = (text, quote(text, safe=""), quote(text), text.replace("/", "\\/"), plain.hex())
    found = {each.encode() for each in forms} | {plain[::-1]}
    for before in range(3):
        # The position in the encoded text decides about the characters; only whole characters are
        # certain.
        coded = base64.b64encode(bytes(before) + plain)
        sure = coded[-(-before * 8 // 6) : (before + len(plain)) * 8 // 6]
        found |= {sure, sure.replace(b"+", b"-").replace(b"/", b"_")}
    return frozenset(found)


def found_in(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """Return the texts, by name, that occur in files of a folder or in file names."""
    problems = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        problems += [f"{each} in the name {name}" for each in _named(name.encode(), texts)]
        if path.is_file() and not path.is_symlink():
            problems += [f"{each} in {name}" for each in named_in(path.read_bytes(), texts)]
    return problems


def named_in(content: bytes, texts: Mapping[str, str]) -> list[str]:
    """Return the names of the texts that occur in a content, or in content packed in it."""
    found: dict[str, None] = {}
    for piece in contents(content):
        found.update(dict.fromkeys(_named(piece, texts)))
    return list(found)


def _named(content: bytes, texts: Mapping[str, str]) -> list[str]:
    if not _is_written(STEM, content):
        return []
    return [name for name, text in texts.items() if _is_written(text, content)]


def _is_written(text: str, content: bytes) -> bool:
    return any(form in content for form in written(text))


def contents(content: bytes, depth: int = 0) -> Iterator[bytes]:
    """Yield a content, and its packed content: zip, gzip, zstd, base64, SQLite, nested."""
    yield content
    if depth == _DEEPEST:
        return
    for inner in (*_archived(content), *_compressed(content), *_stored(content), *_coded(content)):
        yield from contents(inner, depth + 1)


def _archived(content: bytes) -> Iterator[bytes]:
    if content.startswith(_ZIP):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield archive.read(name)


def _compressed(content: bytes) -> Iterator[bytes]:
    """Yield compressed parts at any place of a content, as in parquet and SQLite files."""
    if content.startswith((_ZIP, _SQLITE)):
        return
    for at in _places(content, _GZIP):
        unpacker = zlib.decompressobj(31)
        try:
            yield unpacker.decompress(content[at:], _MOST)
        except zlib.error:
            continue
    for at in _places(content, _ZSTD):
        try:
            with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content[at:])) as reader:
                yield reader.read(_MOST)
        except zstandard.ZstdError:
            continue


def _places(content: bytes, mark: bytes) -> Iterator[int]:
    at = content.find(mark)
    while at >= 0:
        yield at
        at = content.find(mark, at + 1)


def _stored(content: bytes) -> Iterator[bytes]:
    """Yield every value of a database."""
    if not content.startswith(_SQLITE):
        return
    with closing(sqlite3.connect(":memory:")) as file:
        # A database with a log next to it says so in its header; a copy in memory has no log.
        file.deserialize(content[:18] + b"\1\1" + content[20:])
        for (table,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            for row in file.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - a name from the file itself, in a test
                yield from (v if isinstance(v, bytes) else str(v).encode() for v in row)


def _coded(content: bytes) -> Iterator[bytes]:
    for match in _BASE64.finditer(content):
        word = match.group().replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
        try:
            plain = base64.b64decode(word + b"=" * (-len(word) % 4))
        except binascii.Error:
            continue
        if plain.startswith((_GZIP, _ZSTD, _ZIP, b"{", b"[")):
            yield plain


def packed_in_every_way(text: str) -> dict[str, bytes]:
    """Return contents that hold a text, by packing: `contents` must find it in each."""
    plain = f"before {text} after".encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", plain)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t(x)")
        database.execute("INSERT INTO t VALUES (?)", (zstandard.compress(plain * 9),))
        stored = database.serialize()
    return {
        "plain": plain,
        "base64": base64.b64encode(plain),
        "base64 at 1": base64.b64encode(b"x" + plain),
        "base64 at 2": base64.urlsafe_b64encode(b"xy" + plain),
        "quoted": quote(plain, safe="").encode(),
        "gzip": b"in the midst " + gzip.compress(plain * 9),
        "zstd": b"in the midst " + zstandard.compress(plain * 9),
        "gzip in base64": b"<script>" + base64.b64encode(gzip.compress(plain * 9)),
        "zip": archive.getvalue(),
        "zstd in SQLite": stored,
        "SQLite in a zip": _zipped(stored),
    }


def _zipped(content: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", content)
    return archive.getvalue()
