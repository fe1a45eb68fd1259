"""Writes an export anew in the place of an older one, and of nothing else."""

import shutil
import tempfile
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.exchange.api_datasets.writing import MARK, ExportMark, export_dataset, hash_of

_OTHER = "has other files than an export wrote: name another folder"


def renew_export(folder: Path, form: str, out: Path) -> None:
    """Write a dataset as `export_dataset` does; an older export gives way to it.

    Args:
        folder: The dataset.
        form: One of `FORMS`.
        out: Where to: nothing, or what was exported there before and not changed since.

    Raises:
        UsageError: Where `out` holds anything else, or no task has an answer.
        StoreError: Where the dataset cannot be read.
        DataError: Where nothing can be written.
    """
    require_own_export(out)
    with TranslatedErrors(DataError, f"{out} cannot be written"):
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            export_dataset(folder, form, draft)
            draft.chmod(0o755)
            if out.exists():
                shutil.rmtree(out)
            draft.rename(out)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def require_own_export(out: Path) -> None:
    """See that a folder holds nothing but what an export wrote, as it wrote it.

    Raises:
        UsageError: Where it holds anything else.
        DataError: Where it cannot be read.
    """
    with TranslatedErrors(DataError, f"{out}: cannot be read"):
        if out.exists() and not out.is_dir():
            raise UsageError(f"{out} is a file: name another folder")
        found = {
            path.relative_to(out).as_posix(): path for path in out.rglob("*") if not path.is_dir()
        }
    mark = found.pop(MARK, None)
    if mark is None:
        if found:
            raise UsageError(f"{out} {_OTHER}")
        return
    written = _mark_in(mark)
    changed = [name for name, path in found.items() if written.get(name) != hash_of(path)]
    if changed:
        raise UsageError(f"{out} {_OTHER} ({min(changed)!r:.80})")


def _mark_in(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=ExportMark).files
    except DECODING_ERRORS:
        return {}
