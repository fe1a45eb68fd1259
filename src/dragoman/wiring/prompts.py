"""Which prompts a run gives to models."""

import msgspec

from dragoman.core.rules import Rules
from dragoman.simulation.prompts import BARE, PromptSet, default_prompts
from dragoman.wiring.environment import data_folder


def prompts_for(suite: str, rules: Rules) -> PromptSet:
    """Return our prompts; under the reference's rules, with its guidelines for the user.

    BFCL tells an agent nothing but the functions and the question.

    The reference's texts for agent and judge are not among the pulled files: those stay ours.

    Raises:
        DataError: Where the guidelines are not pulled.
    """
    if suite.startswith("bfcl:"):
        return BARE
    if not rules.guidelines_are_the_references or not suite.startswith("tau2:"):
        return default_prompts()
    from dragoman.benchmarks.tau2.pulled import user_guidelines

    without, with_tools = user_guidelines(data_folder())
    return msgspec.structs.replace(
        default_prompts(), name="tau2-1.0.1", user=without, user_with_tools=with_tools
    )
