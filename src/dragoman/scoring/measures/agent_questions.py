"""Measures `questions` and `clarifications`: needless, missing and clarifying questions.

A question asks for information: a question for a yes or for further wishes does not count. It is
*needless* if its answer says only values that the user had said and that were heard, and that it
does not name itself; or, if the answer says none, if it names only facts that had been said.

A question is *missing* if the agent changes a thing (the first id among the call's arguments)
that nobody named: neither side said the id, and either no result shows it, or one shows others
with it which the words of the conversation do not distinguish from it. Whether the guess was
right does not matter.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.core.clarifications import REJECTIONS, Clarification
from dragoman.core.episodes import Event, Message
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import CountedItem, MeasureSetting, Rate, ScoringContext, Total
from dragoman.core.replies import TextReply
from dragoman.core.scores import Unscored
from dragoman.core.texts.entities import argument_texts, contains_entity
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.scoring.dialogue_acts import requests_information
from dragoman.scoring.measures.count_measure import CountMeasure, PositionedCall, positioned_calls
from dragoman.scoring.speech_accuracy import separate_latin_words
from dragoman.scoring.stated_values import alphanumeric, known_values, stated_values, value_key

ID = re.compile(r"#?(?=[\w-]*\d[\w-]*\d[\w-]*\d)[A-Za-z0-9]{1,80}(?:[_-][A-Za-z0-9]{1,80}){0,9}")
"""Pattern of ids: one piece with three digits or more."""

_WORD = re.compile(r"[^\W_]{3,40}")
MAX_DEPTH = 20
_MAX_RESULT = 200_000
"""Characters of a result that are read."""


def target_object(call: ToolCall) -> str | None:
    """Return the object that a call acts on: the first id among its arguments.

    The result is None if there is none.
    """
    values = (value for argument in call.arguments.values() for value in argument_texts(argument))
    return next((value for value in values if ID.fullmatch(value)), None)


def id_pattern(id_: str) -> str:
    """Return which signs of an id are letters and which are digits."""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", id_.lstrip("#")))


def guess_reason(
    thing: str, before: Sequence[Event], stated: Sequence[str], done: frozenset[str]
) -> str:
    """Return the reason why nothing distinguishes an id from others; "" if something does.

    Args:
        thing: The id, which nobody said.
        before: The events before the call with the id.
        stated: The words that both sides had said and received.
        done: Other ids with the same change.
    """
    results = [
        (made.call, made.result) for made in positioned_calls(before) if made.result is not None
    ]
    contents = [(call, _content(result)) for call, result in results]
    if not any(_holds(content, thing) for _, content in contents):
        return f"nobody said {thing}, and no result shows it"
    beside = {
        other for _, content in contents for other in _find_sibling_ids(content, thing)
    } - done
    words = {word for text in stated for word in _content_words(text)}
    own = words & _record(thing, contents)
    like = sorted(other for other in beside if not own - _record(other, contents))
    return f"nobody said {thing}, and {like[0]} fits as well" if like else ""


def _content(result: ToolResult) -> object:
    text = result.content[:_MAX_RESULT]
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _holds(content: object, thing: str) -> bool:
    return any(alphanumeric(thing) in alphanumeric(text) for text in _texts(content))


def _find_sibling_ids(content: object, thing: str) -> Iterator[str]:
    """Yield ids of the same form that stand in one list with a thing."""
    for rows in _lists(content):
        ids = [_own_ids(row, thing) for row in rows]
        if any(thing in each for each in ids):
            yield from (other for each in ids for other in each if other != thing)


def _own_ids(row: object, like: str) -> list[str]:
    """Return the ids of a row that have a form: the row itself, or what it has at its top."""
    found = row.values() if isinstance(row, Mapping) else [row]
    return [
        text for text in found if isinstance(text, str) and id_pattern(text) == id_pattern(like)
    ]


def _lists(content: object, depth: int = MAX_DEPTH) -> Iterator[Sequence[object]]:
    if not depth:
        return
    if isinstance(content, list):
        yield content
    for each in _parts(content):
        yield from _lists(each, depth - 1)


def _record(thing: str, contents: Sequence[tuple[ToolCall, object]]) -> set[str]:
    """Return the words known about an object.

    They are those of rows with the object, and of the results of calls that name it.
    """
    words: set[str] = set()
    for call, content in contents:
        if thing in argument_texts(call.arguments):
            words |= {word for text in _texts(content) for word in _content_words(text)}
        for row in _rows(content, thing):
            words |= {word for text in _texts(row) for word in _content_words(text)}
    return words


def _rows(content: object, thing: str, depth: int = MAX_DEPTH) -> Iterator[object]:
    """Yield the objects that have a thing at their top."""
    if not depth:
        return
    if isinstance(content, Mapping) and thing in content.values():
        yield content
    for each in _parts(content):
        yield from _rows(each, thing, depth - 1)


def _parts(content: object) -> Sequence[object]:
    if isinstance(content, Mapping):
        return list(content.values())
    return content if isinstance(content, list) else ()


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from argument_texts(content)


def _content_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def count_questions(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for each question of the agent, and one for each that is missing."""
    if case.fault:
        return Unscored(case.fault)
    if case.task.turns:
        return Unscored("no user was played: its words are the benchmark's")
    if case.phrases is None:
        return Unscored("the phrases of the user's language are not known")
    return _question_entries(case, case.phrases)


def _question_entries(case: ScoringContext, phrases: Phrasebook) -> Iterator[CountedItem]:
    yield from _count_questions(case, phrases)
    yield from _missing(case)


def _count_questions(case: ScoringContext, phrases: Phrasebook) -> Iterator[CountedItem]:
    known = known_values(case.task)
    language = phrases.name.partition("@")[0]
    heard: list[str] = []
    question: tuple[int, str] | None = None
    for place, event in enumerate(case.episode.events):
        words = _event_words(event, "agent")
        if words is not None:
            is_own = (
                place >= len(case.task.history)
                and isinstance(event, Message)
                and not event.scripted
            )
            question = (place, words) if is_own and requests_information(words, phrases) else None
        answer = _event_words(event, "user")
        if answer is None:
            continue
        if question is not None:
            stated = stated_values(known, _trim_spelling(answer, question[1], phrases), language)
            again = _had(question[1], stated, heard, case, phrases)
            yield CountedItem(
                {"questions": 1, "needless": int(bool(again))},
                question[0],
                why=f"had been said: {'; '.join(again)}" if again else "",
            )
        question = None
        heard.append(separate_latin_words(_received_text(event), language))


def _trim_spelling(answer: str, question: str, phrases: Phrasebook) -> str:
    """Return an answer up to where it spells what it says, if that was asked for."""
    spelled = phrases.hears.spelled.search(answer)
    is_wanted = phrases.hears.spell.search(question) is not None
    return answer[: spelled.start()] if is_wanted and spelled is not None else answer


def _had(
    question: str,
    stated: Sequence[str],
    heard: Sequence[str],
    case: ScoringContext,
    phrases: Phrasebook,
) -> Sequence[str]:
    """Return the values that a question asks for and that the agent already has.

    The result is empty if the question asks for anything new.
    """
    language = phrases.name.partition("@")[0]
    wanted = tuple(stated) or tuple(
        fact.value
        for fact in case.task.scenario.facts
        if phrases.label(fact.name).casefold() in question.casefold()
    )
    if not phrases.hears.spell.search(question) and _reads_back(question, wanted, language):
        return ()
    is_had = all(any(contains_entity(value, words) for words in heard) for value in wanted)
    return wanted if is_had else ()


def _reads_back(question: str, wanted: Sequence[str], language: str) -> bool:
    """Return whether a question names one of some values, or another value of the same form.

    The latter is a value that is read back wrongly.
    """
    forms = {id_pattern(found) for found in ID.findall(question)}
    if forms & set(map(id_pattern, wanted)):
        return True
    named = set(map(value_key, stated_values(tuple(wanted), question, language)))
    return any(value_key(value) in named for value in wanted)


def _missing(case: ScoringContext) -> Iterator[CountedItem]:
    events = case.episode.events
    kind = case.factory(case.task).kind
    changes = [
        (made, thing)
        for made in positioned_calls(events)
        if made.call.by == "agent" and kind(made.call.name) == "write"
        if (thing := target_object(made.call)) is not None
    ]
    guessed: set[str] = set()
    for made, thing in changes:
        if thing in guessed or made.position < len(case.task.history):
            continue
        # If several things get the same change, the agent made no choice between them.
        done = frozenset(
            other for each, other in changes if each.call.name == made.call.name and other != thing
        )
        why = _guess(made, thing, events, done)
        if why:
            guessed.add(thing)
            yield CountedItem({"missing": 1}, made.position, made.call.name, why)


def _guess(made: PositionedCall, thing: str, events: Sequence[Event], done: frozenset[str]) -> str:
    """Return why an id was guessed; "" if it was not."""
    before = events[: made.position]
    stated = list(_iterate_known_texts(before))
    name = thing.lstrip("#")
    if any(name in words or value_key(thing) in value_key(words) for words in stated):
        return ""
    return guess_reason(thing, before, stated, done)


def _iterate_known_texts(before: Sequence[Event]) -> Iterator[str]:
    """Yield what the user said, and what the agent said and the user answered."""
    waiting: list[str] = []
    for event in before:
        if (words := _event_words(event, "agent")) is not None:
            waiting.append(words)
        elif _event_words(event, "user") is not None:
            yield from waiting
            yield _received_text(event)
            waiting = []


def _event_words(event: Event, side: Role) -> str | None:
    match event:
        case Message(by=by, reply=TextReply() as said) if by == side:
            return said.text
    return None


def _received_text(event: Event) -> str:
    if isinstance(event, Message) and isinstance(event.reply, TextReply):
        return event.reply.utterance.received or event.reply.text
    return ""


QUESTIONS = CountMeasure(
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


def _is_clarified(setting: MeasureSetting) -> bool:
    return setting.is_clarified


def count_clarifications(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for each time that the agent said something instead of acting.

    A conversation counts once, whether anything was said instead of a call or not.
    """
    if case.fault:
        return Unscored(case.fault)
    return _clarification_entries(case)


def _clarification_entries(case: ScoringContext) -> Iterator[CountedItem]:
    yield CountedItem(
        {"conversations": 1, "with an answer": int(any(_allowed_clarifications(case)))}
    )
    for entry in case.episode.clarifications:
        yield CountedItem(
            {
                "judged": 1,
                "allowed": int(entry.is_allowed),
                "rejected": int(not entry.is_allowed),
                **({} if entry.is_allowed else {f"rejected: {entry.reason}": 1}),
            },
            entry.at,
            why=f"answered: {entry.reply}" if entry.is_allowed else f"rejected: {entry.reason}",
        )


def _allowed_clarifications(case: ScoringContext) -> Iterator[Clarification]:
    return (entry for entry in case.episode.clarifications if entry.is_allowed)


CLARIFICATIONS = CountMeasure(
    "clarifications",
    "1",
    count_clarifications,
    (
        Total("judged", ("judged",)),
        Total("allowed", ("allowed",)),
        Total("rejected", ("rejected",)),
        *(Total(f"rejected: {reason}", (f"rejected: {reason}",)) for reason in REJECTIONS),
        Rate("allowed of judged", ("allowed",), ("judged",)),
        Rate("conversations with an answer", ("with an answer",), ("conversations",)),
    ),
    _is_clarified,
)
