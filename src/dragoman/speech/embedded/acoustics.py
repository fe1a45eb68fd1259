"""Acoustic models: pocketsphinx's own, and the one that was adapted to the embedded voices."""

import hashlib
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.speech.embedded.decoder import ADAPTED_FILES


class Acoustics(msgspec.Struct, frozen=True):
    """An acoustic model: its name, the folder of its files ("" for pocketsphinx's) and their hash."""

    name: str
    folder: str
    sha256: str


def adapted_acoustics() -> Acoustics:
    """Return the shipped model; what it leaves out comes from pocketsphinx's own package.

    Raises:
        DataError: Where its files are missing.
    """
    return acoustics_in(Path(__file__).parent / "acoustic_model", "adapted")


def stock_acoustics() -> Acoustics:
    """Return the model that comes with pocketsphinx."""
    return Acoustics("stock", "", "")


def acoustics_in(folder: Path, name: str) -> Acoustics:
    """Return the model whose files lie in a folder.

    Raises:
        DataError: Where its files are missing.
    """
    digest = hashlib.sha256()
    for file in ADAPTED_FILES:
        try:
            digest.update((folder / file).read_bytes())
        except OSError as error:
            raise DataError(f"{folder / file}: no file of an acoustic model: {error}") from error
    return Acoustics(name, str(folder), digest.hexdigest())
