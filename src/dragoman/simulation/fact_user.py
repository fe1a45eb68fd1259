"""The offline user where a scenario says as data what its user knows and does.

It opens, then answers what is asked: it tells facts, corrects what was read back wrongly, spells,
agrees, does deeds with its own tools and reports them. Every kind of answer is bounded in number,
so no agent can keep it for ever.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from dragoman.core.protocols import Answer, Heard
from dragoman.core.speech import Called, Reply, Said, say
from dragoman.core.stop_tokens import STOP, TRANSFER
from dragoman.core.tasks import Deed, Fact, Scenario
from dragoman.core.tools import ToolCall, ToolResult, Toolset
from dragoman.simulation.facts import Mention, label, mentions, misstated, named_in, sentences
from dragoman.simulation.hand_over import is_hand_over
from dragoman.simulation.questions import (
    asks_consent,
    asks_for_nato,
    asks_if_right,
    asks_to_spell,
    is_closing,
    is_open_question,
    is_request,
    speaks_of_itself,
)
from dragoman.simulation.scripts import spoken_script, without_tokens
from dragoman.simulation.spelling import spelled, spelled_in_words

MAX_REPLIES = 60
MAX_TIMES = 3
"""How often one value is corrected, one deed done and ignorance or consent repeated in a row."""
MAX_HEARD = 10_000
"""Characters of one message that are looked at."""
MAX_REPORT = 300
"""Characters of a tool's result that are told."""

UNKNOWN = "I do not know that."


class FactSession:
    """One conversation of a user that plays its facts."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._replies = 0
        self._told: tuple[Fact, ...] = ()
        self._count: Counter[str] = Counter()

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:
        """Open, report what was done, or answer what was said."""
        self._replies += 1
        results = [part for part in heard if isinstance(part, ToolResult)]
        said = " ".join(part.utterance.received or "" for part in heard if isinstance(part, Said))
        said = said[:MAX_HEARD]
        if self._replies > MAX_REPLIES:
            return Answer(say(STOP))
        if results:
            return Answer(say(" ".join(map(_report, results))))
        if self._replies == 1:
            opening = self._scenario.opening or spoken_script(self._scenario)
            return Answer(say(without_tokens(opening).strip() or "Hello."))
        return Answer(self._response(said, tools))

    async def close(self) -> None:
        """Nothing to release."""

    def _response(self, said: str, tools: Toolset) -> Reply:
        if is_hand_over(said):
            return say(TRANSFER)
        deeds = self._deeds(said)
        able = [deed for deed in deeds if deed.name in tools]
        if able:
            return Called(tuple(self._call(deed) for deed in able))
        if deeds:
            return self._at_most("unable", "I cannot do that.")
        return self._words(said)

    def _deeds(self, said: str) -> list[Deed]:
        """Return the deeds that are asked for, in the order they are named."""
        names = [deed.keywords for deed in self._scenario.deeds]
        numbers = [
            place.number
            for sentence in sentences(said)
            if not (speaks_of_itself(sentence) or is_closing(sentence))
            for place in named_in(sentence, names)
        ]
        deeds = [self._scenario.deeds[number] for number in dict.fromkeys(numbers)]
        return [deed for deed in deeds if self._count[_key(deed)] < MAX_TIMES]

    def _call(self, deed: Deed) -> ToolCall:
        self._count[_key(deed)] += 1
        return ToolCall(f"deed_{self._replies}_{deed.name}", deed.name, deed.arguments, "user")

    def _words(self, said: str) -> Reply:
        named = mentions(said, self._scenario.facts)
        if asks_to_spell(said):
            return self._spelling(named, said)
        if is_closing(said) or not is_request(said):
            return say(STOP)
        asked = self._asked(said)
        wrong = self._wrong(named, said)
        if any(self._count[fact.name] < MAX_TIMES for fact in wrong):
            self._count.update(fact.name for fact in wrong)
            others = [] if asks_consent(said) else asked
            return say(f"No. {self._tell((*wrong, *others))}")
        return self._to_request(said, named, asked)

    def _wrong(self, named: Sequence[Mention], said: str) -> list[Fact]:
        """Return the facts that were read back wrongly: as something like them, or as anything else."""
        stated = misstated(said, self._scenario.facts) if asks_if_right(said) else ()
        alike = [mention.fact for mention in named if mention.reading == "wrong"]
        return list(dict.fromkeys((*alike, *stated)))

    def _asked(self, said: str) -> list[Fact]:
        """Return the facts that the requests among an agent's sentences ask for."""
        asking = " ".join(filter(is_request, sentences(said)))
        named = mentions(asking, self._scenario.facts)
        return [mention.fact for mention in named if mention.reading == "asked"]

    def _spelling(self, named: Sequence[Mention], said: str) -> Reply:
        facts = [mention.fact for mention in named] or self._told
        if not facts:
            return self._at_most("unknown", UNKNOWN)
        in_words = asks_for_nato(said)
        return self._at_most("spelling", _sentences(facts, _nato if in_words else _letters))

    def _to_request(self, said: str, named: Sequence[Mention], asked: Sequence[Fact]) -> Reply:
        if asks_consent(said):
            fresh = [fact for fact in asked if fact not in self._told]
            return self._at_most("yes", f"Yes, please. {self._tell(fresh)}".strip())
        if asked:
            return self._at_most("told", self._tell(asked))
        if any(mention.reading == "right" for mention in named) and not is_open_question(said):
            return self._at_most("yes", "Yes, that is right.")
        return self._at_most("unknown", UNKNOWN)

    def _tell(self, facts: Sequence[Fact]) -> str:
        self._told = tuple(facts) or self._told
        return _sentences(facts, _plain)

    def _at_most(self, kind: str, words: str) -> Reply:
        """Return an answer, or the end where the very same one was given too often."""
        key = f"{kind}: {words}"
        self._count[key] += 1
        return say(words if self._count[key] <= MAX_TIMES else STOP)


def _key(deed: Deed) -> str:
    return f"deed: {deed.name} {deed.arguments}"


def _report(result: ToolResult) -> str:
    content = result.content if result.shown is None else result.shown
    words = without_tokens(content)[:MAX_REPORT].strip()
    return f"That did not work: {words}" if result.error else f"I did that. It says: {words}"


def _sentences(facts: Sequence[Fact], value: Callable[[str], str]) -> str:
    return " ".join(f"The {label(fact)} is {value(fact.value)}." for fact in facts)


def _plain(value: str) -> str:
    return value


def _letters(value: str) -> str:
    return f"{value}, spelled {spelled(value)}"


def _nato(value: str) -> str:
    return f"{value}, spelled {spelled_in_words(value)}"
