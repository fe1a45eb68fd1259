"""Experimental conditions: one cell of the grid, a value on every axis.

Code that compares, groups or plots conditions asks for an axis. The text form of a condition is for
display; it is written and parsed only here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, UnsetType

from dragoman.core.errors import DataError, UnplayableConditionError, UsageError

Surface = Literal["conversation", "greeting", "tools", "policy", "database", "tasks"]
"""Parts of a conversation that can be in another language.

They are what is said, the first words, the tools, the agent's policy, the names in the database,
and the user's task.
"""

SURFACES: tuple[Surface, ...] = get_args(Surface)

INTERACTION, TOOLS, DOMAIN = "interaction", "tools", "domain"

SCENARIOS: Mapping[str, tuple[Surface, ...]] = {
    INTERACTION: ("conversation", "greeting"),
    TOOLS: ("tools",),
    DOMAIN: SURFACES,
}
"""The combinations of surfaces that have a name; `english` is the empty one."""

ENGLISH = "en"
IN_ENGLISH = "english"
"""The scenario of conditions in which everything is English."""

TEXT = "text"
"""The voice of conditions in which nobody speaks."""

SIMULATED = "simulated:"
"""The prefix of a word error rate in percent, in the place of a channel.

No one speaks; ASR error simulation changes the words.
"""

RECORDED = "recorded"
"""The voice of conditions in which users' words come from an audio set."""

ITSELF: Final = "itself"
"""The recognizer of conditions in which the agent hears the audio itself."""

MIXED = "mixed"
"""The default recognizer."""

EXPOSURE = "exposure"
"""The axis of the user profile that the agent gets."""

UNEXPOSED = "0"
"""The exposure of conditions in which the agent gets no user profile."""

CLARIFY = "clarify"
"""The axis of the judge that decides whether questions about spelling are answered."""

NONE = "none"
"""The value of axes that are not set."""

RELEASED_SEED = 42
"""The seed by which SEATauBench dealt its tools to languages."""

JOIN = "+"
"""The separator of languages that share tools, and of surfaces that form a scenario."""


class Axis(msgspec.Struct, frozen=True):
    """One axis of the grid: the layer that implements it, and its default value."""

    layer: str
    default: str = NONE


AXES: Mapping[str, Axis] = {
    "language": Axis("language", ENGLISH),
    "scenario": Axis("language", IN_ENGLISH),
    "partition": Axis("language", str(RELEASED_SEED)),
    "voice": Axis("voice", TEXT),
    "recognizer": Axis("voice", MIXED),
    "persona": Axis("persona"),
}
"""The axes with a place in a condition's text, in order; any other is its own layer."""

_FURTHER: Mapping[str, Axis] = {EXPOSURE: Axis(EXPOSURE, UNEXPOSED)}
"""Axes without a place in that text whose default value is not `none`."""


def axis_of(name: str) -> Axis:
    """Return the facts about an axis."""
    return AXES.get(name) or _FURTHER.get(name, Axis(name))


class Localized(msgspec.Struct, frozen=True):
    """The languages of the surfaces: the parsed values of the language axes.

    Attributes:
        languages: One language, or several that share the tools; the first of several gets the
            tools that no other has.
        surfaces: The surfaces, in the order of `SURFACES`.
        seed: Seed that deals the tools to several languages.
    """

    languages: tuple[str, ...]
    surfaces: tuple[Surface, ...]
    seed: int = RELEASED_SEED

    @property
    def is_shared(self) -> bool:
        """Whether only tools are in another language, as in the scenario `tools`."""
        return self.surfaces == SCENARIOS["tools"]

    @property
    def scenario(self) -> str:
        """The name of this combination of surfaces, or the surfaces joined by `+`."""
        named = (name for name, surfaces in SCENARIOS.items() if surfaces == self.surfaces)
        return next(named, JOIN.join(self.surfaces))

    @property
    def axes(self) -> dict[str, str]:
        """The values on the axes of language."""
        return {
            "language": JOIN.join(self.languages),
            "scenario": self.scenario,
            "partition": str(self.seed if len(self.languages) > 1 else RELEASED_SEED),
        }


class Condition(msgspec.Struct, frozen=True):
    """The axis values of one cell.

    An absent axis has its default, so that an empty condition is plain English text. Make
    conditions with `condition_of` or `with_axes`, which keep pairs in the axes' order and omit
    defaults.
    """

    axes: tuple[tuple[str, str], ...] = ()

    def axis(self, name: str) -> str:
        """Return the value on an axis."""
        for axis, value in self.axes:
            if axis == name:
                return value
        return axis_of(name).default

    def shown(self, name: str) -> str:
        """Return the value on an axis for tables: `none` if the axis does not apply.

        The voices `text` and `simulated:` have no recognizer, and the tools of a single language
        are not dealt.
        """
        is_there = {
            "recognizer": self.voice != TEXT and not self.voice.startswith(SIMULATED),
            "partition": JOIN in self.axis("language"),
        }
        return self.axis(name) if is_there.get(name, True) else NONE

    def with_axes(self, **values: str) -> "Condition":
        """Return this condition with other values on some axes."""
        return condition_of({**dict(self.axes), **values})

    @property
    def localized(self) -> Localized | None:
        """The languages of the surfaces; None if everything is English."""
        return _localization_of(self)

    @property
    def is_localized(self) -> bool:
        """Whether any surface is in a language other than English."""
        return _localization_of(self) is not None

    @property
    def language(self) -> str:
        """The spoken language."""
        localized = _localization_of(self)
        is_spoken = localized is not None and "conversation" in localized.surfaces
        return localized.languages[0] if localized is not None and is_spoken else ENGLISH

    @property
    def voice(self) -> str:
        """The voice channel; `text` if nobody speaks."""
        return self.axis("voice")

    @property
    def recognizer(self) -> str:
        """The recognizer of the user's speech."""
        return self.axis("recognizer")

    @property
    def persona(self) -> str:
        """The persona of the user, in addition to the task."""
        return self.axis("persona")

    @property
    def label(self) -> str:
        """The condition's text, for example `th:domain/telephone/none` or `en/text/none`."""
        return _label_of(self)

    @property
    def identity(self) -> object:
        """The condition in content keys; equal in all versions for axes that they all know."""
        further = {axis: value for axis, value in self.axes if axis not in AXES}
        return _Identity(
            self.language,
            _spoken(self),
            self.persona,
            self.localized or UNSET,
            further or UNSET,
        )


class _Identity(msgspec.Struct, frozen=True):
    """A condition in content keys."""

    language: str
    voice: str
    persona: str
    localized: Localized | UnsetType = UNSET
    further: dict[str, str] | UnsetType = UNSET


PLAIN = Condition()
"""English text without a persona."""


def condition_of(values: Mapping[str, str]) -> Condition:
    """Return the condition with these values; omitted axes have their default."""
    order = [*AXES, *sorted(set(values).difference(AXES))]
    return Condition(
        tuple(
            (name, values[name])
            for name in order
            if name in values and values[name] != axis_of(name).default
        )
    )


def axis_names(conditions: Iterable[Condition]) -> tuple[str, ...]:
    """Return the axes in the tables of these conditions.

    They are the axes with a place in a condition's text, and any other axis in use.
    """
    used = {name for condition in conditions for name, _ in condition.axes}
    return (*AXES, *sorted(used.difference(AXES)))


def axis_values(condition: Condition, names: Iterable[str] = ()) -> dict[str, str]:
    """Return the values on these axes, with defaults.

    Without names, return the values on all axes of the condition.
    """
    return {name: condition.shown(name) for name in names or axis_names([condition])}


def differing_axes(a: Condition, b: Condition) -> tuple[str, ...]:
    """Return the axes on which two conditions differ."""
    names = dict.fromkeys(name for name, _ in (*a.axes, *b.axes))
    return tuple(name for name in names if a.axis(name) != b.axis(name))


def differ_in_one_thing(a: Condition, b: Condition) -> bool:
    """Return whether two conditions differ in one thing alone, so that a gap has one cause.

    One thing is one axis, or one layer that only one of the two has. In the second case, English
    has no scenario, and text has no recognizer, that could be the same.
    """
    axes = differing_axes(a, b)
    layers = {axis_of(name).layer for name in axes}
    if len(layers) != 1:
        return False
    return len(axes) == 1 or not all(layers <= _layers(entry) for entry in (a, b))


def _layers(condition: Condition) -> set[str]:
    return {axis_of(name).layer for name, _ in condition.axes}


_MOST_DIGITS = 18
_LABEL = re.compile(
    r"(?P<language>[^:/]+)(?::(?P<scenario>[^@/]+)(?:@(?P<partition>\d+))?)?"
    r"/(?P<voice>[^+]+?)(?:\+(?P<recognizer>.+))?/(?P<persona>[^/]+)"
)


def condition_from(text: str) -> Condition:
    """Parse a stored condition: a JSON object of axes, or, in older runs, its label.

    Raises:
        DataError: If the text has neither form.
    """
    if text.startswith("{"):
        try:
            return _require_texts(msgspec.json.decode(text, type=dict[str, str]), text)
        except msgspec.DecodeError as error:
            raise DataError(f"{text:.80}: no condition ({error})") from error
    found = _LABEL.fullmatch(text)
    if found is None:
        raise DataError(f"{text:.80}: no condition")
    return _require_texts({name: value for name, value in found.groupdict().items() if value}, text)


def _require_texts(values: Mapping[str, str], text: str) -> Condition:
    partition = values.get("partition", "0")
    if not (partition.isascii() and partition.isdigit() and len(partition) <= _MOST_DIGITS):
        raise DataError(f"{text:.80}: no condition (partition {partition:.20})")
    return condition_of(values)


def condition_text(condition: Condition) -> str:
    """Return a condition in stored form: a JSON object of its axes."""
    return msgspec.json.encode(dict(condition.axes)).decode()


@lru_cache(maxsize=4096)
def _localization_of(condition: Condition) -> Localized | None:
    scenario = condition.axis("scenario")
    if scenario == IN_ENGLISH:
        return None
    named = scenario.split(JOIN)
    surfaces = SCENARIOS.get(scenario) or tuple(each for each in SURFACES if each in named)
    languages = tuple(condition.axis("language").split(JOIN))
    return Localized(languages, surfaces, int(condition.axis("partition")))


@lru_cache(maxsize=4096)
def _label_of(condition: Condition) -> str:
    further = (f"{axis}={value}" for axis, value in condition.axes if axis not in AXES)
    return "/".join((_place(condition), _spoken(condition), condition.persona, *further))


def _place(condition: Condition) -> str:
    language, scenario = condition.axis("language"), condition.axis("scenario")
    if scenario == IN_ENGLISH:
        return language
    partition = dict(condition.axes).get("partition")
    return f"{language}:{scenario}{f'@{partition}' if partition else ''}"


def _spoken(condition: Condition) -> str:
    listener = dict(condition.axes).get("recognizer")
    return f"{condition.voice}{JOIN}{listener}" if listener else condition.voice


Made = TypeVar("Made")


def made_by_label(
    conditions: Iterable[Condition],
    make: Callable[[Condition], Made],
    unplayable: dict[str, str] | None,
) -> dict[str, Made]:
    """Return the objects that are made for conditions, by label.

    A condition that cannot be played has none.

    Args:
        conditions: The conditions.
        make: A function that makes the object of a condition, or raises UnplayableConditionError.
        unplayable: Receives the reason by label; None raises the error.
    """
    made: dict[str, Made] = {}
    for condition in conditions:
        try:
            made[condition.label] = make(condition)
        except UnplayableConditionError as error:
            if unplayable is None:
                raise
            unplayable.setdefault(condition.label, str(error))
    return made


def playable(
    conditions: Sequence[Condition], unplayable: Mapping[str, str]
) -> tuple[Condition, ...]:
    """Return the conditions that can be played.

    Raises:
        UsageError: If none can be played.
    """
    found = tuple(each for each in conditions if each.label not in unplayable)
    if conditions and not found:
        reasons = dict.fromkeys(unplayable[each.label] for each in conditions)
        raise UsageError(f"no condition can be played: {'; '.join(reasons)}")
    return found
