"""Which keys the environment holds: by their names, never a value or anything of one."""

from collections.abc import Iterator

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.models.catalog import load_provider_catalog
from dragoman.models.realtime_spec import load_realtime_catalog
from dragoman.speech.facts import load_speech_facts
from dragoman.wiring.agents.http_agents import TOKEN_VARIABLE
from dragoman.wiring.environment import variable
from dragoman.wiring.outside import SEARCH_KEY

PART = "keys"


def keys() -> Iterator[CheckedThing]:
    """Yield every variable that a key is read from, and what it is for."""
    for name, uses in _uses().items():
        used = ", ".join(dict.fromkeys(uses))
        if variable(name):
            yield CheckedThing(PART, name, "ok", f"set; for {used}")
        else:
            yield CheckedThing(PART, name, "missing", f"not set; for {used}")


def _uses() -> dict[str, list[str]]:
    uses: dict[str, list[str]] = {}
    chat = load_provider_catalog().providers.items()
    realtime = load_realtime_catalog().providers.items()
    speech = ((name, each.at) for name, each in load_speech_facts().providers.items())
    for name, provider in load_provider_catalog().providers.items():
        for variable_name in provider.other_keys:
            uses.setdefault(variable_name, []).append(f"{name} (models)")
    for kind, providers in (("models", chat), ("realtime", realtime), ("speech", speech)):
        for name, provider in providers:
            if provider.key_env:
                uses.setdefault(provider.key_env, []).append(f"{name} ({kind})")
    uses.setdefault(SEARCH_KEY, []).append("bfcl:web_search_*")
    uses.setdefault(TOKEN_VARIABLE, []).append("agents behind HTTP that want one")
    return uses
