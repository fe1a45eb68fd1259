"""Which conditions in other languages there are for questions and functions."""

from dragoman.core.conditions import TEXT, Condition


def not_in_language(condition: Condition) -> str:
    """Return why questions cannot be asked under a condition in a language; "" where they can.

    What a user says is the question, so that nobody speaks a language that the questions are not in.
    """
    localized = condition.localized
    if localized is None:
        return ""
    if len(localized.languages) > 1:
        return "each question has functions of its own, which languages cannot share"
    surfaces = {*localized.surfaces}
    if "tasks" not in surfaces and surfaces != {"tools"}:
        return "its questions are what is said: --scenario tasks, tools, tasks+tools or domain"
    if condition.voice != TEXT and "tasks" in surfaces and "conversation" not in surfaces:
        return "what is spoken is in the language where the conversation is: --scenario domain"
    return ""
