"""Where BFCL's data come from, and how its prompts and constants are read from its modules."""

import functools
import importlib.resources
import re
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.pulling.sources import Derived, PinnedSource, load_source
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

HINT = "run `dragoman data pull bfcl`"
"""What to do where data are missing."""

PROMPTS = "prompts.json"
"""The derived file of all texts that a model is shown."""

LONG_TEXTS = "long_context.json"
"""The derived file of what long-context entries add."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_LANGUAGES = ("java", "javascript", "python")
_NOTES = "_get_language_specific_hint"
_PARAMETERS = "_func_doc_language_specific_pre_processing"
_FLOATS = "_cast_to_openai_type"


@functools.cache
def bfcl_source() -> PinnedSource:
    """Return the pinned upstream of BFCL v4."""
    folder = importlib.resources.files("dragoman.benchmarks.bfcl")
    return load_source(folder.joinpath("sources.toml").read_bytes())


def derive_texts(entry: Derived, modules: Mapping[str, str]) -> object:
    """Return the prompts or constants that the texts of modules hold.

    Args:
        entry: The derived file, which names its modules.
        modules: Their texts by short name.

    Raises:
        DataError: Where a module is not of the form that is understood.
    """
    from dragoman.benchmarks.bfcl.literals import function_texts, module_constants

    first, *others = entry.modules
    constants = module_constants(modules[first], first)
    if entry.name != PROMPTS:
        return constants
    prompting, calling = others
    parameters = function_texts(modules[prompting], _PARAMETERS, prompting)
    return _prompts(
        constants,
        _named(_LANGUAGES, function_texts(modules[prompting], _NOTES, prompting)),
        parameters,
        _named(["float"], function_texts(modules[calling], _FLOATS, calling))["float"],
    )


def adopt_texts(entry: Derived, recorded: object) -> object:
    """Return the prompts of a local copy that records them with remarks beside them.

    Raises:
        DataError: Where the copy has neither layout.
    """
    if entry.name != PROMPTS:
        return recorded
    try:
        copy = msgspec.convert(recorded, _Recorded)
    except UNREADABLE as error:
        raise DataError(f"{entry.name} of the local copy holds no prompts: {error}") from error
    notes = copy.language_notes
    java, javascript = notes.java_parameter, notes.javascript_parameter
    fragments = [*java.values(), *javascript.values()]
    return _prompts(
        copy.default_prompts,
        {"java": notes.java, "javascript": notes.javascript, "python": notes.python},
        [_PLACEHOLDER.sub("{}", text) for text in fragments],
        copy.tool_schema_notes.float_parameter,
    )


class _LanguageNotes(msgspec.Struct, frozen=True):
    python: str
    java: str
    javascript: str
    java_parameter: dict[str, str]
    javascript_parameter: dict[str, str]


class _SchemaNotes(msgspec.Struct, frozen=True):
    float_parameter: str


class _Recorded(msgspec.Struct, frozen=True):
    default_prompts: dict[str, object]
    language_notes: _LanguageNotes
    tool_schema_notes: _SchemaNotes


def _prompts(
    constants: Mapping[str, object],
    notes: Mapping[str, str],
    parameters: Sequence[str],
    float_note: str,
) -> dict[str, object]:
    java, javascript = parameters[:3], parameters[3:]
    return {
        "constants": constants,
        "language_notes": notes,
        "parameter_notes": {
            "java": _named(["any", "typed", "elements"], java),
            "javascript": _named(["any", "typed", "elements", "entries"], javascript),
        },
        "float_note": float_note,
    }


def _named(names: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    if len(names) != len(texts):
        raise DataError(f"{len(texts)} texts stand where {', '.join(names)} are: no pinned module")
    return dict(zip(names, texts, strict=True))
