"""Checksums of stored records, which also cover the columns that identify the record."""

from zlib import crc32

_BYTES = 4


def with_checksum(data: bytes, *key: object) -> bytes:
    """Return a record followed by the checksum of the record and its key (texts and numbers)."""
    return data + _checksum(data, key)


def strip_checksum(data: bytes, *key: object) -> bytes:
    """Return a record without its checksum.

    Raises:
        ValueError: If the record and the key were not stored together.
    """
    content = data[:-_BYTES]
    if _checksum(content, key) != data[-_BYTES:]:
        raise ValueError("its checksum is of another record")
    return content


def _checksum(data: bytes, key: tuple[object, ...]) -> bytes:
    return crc32(data, crc32(repr(key).encode())).to_bytes(_BYTES, "big")
