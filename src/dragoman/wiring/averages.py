"""What one conversation takes on average, as a person states it in a file: for estimates without a record."""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from dragoman.analysis.forecast import ROLES, TakenOnAverage
from dragoman.conditions.clarification.judges import PURPOSE as CLARIFICATION
from dragoman.conditions.persona.profile_inference import PURPOSE as CONTEXT
from dragoman.conditions.voice.channel import RECOGNITION
from dragoman.core.errors import UsageError
from dragoman.core.speech import SYNTHESIS
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.texts.toml_values import MOST_BYTES, toml_values
from dragoman.core.usage import SEARCH, Usage
from dragoman.models.embeddings import PURPOSE as EMBEDDING
from dragoman.store.foreign_files import read_named

PURPOSES = (*ROLES, SYNTHESIS, RECOGNITION, CONTEXT, CLARIFICATION, EMBEDDING, SEARCH)
"""What models are asked for in conversations, as ledgers have it."""

_FORM = "docs/costs.md shows what to write"

_Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=10**9)]


class _Average(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    calls: Annotated[int, msgspec.Meta(gt=0, le=10**9)]
    model: str = ""
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cached_tokens: _Count | None = None
    audio_seconds: _Seconds | None = None
    characters: _Count | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    purposes: Annotated[dict[str, dict[str, object]], msgspec.Meta(min_length=1)]
    seconds: _Seconds | None = None


def read_averages(path: Path) -> TakenOnAverage:
    """Return what one conversation takes, as a file states it.

    Raises:
        UsageError: Where it cannot be read, naming what is wrong and what to write.
    """
    try:
        values = toml_values(read_named(path, MOST_BYTES).decode("utf-8"))
        written = msgspec.convert(values, _File)
    except OSError as error:
        raise UsageError(f"averages {path}: {error.strerror}: name a TOML file") from error
    except (tomllib.TOMLDecodeError, *UNREADABLE) as error:
        raise UsageError(f"averages {path}: {error}: {_FORM}") from error
    usage = tuple(_usage(purpose, each, path) for purpose, each in written.purposes.items())
    return TakenOnAverage(usage, written.seconds)


def _usage(purpose: str, written: Mapping[str, object], path: Path) -> Usage:
    if purpose not in PURPOSES:
        near = difflib.get_close_matches(purpose, PURPOSES, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose of {', '.join(PURPOSES)}"
        raise UsageError(f"averages {path}: no purpose {purpose!r:.60}: {hint}")
    try:
        stated = msgspec.convert(written, _Average)
    except msgspec.ValidationError as error:
        raise UsageError(f"averages {path}: {purpose}: {error}: {_FORM}") from error
    if purpose in ROLES and stated.model:
        raise UsageError(f"averages {path}: {purpose}: its model is the plan's: leave model out")
    if purpose not in ROLES and not stated.model:
        raise UsageError(
            f'averages {path}: {purpose}: the plan names no model: add model = "PROVIDER/MODEL"'
        )
    if (stated.cached_tokens or 0) > (stated.input_tokens or 0):
        raise UsageError(
            f"averages {path}: {purpose}: cached_tokens are a part of input_tokens: write fewer"
        )
    return Usage(
        purpose,
        stated.model,
        stated.calls,
        stated.input_tokens,
        stated.output_tokens,
        stated.cached_tokens,
        audio_seconds=stated.audio_seconds,
        characters=stated.characters,
    )
