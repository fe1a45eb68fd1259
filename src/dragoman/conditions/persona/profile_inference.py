"""Inference of a user profile from the conversation so far, by a chat model or by rules.

The rules call a message definite if it has a digit in it: customers must state numbers, ids, dates
and codes exactly. A score is the share of messages, out of ten, that speak for it; a score that
nothing speaks for stays unknown. Only the words that reached the agent count.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, Protocol

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.replies import TextReply
from dragoman.core.texts.decoding import TranslatedErrors, escape_surrogates, strip_code_fence
from dragoman.core.texts.user_cues import KINDS, cue_finders, cues_version, word_count
from dragoman.core.tools import NO_TOOLS, Role
from dragoman.core.usage import Usage

PROMPT = "context-1.md"
LAST_MESSAGES = 16
"""Messages of both sides that a model is given."""
REFRESHED_AFTER = 3
"""Number of new messages of the user after which the profile is inferred again."""
MOST_TRAITS = 10
"""Largest number of fields in addition to those of the rubric."""
MAX_CHARS = 4_000
"""Longest part of one message that a model is given, in characters."""

UNKNOWN = "N/A"

Score = Annotated[int, msgspec.Meta(ge=0, le=10)] | Literal["N/A"]
Words = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]

_MARK, _UNMARKED = re.compile(r"<(/?conversation)>", re.IGNORECASE), r"(\1)"
_TRAIT = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SIDES = {"user": "USER", "agent": "ASSISTANT"}


class KnownMessage(msgspec.Struct, frozen=True):
    """A message of one side, truncated to the part that is read."""

    side: Role
    text: str


class ProfileAnswer(msgspec.Struct, frozen=True):
    """The fields of the rubric."""

    age: Annotated[int, msgspec.Meta(ge=0, le=120)] | Literal["N/A"]
    gender: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    articulation_skill: Score
    language_understanding_skill: Score
    technical_skill: Score
    frustration_level: Score
    persona: Words
    reasoning: Words


def rubric_version() -> str:
    """Return the rubric's name with the hash of its text."""
    return f"context-1@{content_key(inference_rubric())[:8]}"


@cache
def inference_rubric() -> str:
    """Return the instructions of a model."""
    return files(__package__).joinpath(PROMPT).read_text("utf-8").strip()


def count_user_messages(events: Sequence[Event]) -> int:
    """Return how many messages of the user there are."""
    return sum(
        isinstance(event, Message) and event.by == "user" and isinstance(event.reply, TextReply)
        for event in events
    )


def last_messages(events: Sequence[Event]) -> list[KnownMessage]:
    """Return the last messages of both sides as the agent knows them."""
    said = [
        KnownMessage(event.by, _as_known(event))
        for event in events
        if isinstance(event, Message) and isinstance(event.reply, TextReply)
    ]
    return said[-LAST_MESSAGES:]


def inference_question(events: Sequence[Event]) -> str:
    """Return the last messages of a conversation between marks, with no mark in them."""
    said = (
        f"{_SIDES[each.side]}: {_MARK.sub(_UNMARKED, each.text)}" for each in last_messages(events)
    )
    return "\n".join(("<conversation>", *said, "</conversation>"))


def parse_inferred_profile(answer: str) -> dict[str, object]:
    """Parse an answer into a user profile: every field of the rubric and further traits.

    Raises:
        DataError: If the answer is not such an object; the message names the problem.
    """
    with TranslatedErrors(DataError, "no context"):
        fields = msgspec.json.decode(strip_code_fence(answer), type=dict[str, object])
        known = msgspec.convert(fields, ProfileAnswer)
        own = set(fields).difference(ProfileAnswer.__struct_fields__)
        traits = msgspec.convert({name: fields[name] for name in fields if name in own}, _TRAITS)
    if len(traits) > MOST_TRAITS:
        raise DataError(f"no context ({len(traits)} traits of its own, at most {MOST_TRAITS})")
    unnamed = next((name for name in traits if not _TRAIT.fullmatch(name)), None)
    if unnamed is not None:
        raise DataError(f"no context ({unnamed[:40]!r} names no trait)")
    return {**msgspec.structs.asdict(known), **traits}


def profile_instructions(about: Mapping[str, object]) -> str:
    """Return the instructions that tell an agent the inferred profile."""
    grounded = {name: value for name, value in about.items() if value != UNKNOWN}
    return (
        "What the conversation so far lets us suppose about the customer (scores from 0 to 10):\n"
        f"{msgspec.json.format(msgspec.json.encode(grounded)).decode()}"
    )


_TRAITS = dict[str, Score]


def _as_known(event: Message) -> str:
    """Return a message as the agent knows it: the user's words as they were received."""
    if not isinstance(event.reply, TextReply):
        return ""
    utterance = event.reply.utterance
    text = utterance.intended if event.by == "agent" else utterance.received or ""
    return text[:MAX_CHARS]


RULES = "rules"
VERSION = "1"
BEST = 10
WORDS_PER_POINT = 3
"""Words of a mean message for each point of verbosity."""

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+")
_QUOTED = 60

_REPORTED = {
    "hedges": "answers vaguely",
    "corrects": "puts right what it said",
    "asks_back": "asks what is meant",
    "lost": "does not know how or where",
    "frustrated": "is frustrated",
    "hurried": "is in a hurry",
    "hesitates": "hesitates",
    "repeats": "says things again",
    "mixes": "mixes in another language",
}


class SignedMessage(msgspec.Struct, frozen=True):
    """One message of the user: its words, and by kind of sign those that show it."""

    text: str
    signs: dict[str, str]

    @property
    def is_definite(self) -> bool:
        """Whether it tells something exactly."""
        return _DIGIT.search(self.text) is not None

    def has(self, *kinds: str) -> bool:
        """Return whether it has a sign of one of the kinds."""
        return any(kind in self.signs for kind in kinds)


def rules_version() -> str:
    """Return the rules' name with the hash of their signs."""
    return f"{RULES}-{VERSION}@{content_key(cues_version())[:8]}"


def infer_by_rules(events: Sequence[Event], languages: Sequence[str]) -> dict[str, object]:
    """Return what the last messages show of the user, in the rubric's fields and further traits.

    Args:
        events: The conversation so far.
        languages: The codes of those the user speaks, its own first; all have signs.
    """
    said = [_detect_cues(each, languages) for each in last_messages(events) if each.side == "user"]
    trouble = ("hedges", "corrects")
    return {
        "inferred_by": RULES,
        "age": _age(said),
        "gender": _gender(said),
        "articulation_skill": _skill(said, trouble),
        "language_understanding_skill": _skill(said, ("asks_back",)),
        "technical_skill": _technical_skill(said),
        "frustration_level": _share_showing_cue(said, "frustrated"),
        "persona": _persona(said),
        "reasoning": _reasoning(said),
        "verbosity": _verbosity(said, languages[0]),
        "hurry": _share_showing_cue(said, "hurried"),
        "hesitation": _share_showing_cue(said, "hesitates"),
        "repetition": _share_showing_cue(said, "repeats"),
        "code_switching": _share_showing_cue(said, "mixes"),
    }


def _detect_cues(message: KnownMessage, languages: Sequence[str]) -> SignedMessage:
    """Return a message with its signs.

    Mixing with another language shows only next to the user's own language.
    """
    signs: dict[str, str] = {}
    for language in languages:
        for kind, finder in cue_finders(language).items():
            is_own = kind != "mixes" or language == languages[0]
            found = finder.search(message.text) if is_own and kind not in signs else None
            if found:
                signs[kind] = found.group().strip()
    return SignedMessage(message.text, signs)


def _skill(said: Sequence[SignedMessage], trouble: Sequence[str]) -> object:
    """Return the share of definite messages without trouble among these and those with trouble."""
    bad = sum(each.has(*trouble) for each in said)
    good = sum(each.is_definite and not each.has(*trouble) for each in said)
    return _share(good, good + bad)


def _technical_skill(said: Sequence[SignedMessage]) -> object:
    """Return the share of what it managed to do among that and what it did not know how to do."""
    lost = sum(each.has("lost") for each in said)
    managed = sum(each.has("managed") and not each.has("lost") for each in said)
    return _share(managed, managed + lost)


def _share_showing_cue(said: Sequence[SignedMessage], kind: str) -> object:
    """Return the share of messages that show it; unknown where none does."""
    showing = sum(each.has(kind) for each in said)
    return _share(showing, len(said)) if showing else UNKNOWN


def _share(part: int, whole: int) -> object:
    return round(BEST * part / whole) if whole else UNKNOWN


def _verbosity(said: Sequence[SignedMessage], language: str) -> object:
    if not said:
        return UNKNOWN
    mean = sum(word_count(each.text, language) for each in said) / len(said)
    return min(BEST, round(mean / WORDS_PER_POINT))


def _age(said: Sequence[SignedMessage]) -> object:
    stated = next((each.signs["age"] for each in reversed(said) if each.has("age")), "")
    number = _NUMBER.search(stated)
    return int(number.group()) if number else UNKNOWN


def _gender(said: Sequence[SignedMessage]) -> str:
    stated = {kind for each in said for kind in ("woman", "man") if each.has(kind)}
    return stated.pop() if len(stated) == 1 else UNKNOWN


def _persona(said: Sequence[SignedMessage]) -> str:
    shown = [
        reported for kind, reported in _REPORTED.items() if any(each.has(kind) for each in said)
    ]
    return f"The customer {', '.join(shown)}." if shown else UNKNOWN


def _reasoning(said: Sequence[SignedMessage]) -> str:
    """Return how many messages have each sign, with the last words that showed it."""
    found = []
    for kind in KINDS:
        showing = [each.signs[kind] for each in said if each.has(kind)]
        if showing:
            found.append(f"{len(showing)} {kind} ({showing[-1][:_QUOTED]})")
    definite = sum(each.is_definite for each in said)
    counted = "; ".join((f"{definite} definite", *found))
    return f"By rules, of the last {len(said)} messages of the customer: {counted}."


PURPOSE = "user context"
MAX_ANSWER = 4_000
"""Characters of a model's answer that are kept."""


class InferenceResult(msgspec.Struct, frozen=True):
    """The inferred profile of the user, or the reason of a failure.

    Missing parts are empty.
    """

    about: dict[str, object]
    failure: str = ""
    answer: str = ""
    usage: Usage | None = None


class ProfileInference(Protocol):
    """Makes something of the user of one conversation."""

    @property
    def name(self) -> str:
        """Name of the inference method."""
        ...

    async def read(self, events: Sequence[Event]) -> InferenceResult:
        """Return the profile of the user that the conversation so far shows.

        Raises:
            ParticipantError: If the model that is asked fails.
        """
        ...


class ModelProfileInference:
    """Profile inference by a model that is asked with the rubric.

    Args:
        model: The model.
        task: The task's id.
        draw: Key of the draw; it is the same in every attempt at one draw of the cell.
    """

    def __init__(self, model: ChatModel, task: str, draw: str) -> None:
        self._model = model
        self._task = task
        self._draw = draw
        self._asked = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def read(self, events: Sequence[Event]) -> InferenceResult:
        """Ask the model.

        Raises:
            ParticipantError: If the model fails.
        """
        messages = [
            {"role": "system", "content": inference_rubric()},
            {"role": "user", "content": inference_question(events)},
        ]
        self._asked += 1
        draw = f"{self._draw}-context-{self._asked}"
        request = ChatRequest(messages, NO_TOOLS, 0, self._task, draw=draw)
        completion = await self._model.complete(request, PURPOSE)
        answer = completion.reply.text if isinstance(completion.reply, TextReply) else ""
        about, failure = _read(answer)
        return InferenceResult(
            about, failure, escape_surrogates(answer[:MAX_ANSWER]), completion.usage
        )


class RuleProfileInference:
    """Rules over the words of a user who speaks these languages, its own first."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._languages = languages

    @property
    def name(self) -> str:
        """The rules with the hash of their signs."""
        return rules_version()

    async def read(self, events: Sequence[Event]) -> InferenceResult:
        """Look for the signs."""
        return InferenceResult(infer_by_rules(events, self._languages))


def _read(answer: str) -> tuple[dict[str, object], str]:
    try:
        return parse_inferred_profile(answer), ""
    except DataError as error:
        return {}, escape_surrogates(str(error))
