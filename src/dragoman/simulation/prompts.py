"""Our own prompts of LLM participants, text files beside this module, and how prompts are told."""

from functools import cache, lru_cache
from importlib.resources import files

from dragoman.core.prompts import PromptSet


@cache
def default_prompts() -> PromptSet:
    """Return the prompts of our own."""
    folder = files("dragoman.simulation") / "prompts"
    return PromptSet(
        "dragoman-1",
        (folder / "agent.md").read_text("utf-8").strip(),
        (folder / "user.md").read_text("utf-8").strip(),
        (folder / "user_with_tools.md").read_text("utf-8").strip(),
    )


@lru_cache(maxsize=16)
def agent_prompt(prompts: PromptSet, policy: str, directive: str = "") -> str:
    """Return an agent's system prompt: instructions, policy, and in which language to speak.

    Without instructions it is the policy alone. Remembered, so that a thousand conversations share
    one text.
    """
    told = policy
    if prompts.agent:
        told = f"<instructions>\n{prompts.agent}\n</instructions>\n<policy>\n{policy}\n</policy>"
    return f"{told}{_spoken(directive)}"


def user_prompt(prompts: PromptSet, scenario: str, directive: str = "", *, has_tools: bool) -> str:
    """Return a user simulator's system prompt: guidelines, scenario, and in which language to speak."""
    guidelines = (has_tools and prompts.user_with_tools) or prompts.user
    return f"{guidelines}\n\n<scenario>\n{scenario}\n</scenario>{_spoken(directive)}"


def _spoken(directive: str) -> str:
    return f"\n<language>\n{directive}\n</language>" if directive else ""
