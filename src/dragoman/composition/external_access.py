"""External access of a configuration: own code, addresses and key variables.

The user who types a command is responsible for them. A stored run may come from anybody, so they
are shown before it is resumed.
"""

from collections.abc import Collection, Iterable, Iterator
from urllib.parse import parse_qsl

from dragoman.config.agent_specs import specs_of
from dragoman.config.run_config import LOCAL, RunConfig
from dragoman.core.conditions import SIMULATED, Condition
from dragoman.registry.agents import SCHEMES
from dragoman.registry.chat_models import plugin_model_kinds
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name

PLAYING = (
    *("agents", "user", "judge", "user_judge", "embeddings", "search", "asr", "speakers"),
    *("clarify", "exposures", "axes", "measures", "backend", "ray"),
)
SCORING = ("judge", "user_judge", "measures")
"""The fields of a configuration whose names are resolved for playing, and for scoring alone."""


_OF_DATA = frozenset({"language", "scenario", "partition", "voice"})
"""Axes whose values are names of data."""

_LISTS = frozenset({"asr", "speakers"})


def external_access(
    config: RunConfig, fields: Collection[str] = PLAYING, conditions: Iterable[Condition] = ()
) -> tuple[str, ...]:
    """Return what a configuration would run or reach, each in a few words for a person.

    Args:
        config: A configuration.
        fields: The fields of the configuration that are examined.
        conditions: Conditions that are played in addition to those of the configuration.
    """
    named = (words for field in fields for words in _iterate_external_access(config, field))
    listed = (words for each in conditions for words in _by_condition(each))
    return tuple(dict.fromkeys((*named, *listed)))


def uses_network(written: str) -> bool:
    """Return whether a name stands for a provider or a server over the network."""
    from dragoman.models.catalog import load_provider_catalog
    from dragoman.models.realtime_spec import load_realtime_catalog
    from dragoman.speech.specs import load_speech_facts

    name = wrapped_agent_name(written)
    if name.startswith(SCHEMES):
        return True
    provider, slash, _ = name.partition("/")
    tables = (
        load_provider_catalog().providers,
        load_realtime_catalog().providers,
        load_speech_facts().providers,
    )
    return bool(slash) and any(provider in table for table in tables)


def _by_condition(condition: Condition) -> Iterator[str]:
    for axis, value in condition.axes:
        if axis not in _OF_DATA:
            yield from _by_name(value)


def _iterate_external_access(config: RunConfig, field: str) -> Iterator[str]:
    value: str | tuple[str, ...] = getattr(config, field)
    if field == "backend":
        yield from () if value == LOCAL else (f"plays conversations on {value}",)
        return
    if field == "ray":
        yield from (f"plays conversations on the Ray cluster {value}",) if value else ()
        return
    named = (value,) if isinstance(value, str) else value
    if field == "agents":
        named = tuple(specs_of(named).values())
    for written in map(wrapped_agent_name, named):
        # Speech engines may be a list separated by commas; elsewhere a comma is part of a value.
        pieces = written.split(",") if field in _LISTS else ()
        for name in (written, *pieces):
            yield from _by_name(name)


def _by_name(written: str) -> Iterator[str]:
    name, _, query = written.partition("?")
    if written.startswith(SCHEMES):
        yield f"asks {written}"
        return
    if ":" in written and "/" not in name and not written.startswith(SIMULATED):
        yield f"runs code, {written}"
    kind, slash, _ = name.partition("/")
    if kind in _engines() or (slash and kind in plugin_model_kinds()):
        yield f"loads {name}"
    given = dict(parse_qsl(query, keep_blank_values=True))
    address = given.get("base_url")
    key = given.get("key_env") or (_sent_anywhere(kind) if address else "")
    if address is not None:
        yield f"asks {name} at {address}{f' with the key in {key}' if key else ''}"
    elif key:
        yield f"sends {name} the key in {key}"


def _sent_anywhere(provider: str) -> str:
    """Return the names of the variables whose keys litellm sends to any given address."""
    from dragoman.models.catalog import LITELLM, load_provider_catalog

    row = load_provider_catalog().providers.get(provider)
    if row is None or not row.url.startswith(LITELLM):
        return ""
    return " and ".join(name for name in (row.key_env, *row.other_keys) if name)


def _engines() -> Collection[str]:
    from dragoman.speech.specs import load_speech_facts

    return load_speech_facts().engines.keys()
