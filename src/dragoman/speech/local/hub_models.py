"""Whisper models that are downloaded by name: a table of pinned files, read strictly and once."""

import difflib
from functools import cache
from importlib.resources import files
from typing import Annotated

import msgspec

from dragoman.core.errors import UsageError

_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
_Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}$")]
_FileName = Annotated[str, msgspec.Meta(pattern=r"^[a-z_]+\.(json|bin|txt)$")]


class HubFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a model: its name, its size in bytes and its SHA-256."""

    name: _FileName
    size: Annotated[int, msgspec.Meta(gt=0)]
    sha256: _Sha256


class HubModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One model at a pinned commit of a repository on the Hugging Face hub."""

    name: str
    repository: str
    revision: _Commit
    files: tuple[HubFile, ...]
    aliases: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for file in self.files)

    def address(self, endpoint: str, file: HubFile) -> str:
        """Return the web address of a file at a hub."""
        return f"{endpoint.rstrip('/')}/{self.repository}/resolve/{self.revision}/{file.name}"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: tuple[HubModel, ...]


@cache
def load_hub_models() -> tuple[HubModel, ...]:
    """Return the models that ship by name."""
    content = (files("dragoman.speech.local") / "hub_models.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Table).models


def find_hub_model(name: str, written: str) -> HubModel:
    """Return the model of a name, or of an alias.

    Raises:
        UsageError: Where there is none, with the nearest name.
    """
    models = {each: model for model in load_hub_models() for each in (model.name, *model.aliases)}
    if name in models:
        return models[name]
    near = difflib.get_close_matches(name.lower(), models, 1)
    hint = f"did you mean whisper/{near[0]}? " if near else ""
    raise UsageError(
        f"{written}: there is no folder {name!r} and no model of that name: {hint}"
        f"Models are {', '.join(models)}; whisper/FOLDER names a folder"
    )
