"""Labels of agents, conditions and stages of loss, the same in every report, page and terminal."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from dragoman.analysis.drops import FailureStage
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
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name

Stage = Literal[
    "channel", "recognizer", "language", "arguments", "agent", "simulated user", "not known"
]
"""A stage of loss as charts colour it, in the order of a conversation."""

STAGES: Mapping[Stage, str] = {
    "channel": "The conversation passes over a clean channel.",
    "recognizer": "The conversation passes with the words that the user meant.",
    "language": "A call has a value in another language.",
    "arguments": "The conversation passes when the calls carry the arguments of the plan.",
    "agent": "The conversation fails even if the agent receives every word.",
    "simulated user": "The simulated user failed a check of its part.",
    "not known": "The stage is not known.",
}
"""The stages of loss and what each one means."""

STAGE_LOSSES: Mapping[Stage, str] = {
    "channel": "The channel costs",
    "recognizer": "The recognizer costs",
    "language": "Values in another language cost",
    "arguments": "Wrong arguments cost",
    "agent": "The agent itself costs",
    "simulated user": "The simulated user costs",
    "not known": "An unknown stage costs",
}
"""Begins a sentence with the points that a stage costs."""

FAILED_COMPONENTS: Mapping[str, str] = {
    "DB": "the database ended in another state than expected",
    "ENV_ASSERTION": "a check of the final state failed",
    "ACTION": "an expected call is missing",
    "COMMUNICATE": "required information was not said",
    "NL_ASSERTION": "an assertion about the conversation failed",
    "CALLS": "the calls are not those that were expected",
}
"""What the failure of each component of a score means."""

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
    "not looked for": "not known",
}

_WHOLE_DOMAIN = "domain"
_MAX_AGENT = 48

_PHRASES: Mapping[str, Callable[[str], str]] = {
    "language": lambda label: f"in {label}",
    "voice": lambda label: f"by {label}" if label == "telephone" else f"with {label}",
}


def stage_of(stage: FailureStage) -> Stage:
    """Return the stage of loss by which charts group a stored stage."""
    return _STAGE_OF[stage]


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

    Localized data of the whole domain needs no label beside the language.
    """
    return tuple(label for _, label in _differences(condition, baseline))


def condition_label(condition: Condition) -> str:
    """Return a whole condition in words: its language, its channel if any, and what else is set."""
    language = language_label(condition.axis("language"))
    rest = [label for axis, label in _differences(condition, PLAIN) if axis != "language"]
    if condition.voice == TEXT:
        return ", ".join([f"{language} text", *rest])
    return ", ".join([language, *rest])


def condition_phrase(condition: Condition, baseline: Condition = PLAIN) -> str:
    """Return the differences from the baseline as a phrase: in Vietnamese by telephone."""
    return " ".join(_phrase(axis, label) for axis, label in _differences(condition, baseline))


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
