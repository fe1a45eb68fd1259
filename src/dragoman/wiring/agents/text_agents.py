"""Agents that call functions in their text: `PROVIDER/MODEL?calls=python` and its further options."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, urlencode

from dragoman.core.errors import UsageError
from dragoman.core.facets import CallsAsText, TextProtocol
from dragoman.core.protocols import Participant, Suite
from dragoman.core.rules import Rules

OPTION = "calls"
_BY_TASK = "task"
_OPTIONS = (OPTION, "tags", "documents", "layout", "style")

Offer = Callable[[Mapping[str, str]], TextProtocol]
"""Returns how a suite's functions are offered as text, for the options of an agent."""


def split_options(spec: str) -> tuple[str, dict[str, str]]:
    """Return an agent's name without the options of calling in text, and these options.

    Raises:
        UsageError: For options that only make sense beside `calls=`.
    """
    name, mark, query = spec.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    own = {key: value for key, value in pairs if key in _OPTIONS}
    if not own:
        return spec, {}
    if OPTION not in own:
        raise UsageError(f"{spec}: {next(iter(own))}= goes with {OPTION}=python or another form")
    rest = [(key, value) for key, value in pairs if key not in _OPTIONS]
    return name + (mark + urlencode(rest) if rest else ""), own


def offer_of(suite: Suite, rules: Rules) -> Offer:
    """Return how a suite offers its functions as text.

    What is returned raises UsageError where the suite cannot, or does not know an option's value.
    """

    def offer(options: Mapping[str, str]) -> TextProtocol:
        if not isinstance(suite, CallsAsText):
            raise UsageError(f"{suite.name} has no form for calls in text: leave {OPTION}= out")
        if suite.asks_for_text and options != {OPTION: _BY_TASK}:
            raise UsageError(f"{suite.name} sets the form itself: write {OPTION}={_BY_TASK} alone")
        return suite.text_protocol({} if suite.asks_for_text else options, rules)

    return offer


def require_text(suite: Suite, agent: Participant) -> None:
    """Raise UsageError for a model with native calls where a suite is about prompts."""
    from dragoman.simulation.participants.canonical_arguments import CanonicalAgent
    from dragoman.simulation.participants.llm import LlmParticipant

    agent = agent.agent if isinstance(agent, CanonicalAgent) else agent
    asks_for_text = isinstance(suite, CallsAsText) and suite.asks_for_text
    if asks_for_text and isinstance(agent, LlmParticipant):
        raise UsageError(f"{suite.name} is about prompts: write {agent.name}?{OPTION}={_BY_TASK}")
