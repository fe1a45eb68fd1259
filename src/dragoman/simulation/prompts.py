"""Prompts of agents and user simulators, and the scenario of a task as text.

The default prompts are text files in the folder `prompts`. The scenario is rendered for the
prompts of user simulators, and as the script that an offline user recites.
"""

from functools import cache, lru_cache
from importlib.resources import files

from dragoman.core.prompts import PromptSet
from dragoman.core.stop_tokens import MARKER
from dragoman.core.tasks import Scenario, Task


def scenario_text(scenario: Scenario) -> str:
    """Render a scenario for a user simulator's prompt, laid out as the reference does."""
    parts = []
    if scenario.persona:
        parts.append(f"Persona:\n{_indent_text(scenario.persona)}")
    script = scenario.instructions
    if isinstance(script, str):
        body = script
    else:
        lines = [
            ("Domain", script.domain, False),
            ("Reason for call", script.reason_for_call, True),
            ("Known info", script.known_info, True),
            ("Unknown info", script.unknown_info, True),
            ("Task instructions", script.task_instructions, True),
        ]
        body = "\n".join(
            f"{title}:\n{_indent_text(text)}" if below else f"{title}: {text}"
            for title, text, below in lines
            if text is not None
        )
    parts.append(f"Instructions:\n{_indent_text(body)}")
    return "\n".join(parts)


def spoken_script(scenario: Scenario) -> str:
    """Return everything the instructions contain, as one thing to say."""
    script = scenario.instructions
    if isinstance(script, str):
        return strip_stop_tokens(script)
    parts = (
        script.reason_for_call,
        script.known_info,
        script.unknown_info,
        script.task_instructions,
    )
    return strip_stop_tokens("\n".join(part for part in parts if part and part.strip(" .")))


def task_script(task: Task) -> str:
    """Return everything that a user may tell: fixed turns, facts as data, or the script."""
    scenario = task.scenario
    if task.turns:
        return "\n".join(message for turn in task.turns for message in turn.messages)
    if not is_structured(scenario):
        return spoken_script(scenario)
    values = (fact.value for fact in scenario.facts)
    return strip_stop_tokens("\n".join((scenario.opening, *values)))


def script_until_turn(task: Task, turn: int) -> str:
    """Return what a user may have told by a turn: where turns are fixed, nothing of later ones."""
    if not task.turns:
        return task_script(task)
    return "\n".join(message for each in task.turns[: turn + 1] for message in each.messages)


def is_structured(scenario: Scenario) -> bool:
    """Return whether a scenario says as data what its user tells and does."""
    return bool(scenario.facts or scenario.user_actions)


def strip_stop_tokens(text: str) -> str:
    """Return a script without stop tokens: reciting one would hang up."""
    return MARKER.sub("", text)


def _indent_text(text: str) -> str:
    return "\n".join(f"\t{line}" for line in text.split("\n"))


@cache
def default_prompts() -> PromptSet:
    """Return Dragoman's own prompts."""
    folder = files("dragoman.simulation") / "prompts"
    return PromptSet(
        "dragoman-1",
        (folder / "agent.md").read_text("utf-8").strip(),
        (folder / "user.md").read_text("utf-8").strip(),
        (folder / "user_with_tools.md").read_text("utf-8").strip(),
    )


@lru_cache(maxsize=16)
def agent_prompt(prompts: PromptSet, policy: str, instructions: str = "") -> str:
    """Return an agent's system prompt: instructions, policy, and in which language to speak.

    Without instructions it is the policy alone. Remembered, so that a thousand conversations share
    one text.
    """
    reported = policy
    if prompts.agent:
        reported = (
            f"<instructions>\n{prompts.agent}\n</instructions>\n<policy>\n{policy}\n</policy>"
        )
    return f"{reported}{_language_section(instructions)}"


def user_prompt(
    prompts: PromptSet, scenario: str, instructions: str = "", *, has_tools: bool
) -> str:
    """Return a user simulator's system prompt: guidelines, scenario, and language to speak."""
    guidelines = (has_tools and prompts.user_with_tools) or prompts.user
    return f"{guidelines}\n\n<scenario>\n{scenario}\n</scenario>{_language_section(instructions)}"


def _language_section(instructions: str) -> str:
    return f"\n<language>\n{instructions}\n</language>" if instructions else ""
