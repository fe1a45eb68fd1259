"""Scripted user simulator without a model: plays the facts of a scenario, or recites its script.

With facts it opens, then answers what is asked: it states facts, corrects wrong read-backs,
spells, agrees, uses its own tools and reports the results. Without facts it says its whole script
in the first message, says yes to every question a bounded number of times, and ends the call when
the agent states something instead of asking. Every kind of answer is bounded in number.

A persona decides how facts are disclosed. Every draw follows from the session's key and the fact or
reply alone, so all agents meet the same user. Nothing is lost: a postponed fact is stated when it
is asked for again, and a wrong value is corrected in the next message.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from dragoman.core.content_keys import derive_seed
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.personas import UserBehavior
from dragoman.core.protocols import Session, SessionInput, SessionReply, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.stop_tokens import STOP, TRANSFER
from dragoman.core.tasks import KnownFact, Scenario, UserAction
from dragoman.core.tools import ToolCall, ToolResult, Toolset
from dragoman.simulation.fact_mentions import (
    Mention,
    contradicted_facts,
    find_mentions,
    find_name_spans,
    split_sentences,
)
from dragoman.simulation.phrasebooks import english_phrasebook, session_phrasebook
from dragoman.simulation.prompts import is_structured, spoken_script, strip_stop_tokens
from dragoman.simulation.value_extraction import spell_nato, spell_value


def is_hand_over(said: str, phrases: Phrasebook) -> bool:
    """Return whether an agent announces, in the words that policies prescribe, that it hands over.

    Policies are not translated everywhere: the English words count in every language.
    """
    return any(book.hears.hand_over.search(said) for book in (phrases, english_phrasebook()))


_RANGE = 2**31


class DisclosedFacts(msgspec.Struct, frozen=True):
    """The result of a question for facts.

    It is the disclosed facts, and the words in the place of others.
    """

    facts: tuple[KnownFact, ...]
    instead: str


class FactDisclosure:
    """Disclosure state of a user: told facts, and the way to tell the rest.

    Args:
        user_behavior: Behavior of the user.
        key: Key that is the same for all conversations with this user.
    """

    def __init__(self, user_behavior: UserBehavior, key: str) -> None:
        self._habits = user_behavior.habits
        self._persona_phrases = user_behavior.persona_phrases
        self._key = key
        self._put_off: set[str] = set()
        self._stated: dict[str, KnownFact] = {}
        self._slipped: dict[str, KnownFact] = {}
        self._replies = 0

    @property
    def slip(self) -> str:
        """Phrase before the correction of a wrongly told fact, with the slot `facts`."""
        return self._persona_phrases.slip

    @property
    def repeat(self) -> str:
        """Phrase for telling a fact once more, with the slot `facts`."""
        return self._persona_phrases.repeat

    @property
    def is_terse(self) -> bool:
        """Whether values are stated without their names."""
        return self._habits.terse

    def opening(self) -> str:
        """Return the phrase before the first words; "" for none."""
        return self._chosen(self._persona_phrases.openings, "opening")

    def volunteered(self, facts: Sequence[KnownFact]) -> Sequence[KnownFact]:
        """Return the facts that are told unasked."""
        return facts if self._habits.volunteers else ()

    def answer(self, asked: Sequence[KnownFact]) -> DisclosedFacts:
        """Return the facts that a question discloses."""
        facts, instead = [], ""
        for fact in asked:
            said = self._put_off_with(fact)
            if said:
                instead = instead or said
            else:
                facts.append(fact)
        return DisclosedFacts(tuple(facts[: self._habits.at_once or None]), instead)

    def first_value(self, fact: KnownFact, others: Iterable[KnownFact]) -> str:
        """Return the value that the user states; the first time it may be a misread one."""
        is_first = fact.name not in self._stated
        self._stated[fact.name] = fact
        if is_first and self._draws(self._habits.slips, "slip", fact.name):
            wrong = misread_digits(fact.value)
            if wrong not in {fact.value, *(other.value for other in others)}:
                self._slipped[fact.name] = fact
                return wrong
        return fact.value

    def put_right(self, facts: Iterable[KnownFact]) -> None:
        """Record that these facts are told correctly."""
        for fact in facts:
            self._stated[fact.name] = fact
            self._slipped.pop(fact.name, None)

    def to_put_right(self) -> tuple[KnownFact, ...]:
        """Return the wrongly told facts that are not corrected yet."""
        return tuple(self._slipped.values())

    def to_repeat(self) -> tuple[KnownFact, ...]:
        """Return the facts that this reply repeats."""
        stated = [fact for fact in self._stated.values() if fact.name not in self._slipped]
        is_due = stated and self._draws(self._habits.repeats, "repeat", str(self._replies))
        return (stated[-1],) if is_due else ()

    def aside(self) -> str:
        """Return an aside that this reply adds; "" for none."""
        self._replies += 1
        number = str(self._replies)
        if not self._draws(self._habits.asides, "aside", number):
            return ""
        return self._chosen(self._persona_phrases.asides, f"aside-{number}")

    def _put_off_with(self, fact: KnownFact) -> str:
        """Return the words that replace a fact that is first asked for.

        The result is "" if the fact is disclosed.
        """
        if fact.name in self._put_off or fact.name in self._stated:
            return ""
        self._put_off.add(fact.name)
        if self._draws(self._habits.vague, "vague", fact.name):
            return self._chosen(self._persona_phrases.vague, f"vague-{fact.name}")
        if self._draws(self._habits.asks_back, "asks back", fact.name):
            return self._chosen(self._persona_phrases.asks_back, f"asks-back-{fact.name}")
        return ""

    def _draws(self, share: float, what: str, which: str) -> bool:
        return share > 0 and derive_seed(self._key, f"{what} {which}") / _RANGE < share

    def _chosen(self, persona_phrases: Sequence[str], purpose: str) -> str:
        return (
            persona_phrases[derive_seed(self._key, purpose) % len(persona_phrases)]
            if persona_phrases
            else ""
        )


def misread_digits(value: str) -> str:
    """Return a value with two adjacent digits swapped, or with another last digit.

    A value without digits stays as it is: names are not misread.
    """
    for at in range(len(value) - 1, 0, -1):
        one, other = value[at - 1], value[at]
        if one.isdigit() and other.isdigit() and one != other:
            return f"{value[: at - 1]}{other}{one}{value[at + 1 :]}"
    for at in range(len(value) - 1, -1, -1):
        if value[at].isdecimal():
            return f"{value[:at]}{(int(value[at]) + 1) % 10}{value[at + 1 :]}"
    return value


MAX_REPLIES = 60
MAX_TIMES = 3
"""Limit of corrections of a value, of repeated user actions, and of equal replies."""
MAX_HEARD = 10_000
"""Longest part of one message that is read, in characters."""
MAX_REPORT = 300
"""Longest part of a tool's result that is reported, in characters."""


class FactSession:
    """One conversation of a user that plays its facts."""

    def __init__(self, scenario: Scenario, phrases: Phrasebook, telling: FactDisclosure) -> None:
        self._scenario = scenario
        self._phrases = phrases
        self._telling = telling
        self._replies = 0
        self._stated: tuple[KnownFact, ...] = ()
        self._count: Counter[str] = Counter()

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Open the conversation, report tool results, or answer the agent."""
        self._replies += 1
        results = [part for part in heard if isinstance(part, ToolResult)]
        said = " ".join(
            part.utterance.received or "" for part in heard if isinstance(part, TextReply)
        )
        said = said[:MAX_HEARD]
        if self._replies > MAX_REPLIES:
            return SessionReply(text_reply(STOP))
        if results:
            return SessionReply(text_reply(self._joined(map(self._report, results))))
        if self._replies == 1:
            return SessionReply(text_reply(self._opening()))
        due = self._telling.to_put_right()
        return SessionReply(self._with_persona(self._response(said, tools), due))

    async def close(self) -> None:
        """Nothing to release."""

    def _opening(self) -> str:
        """Return the first words, with the facts that the user tells unasked."""
        opening = self._scenario.opening or spoken_script(self._scenario)
        opening = strip_stop_tokens(opening).strip() or self._phrases.says.greeting
        facts = self._telling.volunteered(self._scenario.facts)
        before = self._telling.opening()
        return self._joined(filter(None, (before, opening, self._tell(facts) if facts else "")))

    def _with_persona(self, reply: Reply, due: Sequence[KnownFact]) -> Reply:
        """Return a reply with what the user's persona says around it.

        A user corrects every wrongly told fact before leaving.
        """
        if not isinstance(reply, TextReply) or reply.text == TRANSFER:
            return reply
        wrong = [fact for fact in due if fact in self._telling.to_put_right()]
        if reply.text == STOP:
            return text_reply(self._slip(wrong)) if wrong else reply
        repeated = self._telling.to_repeat()
        around = (
            self._telling.aside(),
            self._slip(wrong) if wrong else "",
            reply.text,
            self._described_as(self._telling.repeat, repeated) if repeated else "",
        )
        return text_reply(self._joined(filter(None, around)))

    def _slip(self, wrong: Sequence[KnownFact]) -> str:
        return self._described_as(self._telling.slip, wrong)

    def _described_as(self, saying: str, facts: Sequence[KnownFact]) -> str:
        return saying.format(facts=self._tell(facts))

    def _response(self, said: str, tools: Toolset) -> Reply:
        if is_hand_over(said, self._phrases):
            return text_reply(TRANSFER)
        user_actions = self._user_actions(said)
        able = [user_action for user_action in user_actions if user_action.name in tools]
        if able:
            return ToolCallReply(tuple(self._call(user_action) for user_action in able))
        if user_actions:
            return self._at_most("unable", self._phrases.says.unable)
        return self._words(said)

    def _user_actions(self, said: str) -> list[UserAction]:
        """Return the requested user actions, in the order they are named."""
        hears = self._phrases.hears
        names = [user_action.keywords for user_action in self._scenario.user_actions]
        numbers = [
            place.number
            for sentence in split_sentences(said, self._phrases)
            if not (hears.own.search(sentence) or hears.closing.search(sentence))
            for place in find_name_spans(sentence, names, self._phrases)
        ]
        user_actions = [self._scenario.user_actions[number] for number in dict.fromkeys(numbers)]
        return [
            user_action
            for user_action in user_actions
            if self._count[_key(user_action)] < MAX_TIMES
        ]

    def _call(self, user_action: UserAction) -> ToolCall:
        self._count[_key(user_action)] += 1
        return ToolCall(
            f"deed_{self._replies}_{user_action.name}",
            user_action.name,
            user_action.arguments,
            "user",
        )

    def _words(self, said: str) -> Reply:
        hears = self._phrases.hears
        named = find_mentions(said, self._scenario.facts, self._phrases)
        if hears.spell.search(said):
            return self._spelling(named, said)
        if hears.closing.search(said) or not hears.request.search(said):
            return text_reply(STOP)
        asked = self._asked(said)
        wrong = self._wrong(named, said)
        if any(self._count[fact.name] < MAX_TIMES for fact in wrong):
            self._count.update(fact.name for fact in wrong)
            others = [] if hears.consent.search(said) else asked
            facts = self._tell((*wrong, *others))
            return text_reply(self._phrases.says.correction.format(facts=facts))
        return self._to_request(said, named, asked)

    def _wrong(self, named: Sequence[Mention], said: str) -> list[KnownFact]:
        """Return the facts that were read back wrongly.

        They were read as a similar value or as any other value.
        """
        is_read_back = self._phrases.hears.read_back.search(said)
        stated = (
            contradicted_facts(said, self._scenario.facts, self._phrases) if is_read_back else ()
        )
        alike = [mention.fact for mention in named if mention.reading == "wrong"]
        return list(dict.fromkeys((*alike, *stated)))

    def _asked(self, said: str) -> list[KnownFact]:
        """Return the facts that the requests among an agent's sentences ask for."""
        asking = " ".join(
            filter(self._phrases.hears.request.search, split_sentences(said, self._phrases))
        )
        named = find_mentions(asking, self._scenario.facts, self._phrases)
        return [mention.fact for mention in named if mention.reading == "asked"]

    def _spelling(self, named: Sequence[Mention], said: str) -> Reply:
        facts = [mention.fact for mention in named] or self._stated
        if not facts:
            return self._at_most("unknown", self._phrases.says.unknown)
        spell = spell_nato if self._phrases.hears.nato.search(said) else spell_value
        return self._at_most("spelling", self._joined(self._spelled(fact, spell) for fact in facts))

    def _spelled(self, fact: KnownFact, spell: Callable[[str, Phrasebook], str]) -> str:
        self._telling.put_right([fact])
        stated = self._phrases.says.fact_spelled.format(
            label=self._phrases.label(fact.name),
            value=fact.value,
            spelled=spell(fact.value, self._phrases),
        )
        return _capitalize_sentence(stated)

    def _to_request(self, said: str, named: Sequence[Mention], asked: Sequence[KnownFact]) -> Reply:
        says, hears = self._phrases.says, self._phrases.hears
        if hears.consent.search(said):
            fresh = [fact for fact in asked if fact not in self._stated]
            return self._at_most(
                "yes", self._joined(filter(None, (says.consent, self._tell(fresh))))
            )
        if asked:
            return self._at_most("told", self._answer(asked))
        is_right = any(mention.reading == "right" for mention in named)
        if is_right and not hears.open_question.search(said):
            return self._at_most("yes", says.right)
        return self._at_most("unknown", says.unknown)

    def _answer(self, asked: Sequence[KnownFact]) -> str:
        """Answer a question for facts, as far as the user's persona discloses them now."""
        answer = self._telling.answer(asked)
        self._stated = answer.facts or self._stated
        facts = self._scenario.facts
        values = [self._telling.first_value(each, facts) for each in answer.facts]
        if self._telling.is_terse:
            stated = self._phrases.joins.facts.join(values)
        else:
            stated = self._facts(answer.facts, values)
        return self._joined(filter(None, (stated, answer.instead)))

    def _tell(self, facts: Sequence[KnownFact]) -> str:
        """Tell facts as they are."""
        self._stated = tuple(facts) or self._stated
        self._telling.put_right(facts)
        return self._facts(facts, [fact.value for fact in facts])

    def _facts(self, facts: Sequence[KnownFact], values: Sequence[str]) -> str:
        fact, label = self._phrases.says.fact, self._phrases.label
        stated = (
            fact.format(label=label(each.name), value=value)
            for each, value in zip(facts, values, strict=True)
        )
        return self._joined(map(_capitalize_sentence, stated))

    def _report(self, result: ToolResult) -> str:
        content = result.content if result.shown is None else result.shown
        words = strip_stop_tokens(content)[:MAX_REPORT].strip()
        says = self._phrases.says
        return (says.deed_failed if result.error else says.deed_done).format(result=words)

    def _joined(self, stated: Iterable[str]) -> str:
        return self._phrases.joins.sentences.join(stated)

    def _at_most(self, kind: str, words: str) -> Reply:
        """Return an answer, or the end where the very same one was given too often."""
        key = f"{kind}: {words}"
        self._count[key] += 1
        return text_reply(words if self._count[key] <= MAX_TIMES else STOP)


def _key(user_action: UserAction) -> str:
    return f"deed: {user_action.name} {user_action.arguments}"


def _capitalize_sentence(sentence: str) -> str:
    """Return a sentence that may begin with a slot as sentences are written."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


MAX_AGREEMENTS = 10


class OfflineUser:
    """The offline user simulator."""

    name = "offline"

    async def open(self, opening: SessionStart) -> Session:
        """Open a session that plays the task's scenario."""
        scenario = opening.task.scenario
        phrases = session_phrasebook(opening)
        if is_structured(scenario):
            return FactSession(
                scenario, phrases, FactDisclosure(opening.user_behavior, opening.key)
            )
        return OfflineSession(spoken_script(scenario), phrases)


class OfflineSession:
    """One conversation of the offline user."""

    def __init__(self, script: str, phrases: Phrasebook) -> None:
        self._script = script or phrases.says.greeting
        self._phrases = phrases
        self._replies = 0

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002
        """Say the script, then agree to questions, then end the call."""
        self._replies += 1
        if self._replies == 1:
            return SessionReply(text_reply(self._script))
        said = " ".join(
            part.utterance.received or "" for part in heard if isinstance(part, TextReply)
        )
        if is_hand_over(said, self._phrases):
            return SessionReply(text_reply(TRANSFER))
        is_question = self._phrases.hears.question.search(said) is not None
        if is_question and self._replies <= MAX_AGREEMENTS + 1:
            return SessionReply(text_reply(self._phrases.says.consent_to_all))
        return SessionReply(text_reply(STOP))

    async def close(self) -> None:
        """Nothing to release."""
