"""Benchmarks and suites: the protocols of both, and a toolkit to build a suite.

The toolkit has tables with copy on write, environments over a database, tools that are HTTP
requests, and turn-based conversations.
"""

from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.kit.environment import (
    Domain,
    decode_database,
    single_database_domain,
)
from dragoman.benchmarks.kit.http_tools import (
    ApiRequest,
    HttpEndpoint,
    HttpEnvironment,
    Response,
    build_request,
    endpoint_tools,
)
from dragoman.benchmarks.kit.suite_files import suite_from_files
from dragoman.benchmarks.kit.tables import SharedTable, Table
from dragoman.benchmarks.kit.tool_schemas import compile_validators, derive_toolset
from dragoman.benchmarks.kit.turn_protocols import SingleTurn
from dragoman.core.capabilities import Benchmark
from dragoman.core.protocols import (
    Ask,
    AsyncEnvironment,
    Consult,
    ConversationProgress,
    Environment,
    EnvironmentFactory,
    Execute,
    Limits,
    Provenance,
    SetupEnvironment,
    Speak,
    Suite,
    SynchronizedEnvironment,
    TurnAction,
    TurnProtocol,
)

__all__ = [
    "ApiRequest",
    "Ask",
    "AsyncEnvironment",
    "Benchmark",
    "Consult",
    "ConversationProgress",
    "ConversationSuite",
    "Domain",
    "Environment",
    "EnvironmentFactory",
    "Execute",
    "HttpEndpoint",
    "HttpEnvironment",
    "Limits",
    "Provenance",
    "Response",
    "SetupEnvironment",
    "SharedTable",
    "SingleTurn",
    "Speak",
    "Suite",
    "SynchronizedEnvironment",
    "Table",
    "TurnAction",
    "TurnProtocol",
    "build_request",
    "compile_validators",
    "decode_database",
    "derive_toolset",
    "endpoint_tools",
    "single_database_domain",
    "suite_from_files",
]
