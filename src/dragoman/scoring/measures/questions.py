"""The agent's questions: which asked for what had been said, and where one was missing.

A question wants something to be told: a question for a yes or for further wishes is none. It is *needless*
where its answer says only values that the user had said and that were heard, and that it does not name
itself; or, where the answer says none, where it names only facts that had been said.

A question is *missing* where the agent changes a thing (the first id among the call's arguments) that
nobody named: neither side said the id, and either no result shows it, or one shows others beside it which
the words of the conversation do not tell from it. Whether the guess was right does not matter.
"""

from collections.abc import Iterator, Sequence

from dragoman.core.episodes import Event, Move
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import Counted, PlayedCase, Rate, Total
from dragoman.core.scores import Unscored
from dragoman.core.speech import Said
from dragoman.core.texts.entities import occurs
from dragoman.core.tools import Role
from dragoman.scoring.asking import wants_told
from dragoman.scoring.measures.candidates import ID, form_of, object_of, why_guessed
from dragoman.scoring.measures.counting import Counting
from dragoman.scoring.measures.made_calls import MadeCall, made_calls
from dragoman.scoring.speech_accuracy import spaced
from dragoman.scoring.stated import key_of, known_values, stated_values


def count_questions(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield an entry for each question of the agent, and one for each that is missing."""
    if case.fault:
        return Unscored(case.fault)
    if case.task.turns:
        return Unscored("no user was played: its words are the benchmark's")
    if case.phrases is None:
        return Unscored("the phrases of the user's language are not known")
    return _counted(case, case.phrases)


def _counted(case: PlayedCase, phrases: Phrasebook) -> Iterator[Counted]:
    yield from _asked(case, phrases)
    yield from _missing(case)


def _asked(case: PlayedCase, phrases: Phrasebook) -> Iterator[Counted]:
    known = known_values(case.task)
    language = phrases.name.partition("@")[0]
    heard: list[str] = []
    question: tuple[int, str] | None = None
    for place, event in enumerate(case.episode.events):
        words = _words(event, "agent")
        if words is not None:
            is_own = (
                place >= len(case.task.history) and isinstance(event, Move) and not event.scripted
            )
            question = (place, words) if is_own and wants_told(words, phrases) else None
        answer = _words(event, "user")
        if answer is None:
            continue
        if question is not None:
            stated = stated_values(known, _unspelled(answer, question[1], phrases), language)
            again = _had(question[1], stated, heard, case, phrases)
            yield Counted(
                {"questions": 1, "needless": int(bool(again))},
                question[0],
                why=f"had been said: {'; '.join(again)}" if again else "",
            )
        question = None
        heard.append(spaced(_received(event), language))


def _unspelled(answer: str, question: str, phrases: Phrasebook) -> str:
    """Return an answer up to where it spells what it says, if that was asked for."""
    spelled = phrases.hears.spelled.search(answer)
    is_wanted = phrases.hears.spell.search(question) is not None
    return answer[: spelled.start()] if is_wanted and spelled is not None else answer


def _had(
    question: str,
    stated: Sequence[str],
    heard: Sequence[str],
    case: PlayedCase,
    phrases: Phrasebook,
) -> Sequence[str]:
    """Return what a question asks for and the agent has; empty where there is anything new to it."""
    language = phrases.name.partition("@")[0]
    wanted = tuple(stated) or tuple(
        fact.value
        for fact in case.task.scenario.facts
        if phrases.label(fact.name).casefold() in question.casefold()
    )
    if not phrases.hears.spell.search(question) and _reads_back(question, wanted, language):
        return ()
    is_had = all(any(occurs(value, words) for words in heard) for value in wanted)
    return wanted if is_had else ()


def _reads_back(question: str, wanted: Sequence[str], language: str) -> bool:
    """Whether a question names one of some values, or another of the same form, which is read back wrongly."""
    forms = {form_of(found) for found in ID.findall(question)}
    if forms & set(map(form_of, wanted)):
        return True
    named = set(map(key_of, stated_values(tuple(wanted), question, language)))
    return any(key_of(value) in named for value in wanted)


def _missing(case: PlayedCase) -> Iterator[Counted]:
    events = case.episode.events
    kind = case.factory(case.task).kind
    changes = [
        (made, thing)
        for made in made_calls(events)
        if made.call.by == "agent" and kind(made.call.name) == "write"
        if (thing := object_of(made.call)) is not None
    ]
    guessed: set[str] = set()
    for made, thing in changes:
        if thing in guessed or made.position < len(case.task.history):
            continue
        # What is done to each of several things was no choice between them.
        done = frozenset(
            other for each, other in changes if each.call.name == made.call.name and other != thing
        )
        why = _guess(made, thing, events, done)
        if why:
            guessed.add(thing)
            yield Counted({"missing": 1}, made.position, made.call.name, why)


def _guess(made: MadeCall, thing: str, events: Sequence[Event], done: frozenset[str]) -> str:
    """Return why an id was guessed; "" where it was not."""
    before = events[: made.position]
    told = list(_told(before))
    name = thing.lstrip("#")
    if any(name in words or key_of(thing) in key_of(words) for words in told):
        return ""
    return why_guessed(thing, before, told, done)


def _told(before: Sequence[Event]) -> Iterator[str]:
    """Yield what the user said, and what the agent said and the user answered."""
    waiting: list[str] = []
    for event in before:
        if (words := _words(event, "agent")) is not None:
            waiting.append(words)
        elif _words(event, "user") is not None:
            yield from waiting
            yield _received(event)
            waiting = []


def _words(event: Event, side: Role) -> str | None:
    match event:
        case Move(by=by, reply=Said() as said) if by == side:
            return said.text
    return None


def _received(event: Event) -> str:
    if isinstance(event, Move) and isinstance(event.reply, Said):
        return event.reply.utterance.received or event.reply.text
    return ""


QUESTIONS = Counting(
    "questions",
    "1",
    count_questions,
    (
        Total("questions", ("questions",)),
        Total("needless questions", ("needless",)),
        Total("missing questions", ("missing",)),
        Rate("needless of questions", ("needless",), ("questions",)),
    ),
)
