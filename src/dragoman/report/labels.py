"""Display names of agents, conditions, failure stages, outcomes and measures.

They are the same in every report, page and terminal. Stored names, such as those of `--json`, stay
as they are.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from dragoman.analysis.drops import FailureStage
from dragoman.analysis.failure_attribution import FailureSource
from dragoman.conditions.language.languages import SHIPPED, find_language
from dragoman.config.builtin_names import DIAGNOSTIC_AGENTS
from dragoman.core.conditions import (
    CLARIFY,
    EXPOSURE,
    IN_ENGLISH,
    ITSELF,
    JOIN,
    NONE,
    PLAIN,
    RECORDED,
    SIMULATED,
    TEXT,
    Condition,
    axis_of,
    differing_axes,
)
from dragoman.core.scores import OutcomeStatus
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name

Stage = Literal[
    "channel",
    "recognizer",
    "language",
    "arguments",
    "agent",
    "simulated user",
    "not known",
    "not attributed",
]
"""A failure stage as charts colour it, in the order of a conversation."""

STAGES: Mapping[Stage, str] = {
    "channel": "The conversation passes over a clean channel.",
    "recognizer": "The conversation passes with the words that the user meant.",
    "language": "A call has a value in another language.",
    "arguments": "The conversation passes when the calls carry the arguments of the plan.",
    "agent": "The conversation fails even if the agent receives every word.",
    "simulated user": "The simulated user failed a check of its part.",
    "not known": "No replay found the stage.",
    "not attributed": "No replay has looked for the stage yet: dragoman attribute RUN.",
}
"""The meaning of each failure stage."""

UNKNOWN_STAGES = ("not known", "not attributed")
"""The stages that stand for a missing answer."""

STAGE_LOSSES: Mapping[Stage, str] = {
    "channel": "The channel costs",
    "recognizer": "The recognizer costs",
    "language": "Values in another language cost",
    "arguments": "Wrong arguments cost",
    "agent": "The agent itself costs",
    "simulated user": "The simulated user costs",
    "not known": "An unknown stage costs",
    "not attributed": "Stages that no replay has looked for cost",
}
"""The beginning of a sentence with the points that a stage costs."""

STAGE_NAMES: Mapping[FailureStage, str] = {
    "line": "channel",
    "speech": "recognizer or voice",
    "hearing": "audio-native agent or voice",
    "mishearing": "recognizer (simulated)",
    "language": "language of arguments",
    "arguments": "arguments",
    "user": "simulated user",
    "agent": "agent",
    "unknown": "not known",
    "not looked for": "not attributed",
}
"""Display names of the failure stages that `dragoman attribute` stores."""

SOURCE_MEANINGS: Mapping[FailureSource, str] = {
    "line": "passes over a clean channel: noise, band, codec or packet loss",
    "speech": "fails over a clean channel, passes with the words that were meant: recognizer "
    "or voice",
    "hearing": "fails over a clean channel, passes with the words that were meant: an agent that "
    "receives audio, or the voice",
    "mishearing": "passes with the words that were meant: simulated ASR errors",
    "arguments": "fails with the words that were meant, passes if its calls also carry the plan's "
    "arguments: values filled or mapped wrongly",
    "agent": "fails even then, or with every word recognized: agent, user or benchmark",
    "unknown": "a counterfactual has no verdict or cannot be played, or words but no value were "
    "misrecognized",
}
"""The meaning of each stored failure source."""

STATUS_NAMES: Mapping[OutcomeStatus, str] = {
    "pass": "passed",
    "code": "ended by a code error",
    "infrastructure": "ended by an infrastructure error",
    "fail": "failed",
    "unscored": "unscored",
    "missing": "not run",
}
"""Outcomes of conversations, as words behind a count."""

FAILED_COMPONENTS: Mapping[str, str] = {
    "DB": "final database state differs",
    "ENV_ASSERTION": "a check of the final state fails",
    "ACTION": "an expected call is missing",
    "COMMUNICATE": "required information was not said",
    "NL_ASSERTION": "an assertion about the conversation fails",
    "CALLS": "calls differ from the expected calls",
}
"""The failure that each component of a score means."""

_MEASURES: Mapping[str, str] = {"blame": "attribution"}

_FIGURES: Mapping[tuple[str, str], str] = {
    ("values", "lost"): "misrecognized",
    ("values", "won back"): "recovered by clarification",
    ("hearing", "values heard"): "values recognized",
    ("blame", "lost"): "failed",
    **{("blame", stage): name for stage, name in STAGE_NAMES.items()},
    ("recovery", "calls with misheard values"): "calls with misrecognized values",
    ("recovery", "misheard values"): "misrecognized values",
    ("timing", "silences beyond patience"): "silences over caller's limit",
    ("timing", "silence beyond patience per task"): "silence over caller's limit per task",
    ("timing", "speeches longer than is heard out"): "agent turns over caller's limit",
    ("timing", "speeches that the caller interrupted"): "agent turns interrupted by caller",
    ("timing", "spoken over the caller per task"): "overlap with caller per task",
    ("timing", "responses timed to the first word"): "responses measured to first word",
    ("timing", "responses of a stated time"): "responses with assumed latency",
    ("timing", "speech of an estimated length"): "speech of estimated duration",
}

_STAGE_OF: Mapping[FailureStage, Stage] = {
    "line": "channel",
    "speech": "recognizer",
    "hearing": "recognizer",
    "mishearing": "recognizer",
    "language": "language",
    "arguments": "arguments",
    "agent": "agent",
    "user": "simulated user",
    "unknown": "not known",
    "not looked for": "not attributed",
}

_ANY_STAGE: Mapping[str, str] = {str(stage): name for stage, name in STAGE_NAMES.items()}
_ANY_SOURCE: Mapping[str, str] = {str(source): text for source, text in SOURCE_MEANINGS.items()}

_WHOLE_DOMAIN = "domain"
_MAX_AGENT = 48

_PHRASES: Mapping[str, Callable[[str], str]] = {
    "language": lambda label: f"in {label}",
    "voice": lambda label: f"by {label}" if label == "telephone" else f"with {label}",
}


def stage_of(stage: FailureStage) -> Stage:
    """Return the failure stage by which charts group a stored stage."""
    return _STAGE_OF[stage]


def stage_name(stage: str) -> str:
    """Return the display name of a stored failure stage; an unknown one is shown as it is."""
    return _ANY_STAGE.get(stage, stage)


def source_meaning(source: str, stored: str = "") -> str:
    """Return the meaning of a stored failure source; of an unknown one the stored text."""
    return _ANY_SOURCE.get(source, stored)


def finding_words(measure: str, subject: str, why: str) -> tuple[str, str]:
    """Return the subject and the text of a measure's finding for people."""
    if measure not in _MEASURES:
        return subject, why
    return stage_name(subject), source_meaning(subject, why)


def cause_words(status: OutcomeStatus, cause: str) -> str:
    """Return the cause of an outcome in words; failed components keep their names in brackets."""
    if status != "fail":
        return cause
    named, bracket, detail = cause.partition(" (")
    parts = named.split(" and ")
    if not all(part in FAILED_COMPONENTS for part in parts):
        return cause
    words = " and ".join(f"{FAILED_COMPONENTS[part]} ({part})" for part in parts)
    return f"{words}: {detail.removesuffix(')')}" if bracket else words


def status_name(status: OutcomeStatus, *, in_shard: bool = False) -> str:
    """Return the name of an outcome's status; a shard leaves conversations to other shards."""
    if in_shard and status == "missing":
        return "not run, or in other shards"
    return STATUS_NAMES[status]


def outcome_words(status: OutcomeStatus, cause: str, *, in_shard: bool = False) -> str:
    """Return an outcome and its cause in words; a cause that repeats the outcome is omitted."""
    name, words = status_name(status, in_shard=in_shard), cause_words(status, cause)
    if status == "missing":
        return name
    return name if words == name else f"{name}: {words}"


def measure_label(measure: str) -> str:
    """Return the display name of a measure."""
    return _MEASURES.get(measure, measure)


def figure_label(measure: str, figure: str) -> str:
    """Return the display name of a measure's figure or count."""
    kind = figure.removeprefix("lost: ")
    if measure == "values" and kind != figure:
        return f"misrecognized: {kind}"
    return _FIGURES.get((measure, figure), figure)


@lru_cache(maxsize=256)
def language_label(code: str) -> str:
    """Return the English name of a language; its code if Dragoman has no file for it."""
    if JOIN in code:
        return " + ".join(map(language_label, code.split(JOIN)))
    return find_language(code).name if code in SHIPPED else code


def axis_label(axis: str, value: str) -> str:
    """Return the value of an axis in words, as a chip shows it."""
    make = _AXIS_LABELS.get(axis)
    return f"{axis} {value}" if make is None else make(value)


def axis_value(value: str, axis: str) -> str:
    """Return the value of an axis in words where the axis is named next to it."""
    if axis == "language":
        return language_label(value)
    return _voice_label(value) if axis == "voice" else value


def _voice_label(value: str) -> str:
    if value.startswith(SIMULATED):
        return f"simulated {value.removeprefix(SIMULATED)}\u00a0%\u00a0WER"
    if value == RECORDED:
        return "recorded audio"
    return re.sub(r"[-_]", " ", value)


def _scenario_label(value: str) -> str:
    return "English data" if value == IN_ENGLISH else f"{value.replace(JOIN, ' + ')} localized"


def _recognizer_label(value: str) -> str:
    return "agent hears audio" if value == ITSELF else f"{value} recognizer"


_AXIS_LABELS: Mapping[str, Callable[[str], str]] = {
    "language": language_label,
    "voice": _voice_label,
    "persona": lambda value: "no persona" if value == NONE else f"{value} persona",
    "scenario": _scenario_label,
    "recognizer": _recognizer_label,
    EXPOSURE: lambda value: f"exposure {value}",
    CLARIFY: lambda value: f"clarifications {value}",
}


def condition_chips(condition: Condition, baseline: Condition = PLAIN) -> tuple[str, ...]:
    """Return the labels of the values by which a condition differs from the baseline.

    Localized data of the whole domain needs no label in addition to the language.
    """
    return tuple(label for _, label in _differences(condition, baseline))


def condition_label(condition: Condition) -> str:
    """Return a whole condition in words: language, channel and further values."""
    language = language_label(condition.axis("language"))
    rest = [label for axis, label in _differences(condition, PLAIN) if axis != "language"]
    if condition.voice == TEXT:
        return ", ".join([f"{language} text", *rest])
    return ", ".join([language, *rest])


def condition_phrase(
    condition: Condition, baseline: Condition = PLAIN, *, has_languages: bool = False
) -> str:
    """Return the differences from the baseline as a phrase: in Vietnamese by telephone.

    Args:
        condition: The condition.
        baseline: The condition from which it differs.
        has_languages: Whether there are conditions in other languages: the phrase then names the
            language in any case.
    """
    differences = _differences(condition, baseline)
    if has_languages and all(axis != "language" for axis, _ in differences):
        differences.insert(0, ("language", language_label(condition.axis("language"))))
    return " ".join(_phrase(axis, label) for axis, label in differences)


def has_languages(conditions: Iterable[Condition]) -> bool:
    """Return whether conditions are in different languages."""
    return len({condition.axis("language") for condition in conditions}) > 1


def _phrase(axis: str, label: str) -> str:
    make = _PHRASES.get(axis)
    return f"with {label}" if make is None else make(label)


def _differences(condition: Condition, baseline: Condition) -> list[tuple[str, str]]:
    """Return the axes by which a condition differs from the baseline, with labels."""
    axes = differing_axes(condition, baseline)
    ordered = [axis for axis, _ in condition.axes if axis in axes]
    ordered += [axis for axis in axes if axis not in ordered]
    return [
        (axis, axis_label(axis, condition.axis(axis)))
        for axis in ordered
        if not _is_implied(axis, condition, axes)
    ]


def _is_implied(axis: str, condition: Condition, axes: Iterable[str]) -> bool:
    """Return whether the label of another axis already says this one."""
    value = condition.axis(axis)
    if axis == "scenario":
        return "language" in axes and value in {_WHOLE_DOMAIN, IN_ENGLISH}
    is_default = value == axis_of(axis).default
    return is_default and axis in {"recognizer", "partition"}


def is_diagnostic(agent: str) -> bool:
    """Return whether an agent ships with Dragoman to diagnose, and is not a model under test."""
    return wrapped_agent_name(agent) in DIAGNOSTIC_AGENTS


def agent_labels(agents: Iterable[str]) -> dict[str, str]:
    """Return a short label for each agent; no two agents have the same label."""
    names = tuple(dict.fromkeys(agents))
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_model_name(name), []).append(name)
    labels = {name: name for name in names}
    for short, found in groups.items():
        for name in found:
            labels[name] = short if len(found) == 1 else _with_differences(short, name, found)
    if len(set(labels.values())) < len(names):
        return {name: name for name in names}
    return {name: _cut(label, labels.values()) for name, label in labels.items()}


def _model_name(name: str) -> str:
    """Return the last part of a model's name; an address keeps its host."""
    whole = name.partition("?")[0]
    scheme, found, rest = whole.partition("://")
    if found and scheme in {"http", "https"}:
        return rest.rstrip("/") or name
    return whole.rstrip("/").rpartition("/")[2] or name


def _with_differences(short: str, name: str, others: Sequence[str]) -> str:
    """Return a short name with the parts that tell the agent from others of the same model."""
    known = [set(_details(other)) for other in others]
    apart = [each for each in _details(name) if not all(each in found for found in known)]
    shown = [each.partition("=")[2].rpartition("://")[2] or each for each in apart]
    return f"{short} ({', '.join(shown)})" if shown else short


def _details(name: str) -> list[str]:
    """Return the provider and the parameters of an agent."""
    whole, _, query = name.partition("?")
    provider = whole.rpartition("/")[0]
    return [*([provider] if provider else []), *filter(None, query.split("&"))]


def _cut(label: str, every: Iterable[str]) -> str:
    """Return a long label cut in its middle, unless another one would look the same."""
    if len(label) <= _MAX_AGENT:
        return label
    half = _MAX_AGENT // 2 - 1
    others = [each for each in every if each != label]
    alike = any(each[:half] == label[:half] and each[-half:] == label[-half:] for each in others)
    return label if alike else f"{label[:half]} … {label[-half:]}"
