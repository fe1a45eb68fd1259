"""A model's folder: sizes read from file headers, hashes of weights, the base of an adapter.

No weight is loaded. An adapter's folder names the weights that it was trained on: it is invalid
on any others.
"""

import functools
import hashlib
import json
from collections.abc import Mapping
from math import prod
from pathlib import Path

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
_HEAD = 8
_MOST_HEAD_BYTES = 100_000_000


LOADED_TOKENIZER: Mapping[str, bool] = {"local_files_only": True, "trust_remote_code": False}
"""Options with which libraries load the tokenizer of a folder.

Without them, libraries ask at a terminal for permission to run the folder's code.
"""

LOADED_WEIGHTS: Mapping[str, bool] = {**LOADED_TOKENIZER, "use_safetensors": True}
"""Options with which libraries load its weights.

Pickled weights would run code when they are read.
"""


class ModelFacts(msgspec.Struct, frozen=True):
    """A causal model as far as its size goes.

    `context` is how many tokens it was made for; 0 where it does not say.
    """

    kind: str
    parameters: int
    bytes: int
    hidden: int
    layers: int
    vocabulary: int
    context: int = 0


class _Config(msgspec.Struct):
    model_type: str
    hidden_size: int
    num_hidden_layers: int
    vocab_size: int
    max_position_embeddings: int = 0


def read_model(folder: Path) -> ModelFacts:
    """Return the size of the model in a folder.

    Raises:
        UsageError: If the folder has no model, a file is missing from it, or a file of weights is
            incomplete.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such model: name a folder with {CONFIG} and weights")
    for name in (CONFIG, TOKENIZER):
        if not (folder / name).is_file():
            raise UsageError(f"{folder}: not a model: it has no {name}")
    try:
        config = msgspec.json.decode((folder / CONFIG).read_bytes(), type=_Config)
    except (OSError, *DECODING_ERRORS) as error:
        raise UsageError(
            f"{folder / CONFIG}: not the configuration of a causal model ({error})"
        ) from error
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise UsageError(f"{folder}: no weights: it needs files *.safetensors")
    sizes = [tensors_of(file) for file in files]
    return ModelFacts(
        config.model_type,
        sum(prod(shape) for each in sizes for shape in each.values()),
        sum(file.stat().st_size for file in files),
        config.hidden_size,
        config.num_hidden_layers,
        config.vocab_size,
        config.max_position_embeddings,
    )


def tensors_of(file: Path) -> Mapping[str, tuple[int, ...]]:
    """Return the shapes of a file's tensors by name.

    Raises:
        UsageError: If the file is cut off, or is not a file of weights.
    """
    broken = (
        f"{file}: a broken file of weights: take the model or checkpoint from where it came again"
    )
    try:
        with file.open("rb") as opened:
            size = int.from_bytes(opened.read(_HEAD), "little")
            if not 0 < size <= min(_MOST_HEAD_BYTES, file.stat().st_size - _HEAD):
                raise UsageError(broken)
            head = json.loads(opened.read(size))
        head.pop("__metadata__", None)
        end = max((each["data_offsets"][1] for each in head.values()), default=0)
        shapes = {name: tuple(map(int, each["shape"])) for name, each in head.items()}
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        RecursionError,
    ) as error:
        raise UsageError(broken) from error
    if file.stat().st_size != _HEAD + size + end:
        raise UsageError(broken)
    return shapes


_BLOCK = 1 << 20


def weights_hash(folder: Path) -> str:
    """Return one hash of all weights in a folder, whatever their files are called."""
    return content_key("weights-1", sorted(map(file_hash, folder.glob("*.safetensors"))))


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    file_status = file.stat()
    return _hash(str(file.absolute()), file_status.st_size, file_status.st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _hash(file: str, size: int, changed: int) -> str:  # noqa: ARG001
    made = hashlib.sha256()
    with Path(file).open("rb") as opened:
        while block := opened.read(_BLOCK):
            made.update(block)
    return made.hexdigest()


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
