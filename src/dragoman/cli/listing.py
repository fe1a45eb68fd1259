"""`dragoman list`."""

from collections.abc import Callable

from dragoman.core.errors import UsageError
from dragoman.core.rules import BFCL_RULES, Rules


def print_names(what: str) -> None:
    """Print names with a line about each."""
    for name, about in names(what).items():
        print(f"{name:<25} {about}")


def names(what: str) -> dict[str, str]:
    """Return the names of one kind.

    Raises:
        UsageError: Where there is no such kind.
    """
    from dragoman.core.rules import RULES
    from dragoman.wiring.participants import DIAGNOSTIC_AGENTS, HUMAN, JUDGES, USERS
    from dragoman.wiring.providers import describe_providers
    from dragoman.wiring.suites import suite_names

    person = {HUMAN: "a person at this terminal, one conversation at a time"}
    own = {
        "MODULE:ATTRIBUTE": "a function of (messages, tools), or a participant, of your own",
        "PROVIDER/MODEL": "a chat model, such as openai/gpt-4.1-mini or ollama/llama3.1",
        "scripted/FILE": "a chat model that answers from a script",
    }
    kinds: dict[str, Callable[[], dict[str, str]]] = {
        "suites": lambda: {
            **suite_names(),
            "tau2:DOMAIN:SPLIT": "another split than base: train, test; telecom also small, full",
        },
        "agents": lambda: {**DIAGNOSTIC_AGENTS, **person, **own},
        "users": lambda: {**USERS, **person, **own},
        "judges": lambda: {
            **JUDGES,
            **{name: own[name] for name in ("PROVIDER/MODEL", "scripted/FILE")},
        },
        "models": describe_providers,
        "rules": lambda: {name: _about(rules) for name, rules in RULES.items()},
    }
    if what not in kinds:
        raise UsageError(f"cannot list {what!r}: choose {', '.join(kinds)}")
    return kinds[what]()


def _about(rules: Rules) -> str:
    if rules.name == BFCL_RULES.name:
        return "parity with BFCL v4, for bfcl suites"
    whose = (
        "parity with the reference of that version"
        if rules.guidelines_are_the_references
        else "ours: known defects of the reference fixed"
    )
    return whose if rules.replay_must_repeat else f"{whose}; notes results that are not repeated"
