from dragoman.benchmarks.kit.environment import OfferedTools
from dragoman.core.protocols import SetupEnvironment, SynchronizedEnvironment
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Criteria, EnvAssertion, FunctionCall
from dragoman.core.tools import NO_TOOLS
from dragoman.scoring.reward_components import assertion_component

ASSERTS = Criteria(
    reward_basis=("ENV_ASSERTION",),
    env_assertions=(EnvAssertion(FunctionCall("user", "assert_display", {}), True),),
)


def test_what_a_world_without_functions_should_assert_stays_unscored() -> None:
    component = assertion_component(ASSERTS, OfferedTools(NO_TOOLS))
    assert component.verdict == Unscored("its world has no functions")


def test_a_world_says_by_what_it_has_whether_it_sets_up_and_keeps_in_step() -> None:
    assert not isinstance(OfferedTools(NO_TOOLS), SetupEnvironment | SynchronizedEnvironment)
