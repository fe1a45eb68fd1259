"""What a suite declares of itself for translations: a TOML file beside its data."""

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.language.declarations import Declarations
from dragoman.core.texts.decoding import UNREADABLE


def decode_declarations(content: bytes, where: str) -> Declarations:
    """Return what a TOML file declares.

    Raises:
        DataError: Where it is damaged or says what nothing reads.
    """
    try:
        return msgspec.toml.decode(content, type=Declarations)
    except UNREADABLE as error:
        raise DataError(f"{where}: {error}") from error
