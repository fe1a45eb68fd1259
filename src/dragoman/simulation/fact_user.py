"""The offline user where a scenario says as data what its user knows and does.

It opens, then answers what is asked: it tells facts, corrects what was read back wrongly, spells,
agrees, does deeds with its own tools and reports them. Every kind of answer is bounded in number,
so no agent can keep it for ever.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Answer, Heard
from dragoman.core.speech import Called, Reply, Said, say
from dragoman.core.stop_tokens import STOP, TRANSFER
from dragoman.core.tasks import Deed, Fact, Scenario
from dragoman.core.tools import ToolCall, ToolResult, Toolset
from dragoman.simulation.facts import Mention, mentions, misstated, named_in, sentences
from dragoman.simulation.hand_over import is_hand_over
from dragoman.simulation.scripts import spoken_script, without_tokens
from dragoman.simulation.spelling import spelled, spelled_in_words
from dragoman.simulation.telling import Telling

MAX_REPLIES = 60
MAX_TIMES = 3
"""How often one value is corrected, one deed done and ignorance or consent repeated in a row."""
MAX_HEARD = 10_000
"""Characters of one message that are looked at."""
MAX_REPORT = 300
"""Characters of a tool's result that are told."""


class FactSession:
    """One conversation of a user that plays its facts."""

    def __init__(self, scenario: Scenario, phrases: Phrasebook, telling: Telling) -> None:
        self._scenario = scenario
        self._phrases = phrases
        self._telling = telling
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
            return Answer(say(self._joined(map(self._report, results))))
        if self._replies == 1:
            return Answer(say(self._opening()))
        due = self._telling.to_put_right()
        return Answer(self._with_persona(self._response(said, tools), due))

    async def close(self) -> None:
        """Nothing to release."""

    def _opening(self) -> str:
        """Return the first words, with what the user tells before anybody asks."""
        opening = self._scenario.opening or spoken_script(self._scenario)
        opening = without_tokens(opening).strip() or self._phrases.says.greeting
        facts = self._telling.volunteered(self._scenario.facts)
        before = self._telling.opening()
        return self._joined(filter(None, (before, opening, self._tell(facts) if facts else "")))

    def _with_persona(self, reply: Reply, due: Sequence[Fact]) -> Reply:
        """Return a reply with what the user's persona says around it.

        Nobody leaves without having put right what was told wrongly.
        """
        if not isinstance(reply, Said) or reply.text == TRANSFER:
            return reply
        wrong = [fact for fact in due if fact in self._telling.to_put_right()]
        if reply.text == STOP:
            return say(self._slip(wrong)) if wrong else reply
        repeated = self._telling.to_repeat()
        around = (
            self._telling.aside(),
            self._slip(wrong) if wrong else "",
            reply.text,
            self._told_as(self._telling.repeat, repeated) if repeated else "",
        )
        return say(self._joined(filter(None, around)))

    def _slip(self, wrong: Sequence[Fact]) -> str:
        return self._told_as(self._telling.slip, wrong)

    def _told_as(self, saying: str, facts: Sequence[Fact]) -> str:
        return saying.format(facts=self._tell(facts))

    def _response(self, said: str, tools: Toolset) -> Reply:
        if is_hand_over(said, self._phrases):
            return say(TRANSFER)
        deeds = self._deeds(said)
        able = [deed for deed in deeds if deed.name in tools]
        if able:
            return Called(tuple(self._call(deed) for deed in able))
        if deeds:
            return self._at_most("unable", self._phrases.says.unable)
        return self._words(said)

    def _deeds(self, said: str) -> list[Deed]:
        """Return the deeds that are asked for, in the order they are named."""
        hears = self._phrases.hears
        names = [deed.keywords for deed in self._scenario.deeds]
        numbers = [
            place.number
            for sentence in sentences(said, self._phrases)
            if not (hears.own.search(sentence) or hears.closing.search(sentence))
            for place in named_in(sentence, names, self._phrases)
        ]
        deeds = [self._scenario.deeds[number] for number in dict.fromkeys(numbers)]
        return [deed for deed in deeds if self._count[_key(deed)] < MAX_TIMES]

    def _call(self, deed: Deed) -> ToolCall:
        self._count[_key(deed)] += 1
        return ToolCall(f"deed_{self._replies}_{deed.name}", deed.name, deed.arguments, "user")

    def _words(self, said: str) -> Reply:
        hears = self._phrases.hears
        named = mentions(said, self._scenario.facts, self._phrases)
        if hears.spell.search(said):
            return self._spelling(named, said)
        if hears.closing.search(said) or not hears.request.search(said):
            return say(STOP)
        asked = self._asked(said)
        wrong = self._wrong(named, said)
        if any(self._count[fact.name] < MAX_TIMES for fact in wrong):
            self._count.update(fact.name for fact in wrong)
            others = [] if hears.consent.search(said) else asked
            facts = self._tell((*wrong, *others))
            return say(self._phrases.says.correction.format(facts=facts))
        return self._to_request(said, named, asked)

    def _wrong(self, named: Sequence[Mention], said: str) -> list[Fact]:
        """Return the facts that were read back wrongly: as something like them, or as anything else."""
        is_read_back = self._phrases.hears.read_back.search(said)
        stated = misstated(said, self._scenario.facts, self._phrases) if is_read_back else ()
        alike = [mention.fact for mention in named if mention.reading == "wrong"]
        return list(dict.fromkeys((*alike, *stated)))

    def _asked(self, said: str) -> list[Fact]:
        """Return the facts that the requests among an agent's sentences ask for."""
        asking = " ".join(
            filter(self._phrases.hears.request.search, sentences(said, self._phrases))
        )
        named = mentions(asking, self._scenario.facts, self._phrases)
        return [mention.fact for mention in named if mention.reading == "asked"]

    def _spelling(self, named: Sequence[Mention], said: str) -> Reply:
        facts = [mention.fact for mention in named] or self._told
        if not facts:
            return self._at_most("unknown", self._phrases.says.unknown)
        spell = spelled_in_words if self._phrases.hears.nato.search(said) else spelled
        return self._at_most("spelling", self._joined(self._spelled(fact, spell) for fact in facts))

    def _spelled(self, fact: Fact, spell: Callable[[str, Phrasebook], str]) -> str:
        self._telling.put_right([fact])
        told = self._phrases.says.fact_spelled.format(
            label=self._phrases.label(fact.name),
            value=fact.value,
            spelled=spell(fact.value, self._phrases),
        )
        return _capitalised(told)

    def _to_request(self, said: str, named: Sequence[Mention], asked: Sequence[Fact]) -> Reply:
        says, hears = self._phrases.says, self._phrases.hears
        if hears.consent.search(said):
            fresh = [fact for fact in asked if fact not in self._told]
            return self._at_most(
                "yes", self._joined(filter(None, (says.consent, self._tell(fresh))))
            )
        if asked:
            return self._at_most("told", self._answer(asked))
        is_right = any(mention.reading == "right" for mention in named)
        if is_right and not hears.open_question.search(said):
            return self._at_most("yes", says.right)
        return self._at_most("unknown", says.unknown)

    def _answer(self, asked: Sequence[Fact]) -> str:
        """Tell what is asked for, as far as the user's persona tells it now."""
        answer = self._telling.answer(asked)
        self._told = answer.facts or self._told
        facts = self._scenario.facts
        values = [self._telling.first_value(each, facts) for each in answer.facts]
        if self._telling.is_terse:
            told = self._phrases.joins.facts.join(values)
        else:
            told = self._facts(answer.facts, values)
        return self._joined(filter(None, (told, answer.instead)))

    def _tell(self, facts: Sequence[Fact]) -> str:
        """Tell facts as they are."""
        self._told = tuple(facts) or self._told
        self._telling.put_right(facts)
        return self._facts(facts, [fact.value for fact in facts])

    def _facts(self, facts: Sequence[Fact], values: Sequence[str]) -> str:
        fact, label = self._phrases.says.fact, self._phrases.label
        told = (
            fact.format(label=label(each.name), value=value)
            for each, value in zip(facts, values, strict=True)
        )
        return self._joined(map(_capitalised, told))

    def _report(self, result: ToolResult) -> str:
        content = result.content if result.shown is None else result.shown
        words = without_tokens(content)[:MAX_REPORT].strip()
        says = self._phrases.says
        return (says.deed_failed if result.error else says.deed_done).format(result=words)

    def _joined(self, told: Iterable[str]) -> str:
        return self._phrases.joins.sentences.join(told)

    def _at_most(self, kind: str, words: str) -> Reply:
        """Return an answer, or the end where the very same one was given too often."""
        key = f"{kind}: {words}"
        self._count[key] += 1
        return say(words if self._count[key] <= MAX_TIMES else STOP)


def _key(deed: Deed) -> str:
    return f"deed: {deed.name} {deed.arguments}"


def _capitalised(sentence: str) -> str:
    """Return a sentence that may begin with a slot as sentences are written."""
    return f"{sentence[:1].upper()}{sentence[1:]}"
