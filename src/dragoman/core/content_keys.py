"""Content hashes and seeds: equal content has an equal key on every machine."""

import hashlib

import msgspec

_ENCODER = msgspec.json.Encoder(order="deterministic")


def content_key(*parts: object) -> str:
    """Return a 128-bit hash, in hex, of records, strings, numbers and containers of them."""
    return hashlib.blake2b(_ENCODER.encode(parts), digest_size=16).hexdigest()


def encoded_parts(*parts: object) -> bytes:
    """Return the encoding of some parts that `content_key` hashes, for `key_of_encoded`."""
    return _ENCODER.encode(parts)[1:-1]


def key_of_encoded(*encoded: bytes) -> str:
    """Return the `content_key` of parts that were encoded in pieces.

    Equal parts need the encoding only once.
    """
    content = b"[" + b",".join(encoded) + b"]"
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def named_key(key: str, name: str) -> str:
    """Return a content key mixed with a name; the same call again restores the key.

    A stored key thus also gives the key of the same content without the name.
    """
    return f"{int(key, 16) ^ int(content_key('name-1', name), 16):032x}"


def derive_seed(key: str, purpose: str) -> int:
    """Return a seed below 2**31 that depends on a content key and a purpose only."""
    digest = hashlib.blake2b(f"{key}/{purpose}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1
