from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.errors import UsageError
from dragoman.core.language.correctness import (
    DEFAULT_LANGUAGE_RULES,
    LANGUAGE_RULES,
    SEATAU_LANGUAGE_RULES,
    LanguageRules,
    LanguageUse,
    TurnLanguage,
    tolerant_rules,
)
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, Utterance, text_reply
from dragoman.core.scores import Scored, Unscored, Verdict
from dragoman.core.tasks import InitialState, Scenario, Task
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.scoring.language_detection import Detection, load_detector
from dragoman.scoring.measures.language_use import WordedTurn, language_use, turn_language

GREETING = Message("agent", text_reply("Hi! How can I help you today?"), scripted=True)
THAI = "ฉันต้องการยกเลิกคำสั่งซื้อของฉัน"
ENGLISH = "I would like to cancel my order, please."
CALL = ToolCallReply((ToolCall("c1", "look", {}),), "Let me look that up for you.")
RIGHT, WRONG = Scored(1.0), Scored(0.0)


class Silent:
    """A detector that finds nothing."""

    labels = frozenset({"th"})

    def detect(self, text: str) -> Detection | None:
        assert text
        return None


def task(history: tuple[Event, ...] = ()) -> Task:
    return Task("1", "suite", "d", Scenario("words"), initial_state=InitialState(history=history))


def uses(
    events: tuple[Event, ...],
    rules: LanguageRules = DEFAULT_LANGUAGE_RULES,
    expected: Mapping[Role, str] | None = None,
    history: tuple[Event, ...] = (),
) -> tuple[LanguageUse, ...]:
    episode = Episode((*history, *events), Termination("user_stop"), 0, 0)
    sides = expected or {"agent": "th", "user": "th"}
    return language_use(task(history), episode, sides, rules, load_detector())


def turn(text: str, rules: LanguageRules = DEFAULT_LANGUAGE_RULES, expected: str = "th") -> Verdict:
    return turn_language(WordedTurn(0, "user", text), expected, rules, load_detector()).verdict


def test_each_side_is_judged_against_its_own_language() -> None:
    events = (GREETING, Message("user", text_reply(THAI)), Message("agent", text_reply(ENGLISH)))
    agent, user = uses(events, expected={"agent": "en", "user": "th"})
    assert (agent.by, agent.expected, agent.verdict) == ("agent", "en", RIGHT)
    assert (user.by, user.expected, user.verdict) == ("user", "th", RIGHT)
    assert agent.rules == user.rules == "dragoman-language-1"


def test_a_side_without_an_expected_language_is_not_judged() -> None:
    (only,) = uses((GREETING, Message("user", text_reply(THAI))), expected={"user": "th"})
    assert only.by == "user"


def test_every_turn_is_recorded_with_its_place_label_and_probability() -> None:
    events = (
        GREETING,
        Message("user", text_reply(THAI)),
        Message("agent", CALL),
        ToolResult("c1", "look", "{}"),
        Message("agent", text_reply(ENGLISH)),
    )
    agent, _ = uses(events)
    assert [entry.position for entry in agent.turns] == [0, 2, 4]
    assert [entry.verdict for entry in agent.turns] == [
        Unscored("written by the benchmark"),
        Unscored("beside tool calls, where it reaches nobody"),
        WRONG,
    ]
    assert agent.turns[2].detected == "en"
    assert agent.turns[2].probability == pytest.approx(0.95, abs=0.05)
    assert agent.verdict == WRONG


def test_the_reference_judges_the_greeting_and_words_beside_calls() -> None:
    agent, _ = uses(
        (GREETING, Message("agent", CALL), ToolResult("c1", "look", "{}")), SEATAU_LANGUAGE_RULES
    )
    assert [entry.verdict for entry in agent.turns] == [WRONG, WRONG]


def test_what_was_said_before_the_conversation_is_the_benchmarks() -> None:
    history = (Message("user", text_reply(ENGLISH)), Message("agent", text_reply(ENGLISH)))
    agent, user = uses((Message("user", text_reply(THAI)),), history=history)
    assert user.verdict == RIGHT
    assert agent.verdict == Unscored("no turn of the agent tells its language")


def test_calls_without_words_and_unusable_replies_are_no_turns() -> None:
    silent = ToolCallReply((ToolCall("c1", "look", {}),))
    agent, user = uses(
        (
            Message("agent", silent),
            ToolResult("c1", "look", "{}"),
            Message("user", UnparsedReply("<", "bad")),
        )
    )
    assert agent.turns == user.turns == ()


def test_the_words_that_were_meant_are_judged_and_not_those_that_were_heard() -> None:
    heard = TextReply(Utterance(THAI, spoken=THAI, heard=ENGLISH))
    _, user = uses((Message("user", heard),))
    assert user.verdict == RIGHT


@pytest.mark.parametrize("text", ["", "   ", "ok", " ค่ะ ", "1234"])
@pytest.mark.parametrize("rules", LANGUAGE_RULES.values(), ids=lambda rules: rules.name)
def test_less_than_five_characters_tell_nothing(text: str, rules: LanguageRules) -> None:
    assert turn(text, rules) == Unscored("shorter than 5 characters")


@pytest.mark.parametrize(
    "text",
    [
        "#W2378156",
        "credit_card_9513926",
        '{"order_id": "#W2378156"}',
        "12345",
        "✔✔✔✔✔",
        "ORD JFK LAX",
    ],
)
def test_ids_alone_are_unscored_and_in_the_reference_some_language_or_other(text: str) -> None:
    assert turn(text) == Unscored("nothing but ids, quoted values, code, numbers and symbols")
    assert turn(text, SEATAU_LANGUAGE_RULES) == WRONG


def test_a_word_or_two_beside_ids_is_too_little() -> None:
    assert turn("#W2378156 ok") == Unscored(
        "shorter than 5 characters without ids, quoted values and numbers"
    )


def test_stop_markers_alone_are_unscored_everywhere() -> None:
    assert isinstance(turn("###STOP###"), Unscored)
    assert turn("###STOP###", SEATAU_LANGUAGE_RULES) == Unscored("begins and ends with ###")


def test_a_short_name_beside_json_is_hidden_by_it_only_in_the_reference() -> None:
    text = 'คุณคือ Mohamed Hernandez {"order_id": "#W2378156", "status": "pending", "items": ["1"]}'
    assert turn(text) == RIGHT
    assert turn(text, SEATAU_LANGUAGE_RULES) == WRONG


def test_capitals_are_looked_at_in_small_letters_only_in_ours() -> None:
    text = "TÊN BẠN LÀ OMAR DAVIS."
    assert turn(text, expected="vi") == RIGHT
    assert turn(text, SEATAU_LANGUAGE_RULES, expected="vi") == WRONG


def test_what_has_no_likely_language_is_unscored_and_in_the_reference_wrong() -> None:
    assert turn("Thanks") == Unscored("no language is likelier than 0.2")
    assert turn("Thanks", SEATAU_LANGUAGE_RULES) == WRONG


def test_an_undetected_language_is_unscored_and_in_the_reference_wrong() -> None:
    said = WordedTurn(3, "user", THAI)
    ours = turn_language(said, "th", DEFAULT_LANGUAGE_RULES, Silent())
    theirs = turn_language(said, "th", SEATAU_LANGUAGE_RULES, Silent())
    assert ours == TurnLanguage(3, Unscored("no language detected"))
    assert theirs == TurnLanguage(3, WRONG)


def test_malay_is_not_indonesian_unless_families_are_tolerated() -> None:
    text = "Saya mahu membatalkan tempahan saya, boleh bantu?"
    assert turn(text, expected="id") == WRONG
    assert turn(text, tolerant_rules(DEFAULT_LANGUAGE_RULES), expected="id") == RIGHT


def test_tags_are_read_as_the_detectors_labels() -> None:
    (user,) = uses((Message("user", text_reply(ENGLISH)),), expected={"user": "en-GB"})
    assert (user.expected, user.verdict) == ("en", RIGHT)


def test_a_language_that_cannot_be_detected_is_refused() -> None:
    with pytest.raises(UsageError, match="does not know 'ha'"):
        uses((GREETING,), expected={"agent": "ha"})


@given(
    st.text(st.characters(exclude_categories=[])), st.sampled_from(list(LANGUAGE_RULES.values()))
)
def test_any_text_has_a_verdict_and_a_wrong_one_a_reason_or_a_label(
    text: str, rules: LanguageRules
) -> None:
    judged = turn_language(WordedTurn(0, "user", text), "th", rules, load_detector())
    match judged.verdict:
        case Unscored(reason=reason):
            assert reason
        case Scored(value=value):
            assert value in {0.0, 1.0}
            assert judged.detected in load_detector().labels
