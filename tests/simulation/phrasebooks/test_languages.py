"""Phrases of every bundled language: questions, read-back, spelling and actions."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode, Message
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Limits, Participant, SessionInput, SessionStart, StateDelta
from dragoman.core.replies import Reply, TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Action, Criteria, KnownFact, Scenario, Task, UserAction
from dragoman.core.tools import Change, Role, ToolCall, ToolKind, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.simulation.orchestrator import Conversation, ConversationIO
from dragoman.simulation.participants.confirming import CarefulAgent
from dragoman.simulation.participants.lexical import LexicalAgent
from dragoman.simulation.participants.oracle import GoldAgent, LiteralAgent, partner_of
from dragoman.simulation.participants.scripted_user import OfflineUser
from dragoman.simulation.phrasebooks import shipped_phrasebook
from dragoman.simulation.value_extraction import (
    extract_value,
    read_closest_spelling,
    spell_nato,
    spell_value,
)

STOP, TRANSFER = "###STOP###", "###TRANSFER###"
LANGUAGES = ("en", "vi", "th", "id", "tl", "zh")
NAMES = {
    "en": ("Maren Holt", "Maren Hold"),
    "vi": ("Nguyễn Thị Ánh", "Nguyễn Thị Anh"),
    "th": ("ศุภชัย มั่นเจริญ", "ศุภชัย มั่นเจริน"),
    "id": ("Rudy Marbun", "Rudi Marbun"),
    "tl": ("Joseph Marasigan", "Josep Marasigan"),
    "zh": ("章文杰", "张文杰"),
}
"""A name in each language, and its misrecognized form."""
WORDS = {"en": "scan", "vi": "quét", "th": "สแกน", "id": "pindai", "tl": "i-scan", "zh": "扫描"}
LETTERS = {
    "en": "abcxyzABC",
    "vi": "aăâđêôơưẠảấỜ",
    "th": "กขคงจฉชซญดตถทธนบปพฟมยรลวสหอ",
    "id": "abcxyzABC",
    "tl": "abñxyzAÑC",
    "zh": "王李张刘陈杨赵黄周吴徐孙胡朱",
}
TOOLS = Toolset((ToolSpec("scan_label", "", {}),))


def book(language: str) -> Phrasebook:
    found = shipped_phrasebook(language)
    assert found is not None
    return found


def scenario(language: str) -> Scenario:
    return Scenario(
        "",
        opening=book(language).says.greeting,
        facts=(KnownFact("name", NAMES[language][0]), KnownFact("tracking_number", "KD274188065")),
        user_actions=(UserAction("scan_label", {}, (WORDS[language],)),),
    )


def replies(language: str, *turns: str | ToolResult) -> list[Reply]:
    """Return the offline user's replies to an agent's utterances, turn by turn."""

    async def talk() -> list[Reply]:
        task = Task("1", "s", "d", scenario(language))
        session = await OfflineUser().open(SessionStart(task, "user", 0, phrases=book(language)))
        given_replies: list[Reply] = []
        for turn in ("Hi!", *turns):
            heard: list[SessionInput] = [text_reply(turn) if isinstance(turn, str) else turn]
            given_replies.append((await session.reply(heard, TOOLS)).reply)
        return given_replies

    return asyncio.run(talk())


def answer(language: str, *turns: str | ToolResult) -> str:
    last = replies(language, *turns)[-1]
    assert isinstance(last, TextReply)
    return last.text


def question(language: str, *names: str) -> str:
    phrases = book(language)
    parts = (phrases.says.question.format(label=phrases.label(name)) for name in names)
    return phrases.says.ask.format(questions=phrases.joins.questions.join(parts))


def read_back(language: str, **values: str) -> str:
    says, label = book(language).says, book(language).label
    facts = (says.read_back_fact.format(label=label(n), value=v) for n, v in values.items())
    return says.read_back.format(facts=book(language).joins.facts.join(facts))


def fact(language: str, name: str, value: str) -> str:
    reported = book(language).says.fact.format(label=book(language).label(name), value=value)
    return reported[:1].upper() + reported[1:]


in_every_language = pytest.mark.parametrize("language", LANGUAGES)


@in_every_language
def test_what_is_asked_is_told(language: str) -> None:
    name = fact(language, "name", NAMES[language][0])
    number = fact(language, "tracking_number", "KD274188065")
    assert answer(language, question(language, "name")) == name
    assert answer(language, question(language, "name", "tracking_number")) == book(
        language
    ).joins.sentences.join((name, number))
    assert answer(language, question(language, "display")) == book(language).says.unknown


@in_every_language
def test_what_is_read_back_rightly_is_agreed_to(language: str) -> None:
    said = answer(
        language, read_back(language, name=NAMES[language][0], tracking_number="KD274188065")
    )
    assert said == book(language).says.consent
    assert book(language).agrees(said)


@in_every_language
@pytest.mark.parametrize("understood", ["misheard", "another", ""])
def test_what_is_read_back_wrongly_is_corrected(language: str, understood: str) -> None:
    heard = {"misheard": NAMES[language][1], "another": "Xyz", "": ""}[understood]
    said = answer(language, read_back(language, name=heard, tracking_number="KD274188065"))
    name = fact(language, "name", NAMES[language][0])
    assert said == book(language).says.correction.format(facts=name)
    assert not book(language).agrees(said)


@in_every_language
def test_what_is_to_be_spelled_is_spelled_and_read_as_it_was(language: str) -> None:
    phrases = book(language)
    said = answer(language, phrases.says.spell.format(labels=phrases.label("name")))
    assert NAMES[language][0] in said
    assert read_closest_spelling(said, NAMES[language][0], phrases) == NAMES[language][0]
    again = answer(language, phrases.says.digits.format(labels=phrases.label("tracking_number")))
    assert "K-D-2-7-4-1-8-8-0-6-5" in again


@in_every_language
def test_what_is_to_be_done_is_done_and_reported(language: str) -> None:
    says = book(language).says
    user_actions = says.deed.format(deed=WORDS[language])
    called = replies(language, says.your_deeds.format(deeds=user_actions))[-1]
    assert isinstance(called, ToolCallReply)
    assert [call.name for call in called.calls] == ["scan_label"]
    done = ToolResult("1", "scan_label", "E7", "user")
    assert answer(language, done) == says.deed_done.format(result="E7")
    failed = ToolResult("1", "scan_label", "E7", "user", error=True)
    assert answer(language, failed) == says.deed_failed.format(result="E7")


@in_every_language
@pytest.mark.parametrize("sentence", ["all_done", "nothing_left", "anything_else", "nothing_found"])
def test_the_caller_hangs_up_when_nothing_is_asked_any_more(language: str, sentence: str) -> None:
    assert answer(language, getattr(book(language).says, sentence)) == STOP


@in_every_language
def test_a_hand_over_is_understood_in_english_as_well(language: str) -> None:
    words = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
    assert answer(language, words) == TRANSFER


@in_every_language
def test_who_recites_says_yes_to_questions_and_hangs_up_after_statements(language: str) -> None:
    says = book(language).says
    task = Task("1", "s", "d", Scenario("7"))

    async def talk() -> list[Reply]:
        session = await OfflineUser().open(SessionStart(task, "user", 0, phrases=book(language)))
        turns = ("Hi!", says.proposal.format(tool="x", arguments="y"), says.all_done)
        return [(await session.reply([text_reply(turn)], TOOLS)).reply for turn in turns]

    assert asyncio.run(talk()) == [
        text_reply("7"),
        text_reply(says.consent_to_all),
        text_reply(STOP),
    ]


class DomainContextStub:
    """A world whose one tool of the agent changes something, and which takes every call."""

    def tools(self, side: Role) -> Toolset:
        return TOOLS if side == "user" else Toolset((ToolSpec("hold_parcel", "", {}),))

    def kind(self, name: str) -> ToolKind | None:
        return "write" if name == "hold_parcel" else "read"

    def owner(self, call: ToolCall) -> Role | None:
        return call.by

    def call(self, call: ToolCall) -> ToolResult:
        return ToolResult(call.id, call.name, "7", call.by)

    def take_changes(self) -> tuple[Change, ...]:
        return ()

    def delta(self) -> StateDelta:
        return {}


class MisrecognizingOnce:
    """A channel that changes a name the first times, and passes spelled names unchanged."""

    def __init__(self, name: str, misrecognized: str, times: int) -> None:
        self._name, self._misrecognized, self._left = name, misrecognized, times

    async def carry(self, utterance: Utterance) -> Utterance:
        words = utterance.intended
        if self._name in words and self._left:
            self._left -= 1
            words = words.replace(self._name, self._misrecognized)
        return msgspec.structs.replace(utterance, heard=words)

    def take_usage(self) -> tuple[Usage, ...]:
        return ()


def play(language: str, agent: Participant, times_misrecognized: int = 0) -> Episode:
    name, misrecognized = NAMES[language]
    arguments: dict[str, object] = {"name": name, "number": "KD274188065"}
    plan = (
        Action("1", "hold_parcel", arguments),
        Action("2", "scan_label", {}, by="user"),
    )
    task = Task("1", "s", "d", scenario(language), Criteria(("DB",), actions=plan))

    async def conversation() -> Episode:
        environment, phrases = DomainContextStub(), book(language)
        channel = MisrecognizingOnce(name, misrecognized, times_misrecognized)
        surfaces = ConversationIO(
            {"agent": IdentityChannel(), "user": channel},
            {"agent": IdentityView(), "user": IdentityView()},
        )
        user = partner_of(agent)
        sessions = {
            "agent": await agent.open(SessionStart(task, "agent", 0, phrases=phrases)),
            "user": await user.open(SessionStart(task, "user", 0, phrases=phrases)),
        }
        talk = Conversation(environment, sessions, surfaces, lambda: 0.0)  # type: ignore[arg-type]  # literal keys
        return await talk.run(HalfDuplex(environment, DEFAULT_RULES, Limits()))

    return asyncio.run(conversation())


def called(episode: Episode) -> list[tuple[str, dict[str, object]]]:
    return [
        (call.name, call.arguments)
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    ]


@in_every_language
@pytest.mark.parametrize("agent", [GoldAgent, LiteralAgent, CarefulAgent])
def test_a_plan_of_both_sides_is_played_to_its_end(
    language: str, agent: Callable[[], Participant]
) -> None:
    episode = play(language, agent())
    assert called(episode) == [
        ("hold_parcel", {"name": NAMES[language][0], "number": "KD274188065"}),
        ("scan_label", {}),
    ]
    assert episode.ending.reason == "user_stop"


@in_every_language
def test_what_was_misrecognized_is_lost_to_literal_and_confirmed_by_careful(language: str) -> None:
    name, misrecognized = NAMES[language]
    lost = called(play(language, LiteralAgent(), 1))[0][1]["name"]
    assert lost == misrecognized
    assert called(play(language, CarefulAgent(), 1))[0][1]["name"] == name
    # The correction is misrecognized too, so the user spells the value.
    assert called(play(language, CarefulAgent(), 2))[0][1]["name"] == name


CANCEL = Toolset(
    (
        ToolSpec(
            "cancel_shipment",
            "",
            {
                "properties": {"tracking_number": {"type": "string", "description": ""}},
                "required": ["tracking_number"],
            },
        ),
    )
)


@in_every_language
def test_lexical_asks_proposes_and_acts_on_a_yes(language: str) -> None:
    phrases = book(language)
    wish = phrases.verbs["cancel"].split()[0]

    async def talk() -> list[Reply]:
        task = Task("1", "s", "d", Scenario(""))
        agent = await LexicalAgent().open(SessionStart(task, "agent", 0, phrases=phrases))
        turns = (
            "cancel" if language == "en" else wish,
            fact(language, "tracking_number", "KD274188065"),
            phrases.says.consent,
        )
        return [(await agent.reply([text_reply(turn)], CANCEL)).reply for turn in turns]

    asked, proposed, acted = asyncio.run(talk())
    assert isinstance(asked, TextReply)
    assert phrases.label("tracking_number") in asked.text
    assert isinstance(proposed, TextReply)
    assert phrases.hears.consent.search(proposed.text)
    assert isinstance(acted, ToolCallReply)
    assert acted.calls[0].arguments == {"tracking_number": "KD274188065"}


@in_every_language
@given(data=st.data())
def test_any_value_of_the_script_is_read_as_it_was_spelled(
    language: str, data: st.DataObject
) -> None:
    signs = LETTERS[language] + "0123456789"
    value = data.draw(st.text(signs, min_size=2, max_size=12))
    phrases = book(language)
    for spell in (spell_value, spell_nato):
        said = phrases.says.fact_spelled.format(
            label=phrases.label("name"), value=value, spelled=spell(value, phrases)
        )
        assert read_closest_spelling(said, value, phrases) == value


@in_every_language
@given(data=st.data())
def test_any_value_of_the_script_is_heard_where_it_was_said(
    language: str, data: st.DataObject
) -> None:
    value = data.draw(st.text(LETTERS[language], min_size=1, max_size=12))
    said = fact(language, "name", value)
    assert extract_value(value, said, book(language)) == value


@in_every_language
@given(st.text(max_size=60))
def test_any_words_are_answered(language: str, words: str) -> None:
    assert isinstance(replies(language, words)[-1], TextReply | ToolCallReply)
