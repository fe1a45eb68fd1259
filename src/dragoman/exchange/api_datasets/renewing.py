"""Writes an export anew in the place of an older one of the same dataset."""

import shutil
from pathlib import Path

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.exchange.api_datasets.writing import CARD, export_dataset

_DRAFT = ".draft"


def renew_export(folder: Path, form: str, out: Path) -> None:
    """Write a dataset as `export_dataset` does; an older export in that form gives way to it.

    Args:
        folder: The dataset.
        form: One of `FORMS`.
        out: Where to: nothing, or what was exported there before.

    Raises:
        UsageError: Where `out` holds anything else, or no task has an answer.
        StoreError: Where the dataset cannot be read.
        DataError: Where nothing can be written.
    """
    draft = out.with_name(out.name + _DRAFT)
    with OutsideErrors(DataError, f"{out} cannot be written"):
        if draft.exists():
            shutil.rmtree(draft)
        written = {path.relative_to(draft) for path in export_dataset(folder, form, draft)}
        there = {path.relative_to(out) for path in out.rglob("*") if path.is_file()}
        if there and not (Path(CARD) in there and there <= written):
            shutil.rmtree(draft)
            raise UsageError(f"{out} has other files than an export has: name another folder")
        if out.exists():
            shutil.rmtree(out)
        draft.rename(out)
