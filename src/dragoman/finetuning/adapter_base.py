"""An adapter's folder says which weights it was learnt on: on others it means nothing."""

from pathlib import Path

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.weights_hash import weights_hash

_FILE = "base.json"


class _Base(msgspec.Struct):
    weights: str


def write_base(adapter: Path, base: Path) -> None:
    """Write down the weights that an adapter was learnt on."""
    (adapter / _FILE).write_bytes(msgspec.json.encode(_Base(weights_hash(base))))


def base_of(adapter: Path) -> str:
    """Return the hash of the weights that an adapter was learnt on; "" where it does not say."""
    try:
        return msgspec.json.decode((adapter / _FILE).read_bytes(), type=_Base).weights
    except (OSError, *DECODING_ERRORS):
        return ""
