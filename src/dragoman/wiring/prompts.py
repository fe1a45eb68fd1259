"""Which prompts a run gives to models."""

import msgspec

from dragoman.core.rules import TAU2_RULES, Rules
from dragoman.simulation.prompts import PromptSet, default_prompts
from dragoman.wiring.environment import data_folder


def prompts_for(suite: str, rules: Rules) -> PromptSet:
    """Return our prompts; under the reference's rules, with its guidelines for the user.

    The reference's texts for agent and judge are not among the pulled files: those stay ours.

    Raises:
        DataError: Where the guidelines are not pulled.
    """
    if rules != TAU2_RULES or not suite.startswith("tau2:"):
        return default_prompts()
    from dragoman.benchmarks.tau2.pulled import user_guidelines

    without, with_tools = user_guidelines(data_folder())
    return msgspec.structs.replace(
        default_prompts(), name=TAU2_RULES.name, user=without, user_with_tools=with_tools
    )
