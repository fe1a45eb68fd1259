"""What a task's user has to say, as text: for simulators' prompts and for the offline user."""

from dragoman.core.stop_tokens import MARKER
from dragoman.core.tasks import Scenario, Task


def scenario_text(scenario: Scenario) -> str:
    """Render a scenario for a user simulator's prompt, laid out as the reference does."""
    parts = []
    if scenario.persona:
        parts.append(f"Persona:\n{_indented(scenario.persona)}")
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
            f"{title}:\n{_indented(text)}" if below else f"{title}: {text}"
            for title, text, below in lines
            if text is not None
        )
    parts.append(f"Instructions:\n{_indented(body)}")
    return "\n".join(parts)


def spoken_script(scenario: Scenario) -> str:
    """Return everything the instructions contain, as one thing to say."""
    script = scenario.instructions
    if isinstance(script, str):
        return without_tokens(script)
    parts = (
        script.reason_for_call,
        script.known_info,
        script.unknown_info,
        script.task_instructions,
    )
    return without_tokens("\n".join(part for part in parts if part and part.strip(" .")))


def told_script(task: Task) -> str:
    """Return everything that a user may tell: fixed turns, facts as data, or else its script."""
    scenario = task.scenario
    if task.turns:
        return "\n".join(message for turn in task.turns for message in turn.messages)
    if not is_structured(scenario):
        return spoken_script(scenario)
    values = (fact.value for fact in scenario.facts)
    return without_tokens("\n".join((scenario.opening, *values)))


def told_by(task: Task, turn: int) -> str:
    """Return what a user may have told by a turn: where turns are fixed, nothing of later ones."""
    if not task.turns:
        return told_script(task)
    return "\n".join(message for each in task.turns[: turn + 1] for message in each.messages)


def is_structured(scenario: Scenario) -> bool:
    """Whether a scenario says as data what its user tells and does."""
    return bool(scenario.facts or scenario.deeds)


def without_tokens(text: str) -> str:
    """Return a script without stop tokens: reciting one would hang up."""
    return MARKER.sub("", text)


def _indented(text: str) -> str:
    return "\n".join(f"\t{line}" for line in text.split("\n"))
