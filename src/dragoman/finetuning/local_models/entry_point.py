"""The entry point `local` of the group `dragoman.models`."""

from dragoman.core.errors import UsageError
from dragoman.core.protocols import IdentifiedModel
from dragoman.finetuning.cost_estimate import free_memory
from dragoman.finetuning.local_models.spec import (
    FolderModel,
    identity_of,
    read_local,
    require_model,
)
from dragoman.finetuning.optional_dependencies import require_extra


def open_model(written: str) -> IdentifiedModel:
    """Return the model in a folder; nothing is loaded before the first request.

    Args:
        written: `local/PATH?adapter=FOLDER` with parameters.

    Raises:
        UsageError: If the model does not exist or cannot be used here, or the extra is missing.
    """
    spec = read_local(written)
    require_extra()
    from dragoman.finetuning.local_models.model import LocalModel, free_gpu_memory, has_gpu

    on_gpu = _on_gpu(spec, is_there=has_gpu())
    require_model(spec, free_gpu_memory() if on_gpu else free_memory(), on_gpu=on_gpu)
    return LocalModel(spec, identity_of(spec, "gpu" if on_gpu else "cpu"), on_gpu=on_gpu)


def _on_gpu(spec: FolderModel, *, is_there: bool) -> bool:
    if spec.sampling.device == "gpu" and not is_there:
        raise UsageError(f"{spec.name}: device=gpu, and there is none here: leave it out")
    return is_there and spec.sampling.device != "cpu"
