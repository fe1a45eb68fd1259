"""Costs of artifacts that are not runs: audio sets, API datasets, translations, trainings."""

from decimal import Decimal
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.analysis.cell_summary import LedgerLine, ledger
from dragoman.core.costs import Cost, PriceOf
from dragoman.core.errors import DataError
from dragoman.core.usage import Usage
from dragoman.store.audio_set import audio_set_usage
from dragoman.store.audio_set_format import SETTINGS
from dragoman.store.dataset import FILE as DATASET
from dragoman.store.dataset import Dataset
from dragoman.store.training_results import RESULT, TrainingResult, result_in
from dragoman.store.translation_memory import FILE as MEMORY
from dragoman.store.translation_memory import TranslationMemory

TRAINER = "trainer"
"""The purpose of a training; it reads tokens, and costs what its machine does."""

Kind = Literal["audio set", "dataset", "translations", "training"]


class ArtifactCost(msgspec.Struct, frozen=True):
    """The kind of artifact at a path, and the usage by model and purpose to make it."""

    path: str
    kind: Kind
    lines: tuple[LedgerLine, ...]


def artifact_cost(path: Path, price_of: PriceOf) -> ArtifactCost | None:
    """Return the usage that made the artifact at a path; None if it is not an artifact.

    Args:
        path: A folder, or the file of a translation memory.
        price_of: Returns prices; a training has its own.

    Raises:
        DataError: If it cannot be read.
        StoreError: If its database cannot be read.
    """
    memory = path if path.is_file() and path.suffix == Path(MEMORY).suffix else path / MEMORY
    if (path / SETTINGS).is_file():
        return ArtifactCost(str(path), "audio set", ledger(audio_set_usage(path), price_of))
    if (path / DATASET).is_file():
        with Dataset(path, write=False) as dataset:
            used = [each for entries in dataset.usage().values() for each in entries]
        return ArtifactCost(str(path), "dataset", ledger(used, price_of))
    if (path / RESULT).is_file():
        return ArtifactCost(str(path), "training", (_trainer(result_in(path), path),))
    if memory.is_file():
        with TranslationMemory(memory, write=False) as opened:
            return ArtifactCost(str(path), "translations", ledger(opened.usage(), price_of))
    return None


def _trainer(trained: TrainingResult, path: Path) -> LedgerLine:
    used = trained.used
    if used is None:
        raise DataError(f"{path / RESULT}: it does not tell what the training used: train it again")
    dollars = None if trained.cost is None else Decimal(str(trained.cost))
    cost = None if dollars is None else Cost(dollars, dollars)
    line = Usage(TRAINER, trained.device, 1, used.tokens, 0, seconds=used.seconds)
    return LedgerLine(line, cost)
