"""Implementation of `dragoman list`: the names of agents, models, measures, suites and more.

The code that makes the named objects is imported only for the kinds that need it.
"""

from collections.abc import Callable

from dragoman.cli.output import print_line
from dragoman.core.errors import UsageError
from dragoman.core.rules import BFCL_RULES, DEFAULT_RULES, DRAGOMAN_1, ITC_RULES, RULES, Rules

MAX_ALIGNED = 40
"""The longest id whose line is aligned, in characters."""

MAX_WANTED = 100
"""Longest shown text of a user's goal, in characters."""

PERSON = "a person at this terminal, one conversation at a time"
OWN_CODE = {
    "MODULE:ATTRIBUTE": "your own function of (messages, tools), or your own participant",
}
CHAT_MODELS = {
    "PROVIDER/MODEL": "a chat model, such as openai/gpt-4.1-mini or ollama/llama3.1",
    "scripted/FILE": "a chat model that answers from a script",
    "local/FOLDER": "a chat model in a folder, with ?adapter=FOLDER; needs dragoman[train]",
}


def print_names(what: str) -> None:
    """Print names with a line about each."""
    for name, about in names(what).items():
        print(f"{name:<25} {about}")


def print_tasks(suite: str | None) -> None:
    """Print the ids of a suite's tasks, each with the beginning of its user's goal.

    Raises:
        UsageError: If no suite is named, or the suite does not exist.
    """
    if suite is None:
        raise UsageError("list tasks: name a suite: `dragoman list tasks courier`")
    from dragoman.registry.suites import load_suite
    from dragoman.report.formatting import truncate_text

    tasks = load_suite(suite).tasks
    width = min(MAX_ALIGNED, max((len(task.id) for task in tasks), default=0))
    for task in tasks:
        wanted = " ".join(task.wanted.split())
        print_line(f"{task.id:<{width}}  {truncate_text(wanted, MAX_WANTED)}".rstrip())


def names(what: str) -> dict[str, str]:
    """Return the names of one kind.

    Raises:
        UsageError: If the kind does not exist.
    """
    kinds: dict[str, Callable[[], dict[str, str]]] = {
        "suites": _suites,
        "agents": _agents,
        "users": _users,
        "judges": _judges,
        "models": _models,
        "measures": _measures,
        "rules": lambda: {name: _about(rules) for name, rules in RULES.items()},
        "languages": _languages,
        "scenarios": _scenarios,
        "voices": _voices,
        "personas": _personas,
        "axes": _axes,
        "backends": _backends,
        "styles": _styles,
        "sections": _sections,
        "options": _options,
    }
    if what not in kinds:
        raise UsageError(f"cannot list {what!r}: choose {', '.join(kinds)}, tasks or texts")
    return kinds[what]()


def _suites() -> dict[str, str]:
    from dragoman.registry.suites import suite_names

    others = "a split other than base: train or test; telecom also small and full"
    return {**suite_names(), "tau2:DOMAIN:SPLIT": others}


def _agents() -> dict[str, str]:
    from dragoman.config.builtin_names import DIAGNOSTIC_AGENTS, HUMAN

    return {**DIAGNOSTIC_AGENTS, HUMAN: PERSON, **OWN_CODE, **CHAT_MODELS}


def _users() -> dict[str, str]:
    from dragoman.config.builtin_names import HUMAN, USERS

    return {**USERS, HUMAN: PERSON, **OWN_CODE, **CHAT_MODELS}


def _judges() -> dict[str, str]:
    from dragoman.config.builtin_names import JUDGES

    return {**JUDGES, **CHAT_MODELS}


def _models() -> dict[str, str]:
    from dragoman.registry.agents import describe_realtime
    from dragoman.registry.providers import describe_providers

    return {**describe_providers(), **describe_realtime()}


def _measures() -> dict[str, str]:
    from dragoman.registry.measures import earlier_measure_names, measure_names, rubric_names

    rubric = "your own rubric, judged by --judge PROVIDER/MODEL"
    return {
        **measure_names(),
        **earlier_measure_names(),
        **rubric_names(),
        "NAME@VERSION.toml": rubric,
    }


def _personas() -> dict[str, str]:
    from dragoman.composition.conditions.personas import persona_names

    return persona_names()


def _axes() -> dict[str, str]:
    from dragoman.composition.conditions.axes import layer_names

    return layer_names()


def _backends() -> dict[str, str]:
    from dragoman.runs.backend import backend_names

    return backend_names()


def _styles() -> dict[str, str]:
    from dragoman.report.catalog import styles

    return {each.name: each.about for each in styles()}


def _sections() -> dict[str, str]:
    from dragoman.report.catalog import sections

    return {each.key: each.heading for each in sections()}


def _options() -> dict[str, str]:
    from dragoman.config.options import keys_of
    from dragoman.config.run_config import RunRequest

    return {" or ".join(key.spellings): key.summary() for key in keys_of(RunRequest)}


def _languages() -> dict[str, str]:
    from dragoman.composition.conditions.language_artifacts import domains_by_language
    from dragoman.conditions.language.languages import SHIPPED, find_language
    from dragoman.config.environment import data_folder

    translated = domains_by_language(data_folder())

    def about(code: str) -> str:
        name, domains = find_language(code).full_name, translated.get(code, ())
        return f"{name}; artifacts of {', '.join(domains)}" if domains else name

    return {
        **{code: about(code) for code in SHIPPED},
        "FILE.toml": "your own language",
        "en+th+vi": "tools divided among 2 to 5 languages; the first keeps the rest",
    }


def _scenarios() -> dict[str, str]:
    from dragoman.core.conditions import IN_ENGLISH, SCENARIOS

    named = {name: f"in the language: {', '.join(parts)}" for name, parts in SCENARIOS.items()}
    own = {"SURFACE+SURFACE": "your own combination"}
    return {IN_ENGLISH: "nothing in another language", **named, **own}


def _voices() -> dict[str, str]:
    from dragoman.conditions.voice.audio_effects.presets import (
        effect_name,
        find_effects,
        preset_names,
    )
    from dragoman.registry.speech_engines import RECOGNIZERS, describe_speech
    from dragoman.speech.embedded.espeak_library import builtin_voices

    lines = {
        name: f"channel: {', '.join(map(effect_name, find_effects(name)))}"
        for name in preset_names()
    }
    listeners = {name: f"--asr: {about}" for name, about in RECOGNIZERS.items()}
    providers = {name: f"--asr or --speaker: {about}" for name, about in describe_speech().items()}
    speakers = {
        voice.name: (
            f"--speaker: {voice.language}, {voice.accent}, {voice.words_per_minute} words/min"
        )
        for voice in builtin_voices().voices
    }
    own = {
        "LINE-without-EFFECT": "a channel without one of its effects",
        "LINE:EFFECT": "one effect of a channel alone",
        "recorded": "the recorded audio of an audio set, without a channel (`run set:PATH`)",
        "simulated:PERCENT": "simulated ASR errors at that word error rate, without audio, in en, "
        "id, th, tl, vi or zh",
    }
    return {"text": "text without speech", **lines, **own, **listeners, **speakers, **providers}


def _about(rules: Rules) -> str:
    if rules.name == BFCL_RULES.name:
        return "parity with BFCL v4, for bfcl suites"
    if rules.name == ITC_RULES.name:
        return (
            f"{DEFAULT_RULES.name} for itc suites: calls in any syntax, equivalent plans and "
            "defaults"
        )
    whose = (
        "parity with the reference of that version"
        if rules.guidelines_are_the_references
        else "Dragoman's rules: known defects of the reference are fixed"
    )
    if rules.name.startswith(DRAGOMAN_1.name):
        whose = (
            f"Dragoman's rules before {DEFAULT_RULES.name}: stop tokens must be exact, and signs "
            "are words"
        )
    return (
        whose
        if rules.replay_must_repeat
        else f"{whose}; reports results that a replay does not repeat"
    )
