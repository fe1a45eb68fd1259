"""Checksums of stored records: a record and the columns that say whose it is are one.

They tell of disks and copies that changed a bit, not of people: whoever can write a file can seal it.
"""

import zlib

_BYTES = 4


def sealed(data: bytes, *key: object) -> bytes:
    """Return a record with the checksum of itself and its key behind it."""
    return data + _checksum(data, key)


def unsealed(data: bytes, *key: object) -> bytes:
    """Return a record without its checksum.

    Raises:
        ValueError: Where record and key are not those that were stored together.
    """
    content = data[:-_BYTES]
    if _checksum(content, key) != data[-_BYTES:]:
        raise ValueError("its checksum is of another record")
    return content


def _checksum(data: bytes, key: tuple[object, ...]) -> bytes:
    named = "\0".join(map(str, key)).encode()
    return zlib.crc32(data, zlib.crc32(named)).to_bytes(_BYTES, "big")
