"""Settings reported in tau2-bench's result files, mapped to conditions of a run.

Forks such as SEATauBench report languages, personas and audio in fields of their own.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from dragoman.core.conditions import (
    ENGLISH,
    ITSELF,
    JOIN,
    PLAIN,
    SCENARIOS,
    SURFACES,
    Condition,
    Localized,
    Surface,
    condition_of,
)

HALF_DUPLEX = "half_duplex"
"""The mode of conversations in which the sides take turns; the only one that is read."""

FULL_DUPLEX = "full_duplex"
"""The mode of conversations that are stored as ticks of audio."""

_CODES: Mapping[str, str] = {
    "chinese": "zh",
    "czech": "cs",
    "english": "en",
    "filipino": "tl",
    "hindi": "hi",
    "indonesian": "id",
    "korean": "ko",
    "mandarin": "zh",
    "portuguese": "pt",
    "spanish": "es",
    "tagalog": "tl",
    "thai": "th",
    "vietnamese": "vi",
    "cmn": "zh",
    "fil": "tl",
}
"""Codes of languages by what files call them in the place of a code."""

_PLAIN_TAGS = frozenset(
    {"en-us", "en-gb", "id-id", "th-th", "tl-ph", "vi-vn", "zh-cn", "zh-hans", "zh-hans-cn"}
)
"""Tags that say no more than their language."""

_EXPERIMENTS: Mapping[str, tuple[Surface, ...]] = {
    "english": (),
    "baseline": (),
    "1-english-only": (),
    "l2_interaction": SCENARIOS["interaction"],
    "crosslingual": SCENARIOS["interaction"],
    "3-crosslingual": SCENARIOS["interaction"],
    "l2_tools": SCENARIOS["tools"],
    "mixed_tools": SCENARIOS["tools"],
    "2-multilingual-tools": SCENARIOS["tools"],
    "l2_domain": SCENARIOS["domain"],
    "translated": SCENARIOS["domain"],
    "localized": SCENARIOS["domain"],
    "4-translated": SCENARIOS["domain"],
}
"""The surfaces of SEATauBench's scenarios, by their names of today and earlier ones."""

_COMPONENTS: Mapping[str, tuple[Surface, ...]] = {
    "user_system": ("conversation",),
    "agent_system": ("conversation",),
    "greeting": ("greeting",),
    "tools": ("tools",),
    "tool_mix": ("tools",),
    "mixed_tools": ("tools",),
    "policy": ("policy",),
    "db": ("database",),
    "tasks": ("tasks",),
    "context": ("policy", "database", "tasks"),
    "all": SURFACES,
}
"""The surfaces that each of its components is."""

_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}")
_MIX = re.compile(r"(?:^|[_/])([a-z]{2,3}(?:-[a-z]{2,3})+)(?:\.\w+)?$")
_NAME = re.compile(r"\w[\w .:@-]{0,59}", re.ASCII)
_MODE = "mode"


class _Seatau(msgspec.Struct, frozen=True):
    """The settings that SEATauBench's program adds."""

    experiment_name: object = None
    run_language: object = None
    lang_components: object = None
    tool_mix_config: object = None
    mixed_tools_config: object = None


class ReportedSettings(msgspec.Struct, frozen=True):
    """The fields of an `info`, or of one simulation, that describe the settings of the run.

    Each field may have any type.
    """

    lang_id: object = None
    lang_components: object = None
    seatau_info: object = None
    speech_complexity: object = None
    audio_native_config: object = None
    persona: object = None
    persona_config: object = None
    speech_environment: object = None
    mode: object = None

    def over(self, general: "ReportedSettings") -> "ReportedSettings":
        """Return these fields, with those of the whole file where one says nothing."""
        own = {name: getattr(self, name) for name in self.__struct_fields__}
        return msgspec.structs.replace(
            general, **{name: value for name, value in own.items() if value is not None}
        )

    @property
    def unknown_language(self) -> str:
        """Text in place of a language that names none, shortened; "" if there is none."""
        said = self.lang_id
        return "" if said is None or said == "" or language_code(said) else f"{said!r:.40}"

    @property
    def condition(self) -> Condition:
        """All of these settings as a condition."""
        axes = {**_read_language_axes(self), **_read_voice_axes(self)}
        persona = _persona(self)
        if persona:
            axes["persona"] = persona
        mode = _name(self.mode)
        if mode and mode != HALF_DUPLEX:
            axes[_MODE] = mode
        return condition_of(axes) if axes else PLAIN


def language_code(said: object) -> str:
    """Return the code of a language that a file names; "" if it does not name a language."""
    if not isinstance(said, str):
        return ""
    tag = said.strip().lower().replace("_", "-")
    code = _CODES.get(tag, tag)
    if _TAG.fullmatch(code) is None:
        return ""
    language, *rest = code.split("-")
    language = _CODES.get(language, language)
    if not rest or f"{language}-{'-'.join(rest)}" in _PLAIN_TAGS or language == ENGLISH:
        return language
    return "-".join((language, *map(_format_subtag, rest)))


def _format_subtag(subtag: str) -> str:
    """Return a subtag as it is written: scripts like Hans, regions like BR."""
    return subtag.title() if len(subtag) == len("Hans") and subtag.isalpha() else subtag.upper()


def _read_language_axes(said: ReportedSettings) -> dict[str, str]:
    """Return the values on the axes of language; none where all was in English."""
    seatau = _record(said.seatau_info, _Seatau)
    code = language_code(said.lang_id) or language_code(seatau.run_language)
    surfaces = _find_localized_surfaces(said, seatau)
    if surfaces == SCENARIOS["tools"]:
        # The sides speak English here; a language next to a mix is a tag.
        return Localized(tuple(_iterate_mix_languages(seatau)) or (code or ENGLISH,), surfaces).axes
    if code in {"", ENGLISH} or not surfaces:
        return {}
    return Localized((code,), surfaces).axes


def _find_localized_surfaces(said: ReportedSettings, seatau: _Seatau) -> tuple[Surface, ...]:
    """Return the surfaces that were in another language.

    If the settings name only the language, this is the conversation alone.
    """
    named = seatau.experiment_name
    if isinstance(named, str):
        name = named.strip().lower()
        known = _EXPERIMENTS.get("mixed_tools" if name.startswith("mixed_tools") else name)
        if known is not None:
            return known
    listed = said.lang_components if said.lang_components is not None else seatau.lang_components
    if not isinstance(listed, list):
        return ("conversation",)
    found = {surface for each in listed for surface in _COMPONENTS.get(str(each), ())}
    return tuple(surface for surface in SURFACES if surface in found)


def _iterate_mix_languages(seatau: _Seatau) -> Iterator[str]:
    """Yield the languages that share the tools, as the name of the mix lists them."""
    named = seatau.tool_mix_config or seatau.mixed_tools_config
    found = _MIX.search(named) if isinstance(named, str) else None
    if found is not None:
        codes = (language_code(each) for each in found[1].split("-"))
        yield from dict.fromkeys(code for code in codes if code)


class _Audio(msgspec.Struct, frozen=True):
    """The audio settings of an agent."""

    provider: object = None
    cascaded_config_name: object = None


class _Environment(msgspec.Struct, frozen=True):
    """The voice and the surroundings of one caller."""

    persona_name: object = None
    complexity: object = None


def _read_voice_axes(said: ReportedSettings) -> dict[str, str]:
    """Return the values on the voice axes: the channel's quality, and the recognizer."""
    surroundings = _record(said.speech_environment, _Environment)
    line = _name(surroundings.complexity) or _name(said.speech_complexity)
    if not line and not said.audio_native_config:
        return {}
    axes = {"voice": line or "audio"}
    if said.audio_native_config:
        audio = _record(said.audio_native_config, _Audio)
        axes["recognizer"] = _name(audio.cascaded_config_name) or ITSELF
    return axes


class _Habits(msgspec.Struct, frozen=True):
    """The behaviour of a caller apart from its task."""

    verbosity: object = None
    interrupt_tendency: object = None


def _persona(said: ReportedSettings) -> str:
    """Return the persona of the user: the caller's name, or its behaviour."""
    caller = _name(_record(said.speech_environment, _Environment).persona_name)
    if caller:
        return caller
    named = _name(said.persona)
    if named:
        return named
    habits = _record(said.persona_config, _Habits)
    return JOIN.join(filter(None, map(_name, (habits.verbosity, habits.interrupt_tendency))))


def _name(said: object) -> str:
    """Return a plain name; "" for anything else that a file may hold."""
    return said if isinstance(said, str) and _NAME.fullmatch(said) is not None else ""


_Kind = TypeVar("_Kind", bound=msgspec.Struct)


def _record(said: object, kind: type[_Kind]) -> _Kind:
    """Return an object as a record; an empty one where it is none."""
    return msgspec.convert(said, kind) if isinstance(said, dict) else kind()
