"""What the entry point `local` of the group `dragoman.models` names."""

from dragoman.core.errors import UsageError
from dragoman.core.protocols import IdentifiedModel
from dragoman.finetuning.extra import require_extra
from dragoman.finetuning.local.checking import require_model
from dragoman.finetuning.local.identity import identity_of
from dragoman.finetuning.local.spec import FolderModel, read_local
from dragoman.finetuning.memory import free_memory


def open_model(written: str) -> IdentifiedModel:
    """Return the model in a folder; nothing is loaded before it is asked.

    Args:
        written: `local/PATH?adapter=FOLDER` with parameters.

    Raises:
        UsageError: Where there is no such model, it cannot be asked here, or the extra is missing.
    """
    spec = read_local(written)
    require_extra()
    from dragoman.finetuning.local.decoding import free_gpu_memory, has_gpu
    from dragoman.finetuning.local.model import LocalModel

    on_gpu = _on_gpu(spec, is_there=has_gpu())
    require_model(spec, free_gpu_memory() if on_gpu else free_memory(), on_gpu=on_gpu)
    return LocalModel(spec, identity_of(spec, "gpu" if on_gpu else "cpu"), on_gpu=on_gpu)


def _on_gpu(spec: FolderModel, *, is_there: bool) -> bool:
    if spec.sampling.device == "gpu" and not is_there:
        raise UsageError(f"{spec.name}: device=gpu, and there is none here: leave it out")
    return is_there and spec.sampling.device != "cpu"
