"""Folders of models and adapters are looked at before anything is loaded."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.adapter_base import base_of
from dragoman.finetuning.local.identity import ADAPTER_SETTINGS
from dragoman.finetuning.local.spec import FolderModel
from dragoman.finetuning.memory import gib
from dragoman.finetuning.model_folder import TOKENIZER, read_model, tensors_of
from dragoman.finetuning.weights_hash import weights_hash

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
        UsageError: Where there is no model or adapter, the adapter is another model's, no template says
            how messages are shown, or the weights do not fit.
    """
    folder = Path(spec.folder)
    facts = read_model(folder)
    needed = facts.parameters * (_HALF if on_gpu else _FULL)
    if 0 < free < needed:
        where = "the GPU" if on_gpu else "this machine"
        raise UsageError(
            f"{folder}: too little memory: the weights need {gib(needed)} and {where} has {gib(free)}"
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
    """Whether a tokenizer's files have a chat template."""
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
    """Whether a tensor of LoRA has the shape of what it is added to; others are not looked at."""
    for side, at in ((".lora_A.weight", 1), (".lora_B.weight", 0)):
        if name.endswith(side):
            own = weights.get(name.removeprefix("base_model.model.").removesuffix(side) + ".weight")
            return own is not None and own[at] == shape[at]
    return True
