"""The name, files and identity of a local model: `local/PATH?adapter=FOLDER&name=value`.

The name is read strictly, and folders are checked before anything is loaded. The identity is made
of hashes of files and of the versions of the libraries that compute the model.
"""

import difflib
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.cost_estimate import format_gib
from dragoman.finetuning.model_folder import (
    TOKENIZER,
    base_of,
    file_hash,
    read_model,
    tensors_of,
    weights_hash,
)
from dragoman.models.model_spec import parse_parameters, parse_value

LOCAL = "local/"


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sampling of answers; at temperature 0, the likeliest token is taken.

    `max_tokens` limits one answer. `batch` is the number of answers that are written at once: it
    changes the time and not the answers. On a `gpu` numbers are bf16, on a `cpu` fp32.
    """

    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, msgspec.Meta(gt=0, le=100_000)] = 512
    batch: Annotated[int, msgspec.Meta(gt=0, le=1024)] = 16
    device: Literal["auto", "cpu", "gpu"] = "auto"


class FolderModel(msgspec.Struct, frozen=True):
    """A model in a folder, with what was learnt on top of it.

    `name` is what tables and ledgers say; `adapter` is "" for none.
    """

    name: str
    folder: str
    adapter: str
    sampling: Sampling


def read_local(written: str) -> FolderModel:
    """Read the name of a local model.

    Raises:
        UsageError: If it names no folder, or a parameter does not exist or does not fit.
    """
    head, _, query = written.partition("?")
    folder = head.removeprefix(LOCAL)
    if not folder:
        raise UsageError(f"{written!r} names no model: write {LOCAL}FOLDER")
    given = dict(parse_parameters(query, written))
    adapter = given.pop("adapter", None)
    if adapter is not None and not adapter:
        raise UsageError(f"{written}: adapter= names no folder")
    for name in given:
        if name not in Sampling.__struct_fields__:
            known = ["adapter", *Sampling.__struct_fields__]
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"{written}: unknown parameter {name!r}: {hint}")
    try:
        sampling = msgspec.convert({k: parse_value(v) for k, v in given.items()}, Sampling)
    except msgspec.ValidationError as error:
        raise UsageError(f"{written}: {error}") from error
    name = head if adapter is None else f"{head}?adapter={adapter}"
    return FolderModel(name, folder, adapter or "", sampling)


ADAPTER_SETTINGS = "adapter_config.json"
_COMPUTED_BY = ("torch", "transformers", "tokenizers", "peft")


def identity_of(spec: FolderModel, device: str) -> str:
    """Return the content key of a folder model, which does not depend on paths.

    It covers weights, adapter, template, settings and versions.
    """
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


_ADAPTER = "adapter_model.safetensors"
_TEMPLATE, _OWN = "chat_template.jinja", "tokenizer_config.json"
_FULL, _HALF = 4, 2


def require_model(spec: FolderModel, free: int, *, on_gpu: bool) -> None:
    """Refuse what cannot be loaded and asked.

    Args:
        spec: The model.
        free: Bytes of memory; 0 where that is unknown.
        on_gpu: Whether it is loaded there.

    Raises:
        UsageError: If the model or the adapter does not exist, the adapter belongs to another
            model, no template formats messages, or the weights do not fit.
    """
    folder = Path(spec.folder)
    facts = read_model(folder)
    needed = facts.parameters * (_HALF if on_gpu else _FULL)
    if 0 < free < needed:
        where = "the GPU" if on_gpu else "this machine"
        raise UsageError(
            f"{folder}: too little memory: the weights need {format_gib(needed)} and {where} has "
            f"{format_gib(free)}"
        )
    if spec.adapter:
        _require_adapter(Path(spec.adapter), folder)
    if not has_template(tokenizer_folder(spec)):
        raise UsageError(f"{folder}: its tokenizer has no chat template: take an instruct model")


def tokenizer_folder(spec: FolderModel) -> Path:
    """Return where tokenizer and template are: an adapter may have those that it learnt by."""
    adapter = Path(spec.adapter)
    has_own = spec.adapter and (adapter / TOKENIZER).is_file() and has_template(adapter)
    return adapter if has_own else Path(spec.folder)


def has_template(folder: Path) -> bool:
    """Return whether a tokenizer's files have a chat template."""
    if (folder / _TEMPLATE).is_file():
        return True
    try:
        own = msgspec.json.decode((folder / _OWN).read_bytes(), type=dict[str, object])
    except (OSError, *DECODING_ERRORS):
        return False
    return bool(own.get("chat_template"))


def _require_adapter(adapter: Path, base: Path) -> None:
    if not (adapter / _ADAPTER).is_file() or not (adapter / ADAPTER_SETTINGS).is_file():
        raise UsageError(
            f"{adapter}: no adapter: name a folder with {_ADAPTER} and {ADAPTER_SETTINGS}"
        )
    another = UsageError(f"{adapter}: the adapter is of another model than {base}")
    learnt_on = base_of(adapter)
    if learnt_on and learnt_on != weights_hash(base):
        raise another
    weights: dict[str, tuple[int, ...]] = {}
    for file in base.glob("*.safetensors"):
        weights |= tensors_of(file)
    if not all(
        _fits(name, shape, weights) for name, shape in tensors_of(adapter / _ADAPTER).items()
    ):
        raise another


def _fits(name: str, shape: tuple[int, ...], weights: Mapping[str, tuple[int, ...]]) -> bool:
    """Return whether a LoRA tensor fits the shape of its base weight; others always fit."""
    for side, at in ((".lora_A.weight", 1), (".lora_B.weight", 0)):
        if name.endswith(side):
            own = weights.get(name.removeprefix("base_model.model.").removesuffix(side) + ".weight")
            return own is not None and own[at] == shape[at]
    return True
