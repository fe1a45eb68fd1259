"""Old paths: names that documents of version 0.1 had users import, and where each is now.

An old name still works, with a DeprecationWarning that has the new place. `dragoman` asks this
module only where an import finds nothing, and a module that is still there where it lacks a name.
All of it goes with version 0.3.
"""

import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

REMOVED_IN = "0.3"
"""The version without old paths."""

NEW_PLACES = {
    "dragoman.benchmarks.kit.arguments": {
        "compile_validators": "dragoman.ext.benchmarks.compile_validators"
    },
    "dragoman.benchmarks.kit.databases": {
        "decode_database": "dragoman.ext.benchmarks.decode_database"
    },
    "dragoman.benchmarks.kit.http_tools": {
        "HttpWorld": "dragoman.ext.benchmarks.HttpEnvironment",
        "request_of": "dragoman.ext.benchmarks.build_request",
    },
    "dragoman.benchmarks.kit.single_turn": {"SingleTurn": "dragoman.ext.benchmarks.SingleTurn"},
    "dragoman.benchmarks.kit.world": {
        "one_database": "dragoman.ext.benchmarks.single_database_domain"
    },
    "dragoman.conditions.voice.mishearing.simulator": {
        "ErrorSimulator": "dragoman.ext.speech.ErrorSimulator"
    },
    "dragoman.core.episodes": {"Move": "dragoman.ext.conversations.Message"},
    "dragoman.core.facets": {"PulledState": "dragoman.ext.capabilities.PulledState"},
    "dragoman.core.keys": {"content_key": "dragoman.ext.identity.content_key"},
    "dragoman.core.layers": {"AlwaysTold": "dragoman.ext.layers.StaticInstructions"},
    "dragoman.core.measures": {"Counted": "dragoman.ext.measures.CountedItem"},
    "dragoman.core.protocols": {"Opening": "dragoman.ext.agents.SessionStart"},
    "dragoman.core.speech": {
        "Said": "dragoman.ext.conversations.TextReply",
        "say": "dragoman.ext.conversations.text_reply",
    },
    "dragoman.runs.backend": {
        "Finished": "dragoman.ext.backends.PlayResult",
        "PlainCell": "dragoman.ext.backends.CellSpec",
        "PlainRun": "dragoman.ext.backends.RunSpec",
    },
    "dragoman.runs.elsewhere": {"played_elsewhere": "dragoman.ext.backends.remote_player"},
    "dragoman.scoring.components": {
        "communicate_component": "dragoman.ext.scoring.communicate_component"
    },
    "dragoman.scoring.measures.counting": {"Counting": "dragoman.ext.measures.CountMeasure"},
    "dragoman.scoring.sayings": {"says": "dragoman.ext.scoring.contains_phrase"},
    "dragoman.testing.answers": {
        "Rule": "dragoman.testing.Rule",
        "RuleAnswers": "dragoman.testing.RuleAnswers",
        "When": "dragoman.testing.When",
    },
    "dragoman.testing.behaviour": {"Behaviour": "dragoman.testing.ServerConfig"},
    "dragoman.testing.coded_speech": {"decoded_text": "dragoman.testing.decoded_text"},
    "dragoman.testing.faults": {
        "Faults": "dragoman.testing.Faults",
        "ServerError": "dragoman.testing.ServerError",
        "UNRESOLVABLE_URL": "dragoman.testing.UNRESOLVABLE_URL",
        "WrongContentType": "dragoman.testing.WrongContentType",
    },
    "dragoman.testing.realtime.faults": {
        "Dropped": "dragoman.testing.Dropped",
        "RealtimeBehaviour": "dragoman.testing.RealtimeConfig",
    },
    "dragoman.testing.search_server": {"searching": "dragoman.testing.serve_search"},
    "dragoman.testing.shows.translating": {
        "TranslatingAnswers": "dragoman.testing.FakeTranslationLlm"
    },
    "dragoman.testing.world.faults": {"load_faults": "dragoman.testing.load_faults"},
    "dragoman.testing.world.server": {"WorldServer": "dragoman.testing.SimulatedApiServer"},
    "dragoman.wiring.connections": {"Connections": "dragoman.ext.models.ModelClients"},
    "dragoman.wiring.participants": {"resolve_agent": "dragoman.ext.agents.resolve_agent"},
    "dragoman.wiring.speech": {
        "resolve_recognizer": "dragoman.ext.speech.resolve_recognizer",
        "resolve_synthesizer": "dragoman.ext.speech.resolve_synthesizer",
    },
}
"""By old module: each name, and the public name that replaces it."""

_PACKAGES = frozenset(
    module[:dot] for module in NEW_PLACES for dot, sign in enumerate(module) if sign == "."
)


def old_name(module: str, name: str) -> object:
    """Return the object of an old name, and warn the code that imports it.

    It is called by a module's `__getattr__`, so the warning names the line above that.

    Raises:
        AttributeError: If the module never had the name, or no document named it.
    """
    place = NEW_PLACES.get(module, {}).get(name)
    if place is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    new_module, _, new_name = place.rpartition(".")
    warnings.warn(
        f"{module}.{name} is now {new_module}.{new_name}; "
        f"the old path goes with Dragoman {REMOVED_IN}",
        DeprecationWarning,
        stacklevel=3,
    )
    return getattr(import_module(new_module), new_name)


def find_old_module(name: str) -> ModuleSpec | None:
    """Return how to make an old module, or a package that had one; None for any other name."""
    if name not in NEW_PLACES and name not in _PACKAGES:
        return None
    return ModuleSpec(name, _OldModuleLoader(), is_package=name in _PACKAGES)


class _OldModuleLoader(Loader):
    """Loader of modules that have old names only."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the making to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its old names."""

        def load(name: str) -> object:
            return old_name(module.__name__, name)

        module.__dict__.update(
            __getattr__=load, __all__=sorted(NEW_PLACES.get(module.__name__, ()))
        )
