"""The courier's world, called by name from either side."""

from collections.abc import Callable

import msgspec
import pytest

from dragoman.benchmarks.courier.domain import courier_suite
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import FunctionCall
from dragoman.core.tools import Role, ToolCall, ToolResult

Ask = Callable[..., ToolResult]


@pytest.fixture(scope="session")
def courier() -> ConversationSuite:
    return courier_suite()


@pytest.fixture
def environment(courier: ConversationSuite) -> DomainEnvironment:
    """A world in the state of the databases, without any task's own."""
    task = msgspec.structs.replace(courier.tasks[0], initial_state=None)
    fresh = courier.factory(DEFAULT_RULES)(task)
    assert isinstance(fresh, DomainEnvironment)
    return fresh


def asking(environment: DomainEnvironment, side: Role) -> Ask:
    def ask(name: str, /, **arguments: object) -> ToolResult:
        return environment.call(ToolCall("1", name, arguments, side))

    return ask


@pytest.fixture
def agent(environment: DomainEnvironment) -> Ask:
    """Call a tool of the agent's."""
    return asking(environment, "agent")


@pytest.fixture
def user(environment: DomainEnvironment) -> Ask:
    """Call a tool of the user's."""
    return asking(environment, "user")


@pytest.fixture
def stage(environment: DomainEnvironment) -> Callable[..., object]:
    """Set the world up: call a function that no participant sees."""

    def setting(side: Role, name: str, /, **arguments: object) -> object:
        return environment.run_function(FunctionCall(side, name, arguments))

    return setting
