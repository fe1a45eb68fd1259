"""What makes a model in a folder what it is: hashes of its files and the versions of what computes it."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.local.spec import FolderModel
from dragoman.finetuning.weights_hash import file_hash

ADAPTER_SETTINGS = "adapter_config.json"
_COMPUTED_BY = ("torch", "transformers", "tokenizers", "peft")


def identity_of(spec: FolderModel, device: str) -> str:
    """Return the content key of weights, adapter, template, settings and versions; no path is part of it."""
    sampling = msgspec.structs.asdict(spec.sampling) | {"batch": None, "device": device}
    versions = [version(name) for name in _COMPUTED_BY]
    adapter = list(_hashes(Path(spec.adapter))) if spec.adapter else []
    return content_key("local-1", list(_hashes(Path(spec.folder))), adapter, sampling, versions)


def _hashes(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield names and hashes of the files that a model is loaded from."""
    for file in sorted(folder.iterdir()):
        if file.name == ADAPTER_SETTINGS:
            yield file.name, _without_path(file)
        elif file.suffix in {".safetensors", ".json", ".jinja"} and file.is_file():
            yield file.name, file_hash(file)


def _without_path(file: Path) -> str:
    """Return the hash of an adapter's settings without the place where its base lay."""
    try:
        settings = msgspec.json.decode(file.read_bytes(), type=dict[str, object])
    except DECODING_ERRORS:
        return file_hash(file)
    return content_key({k: v for k, v in settings.items() if k != "base_model_name_or_path"})
