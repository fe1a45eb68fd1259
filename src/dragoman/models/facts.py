"""What is known of providers and models: a table, read strictly and once."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from dragoman.models.history_form import HistoryForm

LITELLM = "litellm:"
"""Begins the addresses that litellm serves: `litellm:PROVIDER`, or an address in its place.

In the table `litellm:` alone is whatever provider a model's name begins with.
"""

ParameterType = Literal["number", "integer", "string", "boolean", "array", "object"]

TYPES: Mapping[ParameterType, tuple[type, ...]] = {
    "number": (int, float),
    "integer": (int,),
    "string": (str,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def fits(value: object, kind: ParameterType) -> bool:
    """Whether a value is of a parameter's type; a boolean is no number."""
    return isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One provider.

    Attributes:
        url: The address that `/chat/completions` is added to; empty where the user must give one.
        url_env: The environment variable that may hold another address.
        key_env: The environment variable that holds the key.
        needs_key: Whether nothing works without one.
        seeds: Whether it takes a seed.
        schemas: Whether it takes a JSON schema for replies.
        refuses: Parameters that it does not take.
        audio: How it takes audio in messages, by the name in the table.
        history: The form in which it takes histories; the safe one where nothing else is known.
        other_keys: Environment variables that litellm itself reads.
    """

    url: str = ""
    url_env: str = ""
    key_env: str = ""
    needs_key: bool = False
    seeds: bool = True
    schemas: bool = True
    refuses: tuple[str, ...] = ()
    audio: str = "openai"
    history: HistoryForm = HistoryForm()
    other_keys: tuple[str, ...] = ()


class ModelFamily(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Models that share what they do not take; `instead` names the parameter to use.

    `history` is the form in which they take histories, where it is not their provider's.
    """

    match: tuple[str, ...]
    refuses: tuple[str, ...] = ()
    instead: dict[str, str] = {}
    seeds: bool = True
    history: HistoryForm | None = None


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table.

    Attributes:
        parameters: What may be set, and its type.
        audio: How parts of messages that are audio are written, by name.
        hearing: Patterns of models that are known to hear.
        providers: By name.
        models: Families of models; the first that matches counts.
    """

    parameters: dict[str, ParameterType]
    providers: dict[str, Provider]
    models: tuple[ModelFamily, ...]
    audio: dict[str, str]
    hearing: tuple[str, ...]

    def hears(self, model: str) -> bool:
        """Return whether a model, `provider/name`, is known to hear."""
        return any(fnmatchcase(model, pattern) for pattern in self.hearing)

    def family(self, model: str) -> ModelFamily:
        """Return what is known of a model, `provider/name`; the first match counts."""
        for family in self.models:
            if any(fnmatchcase(model, pattern) for pattern in family.match):
                return family
        return ModelFamily(())


@cache
def load_facts() -> Facts:
    """Return the table that ships."""
    content = (files("dragoman.models") / "providers.toml").read_bytes()
    return msgspec.toml.decode(content, type=Facts)
