"""What speech has and text has not, as data: a file per language with rates and words, read strictly."""

import importlib.resources
from collections.abc import Mapping
from functools import cache
from typing import Annotated

import msgspec

from dragoman.core.errors import UsageError

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Inserted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phenomenon that adds words.

    Attributes:
        rate: The share of the places where it could stand at which it does.
        words: What is said; `{word}` is the word at whose place it stands.
        at: The words before which it can stand; none for the beginnings of sentences.
    """

    rate: Rate
    words: tuple[str, ...]
    at: frozenset[str] = frozenset()


class Phenomena(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The phenomena of one language.

    Attributes:
        version: Names what these rules do; changed data are another version.
        worded: The share of values, by kind, that are put in words; `path` is for what has signs inside.
        unquoted: The share of quotation marks that are not said.
        lowered: Words that lose their capital where something is said before them.
        after_verbs: Words that follow a verb and no name: what stands before them loses its capital too.
        kept: Words with signs inside that are no values.
        false_start: At the beginning of a message.
        filler_first: At the beginnings of sentences.
        filler: Inside sentences.
        hesitation: Words said twice.
        correction: Words begun, taken back and said again.
        spelling: After names, letter by letter; `{word}` is the letters.
    """

    version: str
    worded: dict[str, Rate]
    unquoted: Rate
    lowered: frozenset[str]
    after_verbs: frozenset[str]
    kept: frozenset[str]
    false_start: Inserted
    filler_first: Inserted
    filler: Inserted
    hesitation: Inserted
    correction: Inserted
    spelling: Inserted

    @property
    def inside(self) -> Mapping[str, Inserted]:
        """What can stand inside sentences, by name."""
        return {
            "correction": self.correction,
            "hesitation": self.hesitation,
            "filler": self.filler,
        }


@cache
def phenomena_of(language: str) -> Phenomena:
    """Return the phenomena of a language.

    Raises:
        UsageError: Where none are known.
    """
    primary = language.replace("_", "-").split("-")[0].casefold()
    folder = importlib.resources.files(__package__) / "languages"
    known = sorted(file.name.removesuffix(".toml") for file in folder.iterdir())
    if primary not in known:
        raise UsageError(
            f"no rules rewrite {language!r:.20} as speech; there are some for {', '.join(known)}"
        )
    content = (folder / f"{primary}.toml").read_bytes()
    return msgspec.toml.decode(content, type=Phenomena)
