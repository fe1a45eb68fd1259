"""Model files for the trainer that pocketsphinx's own package lacks.

They are made from the files that the package has.
"""

import struct
from pathlib import Path

import numpy as np

_LOG_BASE = 1.0001
_SHIFT = 10
_BYTE_ORDER = 0x11223344


def write_mixture_weights(sendump: Path, target: Path) -> None:
    """Rebuild the mixture weights in the trainer's form from the decoder's dump of them.

    The dump holds a byte per weight, by feature stream and codeword: a negative logarithm to the
    base 1.0001, shifted right by ten bits.
    """
    content = sendump.read_bytes()
    streams, at = _streams(content)
    codewords, states = struct.unpack_from("<ii", content, at)
    dumped = np.frombuffer(content, np.uint8, streams * codewords * states, at + 8)
    weights = np.power(_LOG_BASE, -(dumped.astype(np.float64) * 2**_SHIFT))
    by_state = weights.reshape(streams, codewords, states).transpose(2, 0, 1).astype("<f4")
    head = b"s3\nversion 1.0\nendhdr\n" + struct.pack("<I", _BYTE_ORDER)
    sizes = struct.pack("<IIII", states, streams, codewords, by_state.size)
    target.write_bytes(head + sizes + by_state.tobytes())


def _streams(content: bytes) -> tuple[int, int]:
    """Return the number of feature streams in the header, and where the header ends."""
    streams = at = 0
    while True:
        (length,) = struct.unpack_from("<i", content, at)
        at += 4
        if length == 0:
            return streams, at
        name, _, value = content[at : at + length].rstrip(b"\0").decode().partition(" ")
        if name == "feature_count":
            streams = int(value)
        at += length
