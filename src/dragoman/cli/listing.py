"""`dragoman list`."""

from collections.abc import Callable

from dragoman.core.errors import UsageError


def print_names(what: str) -> None:
    """Print names with a line about each."""
    for name, about in names(what).items():
        print(f"{name:<20} {about}")


def names(what: str) -> dict[str, str]:
    """Return the names of one kind.

    Raises:
        UsageError: Where there is no such kind.
    """
    from dragoman.core.rules import DEFAULT_RULES, RULES
    from dragoman.wiring.participants import DIAGNOSTIC_AGENTS, JUDGES, USERS
    from dragoman.wiring.suites import suite_names

    own = {
        "MODULE:ATTRIBUTE": "a function of (messages, tools), or a participant, of your own",
        "scripted/FILE": "a chat model that answers from a script",
    }
    rules = {
        name: "ours: known defects of the reference fixed"
        if name == DEFAULT_RULES.name
        else "parity with the reference of that version"
        for name in RULES
    }
    kinds: dict[str, Callable[[], dict[str, str]]] = {
        "suites": lambda: {
            **suite_names(),
            "tau2:DOMAIN:SPLIT": "another split than base: train, test; telecom also small, full",
        },
        "agents": lambda: {**DIAGNOSTIC_AGENTS, **own},
        "users": lambda: {**USERS, **own},
        "judges": lambda: {**JUDGES, "scripted/FILE": own["scripted/FILE"]},
        "rules": lambda: rules,
    }
    if what not in kinds:
        raise UsageError(f"cannot list {what!r}: choose {', '.join(kinds)}")
    return kinds[what]()
