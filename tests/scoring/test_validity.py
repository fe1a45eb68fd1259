import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.scores import Evidence
from dragoman.core.tasks import InitialState, Instructions, Scenario, Task
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.scoring.language_detection import language_words
from dragoman.scoring.simulator_validity import CHECKS, user_evidence, without_quotes

Case = dict[str, Any]
CASES: list[Case] = json.loads((Path(__file__).parent / "validity_cases.json").read_text("utf-8"))
GREETING = Message("agent", text_reply("Hi! How can I help you today?"), scripted=True)


def by_name(case: Case) -> str:
    return str(case["name"])


def task_of(scenario: dict[str, Any]) -> Task:
    instructions = Instructions(
        "shop",
        scenario["reason"],
        scenario["instructions"],
        scenario["known"],
        scenario["unknown"],
    )
    return Task("1", "suite", "digest", Scenario(instructions))


def called(side: Role, name: str, arguments: dict[str, object], result: str) -> list[Event]:
    call = ToolCall("c1", name, arguments, side)
    return [Message(side, ToolCallReply((call,))), ToolResult("c1", name, result, side)]


def events_of(talk: list[list[Any]]) -> list[Event]:
    events: list[Event] = []
    for who, *what in talk:
        match who:
            case "agent" | "user":
                events.append(Message(who, text_reply(what[0])))
            case "agent calls":
                events += called("agent", *what)
            case "user calls":
                events += called("user", *what)
            case "user breaks":
                events.append(Message("user", UnparsedReply("<", "neither words nor calls")))
            case _:
                pytest.fail(f"a case says {who!r}")
    return events


def findings(case: Case) -> dict[str, Evidence]:
    episode = Episode(tuple(events_of(case["talk"])), Termination(case["ending"]), 0, 0)
    evidence = user_evidence(task_of(case["scenario"]), episode, case["language"])
    return {entry.subject: entry for entry in evidence}


def conversation(*words: str, asked: str = "Go on.", reported: str = "You need help.") -> Case:
    """Return a case in which the user says some words and then hangs up."""
    talk = [part for text in words for part in (["agent", asked], ["user", text])]
    scenario = {"reason": reported, "known": None, "unknown": None, "instructions": "."}
    stop = [["agent", "All done."], ["user", "###STOP###"]]
    return {"scenario": scenario, "talk": talk + stop, "ending": "user_stop", "language": "en"}


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_a_case_fails_the_checks_that_it_was_written_to_fail(case: Case) -> None:
    found = findings(case)
    assert [subject for subject, entry in found.items() if entry.met is False] == case["failed"]
    assert tuple(found) == CHECKS
    assert all(entry.why for entry in found.values() if entry.met is not True)


def test_there_are_good_and_bad_cases_for_every_check() -> None:
    good = [case for case in CASES if not case["failed"]]
    assert len(good) >= 12
    assert len(CASES) - len(good) >= 12
    for check in CHECKS:
        assert any(case["failed"] == [check] for case in CASES), check
        assert any(findings(case)[check].met is True for case in good), check


def test_a_finding_names_the_message_and_quotes_it() -> None:
    found = findings(conversation("I am fine.", "It is order #W7654321."))
    assert found["nothing_invented"].why == "message 2 invents: #W7654321"


@pytest.mark.parametrize("quotes", ["''", "\u2018\u2019", '""', "“”", "«»"])
def test_what_the_instructions_quote_may_be_said_as_it_stands(quotes: str) -> None:
    sentence = "You don't know it, but you're the kindest agent I have spoken to in years."
    case = conversation(f"Hello. {sentence}")
    reported = case["scenario"]
    reported["instructions"] = f"Always end what you say with {quotes[0]}{sentence}{quotes[1]}"
    assert findings(case)["nothing_leaked"].met is not False
    reported["instructions"] = f"Always end what you say with this: {sentence} Don't forget it."
    assert findings(case)["nothing_leaked"].met is False


def test_a_quotation_is_bounded() -> None:
    found = findings(conversation("As an AI model, " + "x" * 5_000))
    assert found["nothing_leaked"].met is False
    assert len(found["nothing_leaked"].why) < 250


@pytest.mark.parametrize(
    "words",
    [
        "I paid 1,250.75 dollars.",
        "It was $1250 or 1300 euros.",
        "That was in 2023, on 03/14/2023.",
        "Between 10.30 and 11.45, or 14:05.",
        "The 256GB model with 3000mAh.",
        "About 1500 of them.",
        "I ordered 12 of these, 3 of those.",
        "WINDOWS is not #1.",
    ],
)
def test_quantities_are_not_inventions(words: str) -> None:
    assert findings(conversation(words))["nothing_invented"].met is True


@pytest.mark.parametrize(
    "words",
    [
        "It is 19122.",
        "It is ๑๙๑๒๒ here.",
        "Order w7654321.",
        "My code is M20IZO.",
        "Write to a.b@example.com",
        "Call 555 987 6543.",
        "I am user_name_1234.",
        "รหัส19122ครับ",
    ],
)
def test_what_identifies_something_is_an_invention_unless_known(words: str) -> None:
    known = "You are user_name_1234, 19122, order #W7654321, m20izo, a.b@example.com, 555-987-6543."
    assert findings(conversation(words, reported=known))["nothing_invented"].met is True
    assert findings(conversation(words))["nothing_invented"].met is False


def test_what_the_agent_says_is_known_from_then_on_only() -> None:
    before = conversation("It is M20IZO.", asked="Which one?")
    before["talk"].insert(2, ["agent", "I see, M20IZO."])
    assert findings(before)["nothing_invented"].met is False
    after = conversation("It is M20IZO.", asked="Is it M20IZO?")
    assert findings(after)["nothing_invented"].met is True


@pytest.mark.parametrize(
    ("first", "then", "met"),
    [
        ("It is #W7654312.", "Sorry, I misread: #W7654321.", True),
        ("It is #W7654312. No, #W7654321.", "Thanks a lot.", True),
        ("It is #W7654312.", "Thanks a lot.", False),
        ("It is #W1234567.", "Sorry, I misread: #W7654321.", False),
        ("It is #W7654312.", "Sorry, I misread: #W7654313.", False),
        ("It is #W76543210.", "Sorry, I misread: #W7654321.", False),
    ],
)
def test_a_number_that_was_misread_and_put_right_is_no_invention(
    first: str, then: str, met: bool
) -> None:
    case = conversation(first, then, reported="Your order is #W7654321.")
    assert findings(case)["nothing_invented"].met is met


def test_what_only_the_agents_tools_return_is_not_known() -> None:
    case = conversation("It is M20IZO.")
    case["talk"].insert(0, ["agent calls", "get_user", {}, "M20IZO"])
    assert findings(case)["nothing_invented"].met is False


def test_a_short_conversation_leaves_the_goal_undecided() -> None:
    found = findings(conversation("Hello there."))
    assert found["goal_kept"] == Evidence("goal_kept", None, "too little was said to tell")


def test_the_goal_is_not_followed_in_other_languages() -> None:
    case = conversation("word " * 60, reported="You want to cancel the reservation of flights.")
    assert findings(case)["goal_kept"].met is False
    assert findings(case | {"language": "vi"})["goal_kept"].met is None


def test_a_quoted_offer_is_not_the_users_own() -> None:
    case = conversation('Your colleague wrote "How can I help you today?" and left.')
    assert findings(case)["goal_kept"].met is None


@pytest.mark.parametrize(
    ("asked", "last", "met"),
    [
        ("Shall I proceed?", "###STOP###", None),
        ("Shall I proceed?", "Sure! ###STOP###", False),
        ("Shall I proceed?", "Not now, thanks. ###STOP###", True),
        ("Is there anything else? Shall I proceed?", "Sure! ###STOP###", False),
        ("Would you like me to help with anything else?", "Ok, bye. ###STOP###", True),
        ("Would you like me to help with anything else?", "Yes, thanks. ###STOP###", True),
        ("It is done.", "Yes, perfect. ###STOP###", True),
        ("Shall I proceed?", "Yes, that's all I need, thank you. ###STOP###", False),
        ("Shall I proceed?", "Okay, that's all I need, thank you. ###STOP###", True),
        ("Shall I proceed?", "Yes, it is working now, bye. ###STOP###", True),
        ("Please confirm that you want this cancellation.", "I confirm. Bye! ###STOP###", False),
        ("Do you agree with these changes?", "Yes, I do. All set. ###STOP###", False),
        ("Are these acceptable for you?", "Yes, please. ###STOP###", False),
        ("The fee is $5. Is that okay with you?", "Yes. That is all. ###STOP###", False),
        ("I need your explicit confirmation.", "Confirmed, goodbye. ###STOP###", False),
        ("Your cancellation is confirmed.", "Yes, thank you. ###STOP###", True),
        ("What is your order number?", "I do not know. ###STOP###", True),
        ("What is your order number?", "#W7654321 ###STOP###", False),
        ("What is your order number?", "###OUT-OF-SCOPE###", None),
    ],
)
def test_a_stop_is_early_where_the_agent_still_had_to_act(
    asked: str, last: str, met: bool | None
) -> None:
    case = conversation("I need help.")
    case["talk"][-2:] = [["agent", asked], ["user", last]]
    assert findings(case)["not_ended_early"].met is met


def test_a_transfer_in_another_language_is_undecided_without_a_tool() -> None:
    case = conversation("Tolong.", asked="Baik.") | {"language": "id"}
    case["talk"][-1] = ["user", "###TRANSFER###"]
    assert findings(case)["not_ended_early"].met is None


def test_a_stop_beside_tool_calls_is_undecided() -> None:
    call = ToolCall("c1", "look", {}, "user")
    events = (
        GREETING,
        Message("user", text_reply("Help.")),
        Message("user", ToolCallReply((call,), "###STOP###")),
    )
    task = task_of(CASES[0]["scenario"])
    (end,) = [
        entry
        for entry in user_evidence(task, Episode(events, Termination("user_stop"), 0, 0), "en")
        if entry.subject == "not_ended_early"
    ]
    assert end.met is None


@pytest.mark.parametrize("language", ["xx", "", "x-klingon"])
def test_a_language_without_a_known_script_is_undecided(language: str) -> None:
    found = findings(conversation("Hello, I need some help.") | {"language": language})
    assert found["own_language"].met is None


@pytest.mark.parametrize("language", ["th", "th-TH", "th_TH"])
def test_a_language_is_known_by_its_primary_tag(language: str) -> None:
    case = conversation("ฉันต้องการความช่วยเหลือกับคำสั่งซื้อของฉัน")
    assert findings(case | {"language": language})["own_language"].met is True
    assert findings(case | {"language": "ja"})["own_language"].met is False


def test_fixed_messages_have_no_simulator() -> None:
    events = (
        Message("user", text_reply("What is 2 + 2?"), scripted=True),
        Message("agent", text_reply("4")),
    )
    episode = Episode(events, Termination("turns_done"), 2, 0)
    assert user_evidence(task_of(CASES[0]["scenario"]), episode, "en") == ()


def test_a_conversation_without_a_user_has_no_simulator() -> None:
    assert (
        user_evidence(
            task_of(CASES[0]["scenario"]), Episode((), Termination("timeout"), 0, 0), "en"
        )
        == ()
    )


def test_what_was_said_before_the_conversation_is_not_the_simulators() -> None:
    past = (
        GREETING,
        Message("user", text_reply("My order is #W7654321.")),
        Message("agent", text_reply("I see.")),
    )
    task = Task("1", "s", "d", Scenario("Get help."), initial_state=InitialState(history=past))
    now = Message("user", text_reply("As I said, #W7654321 it is."))
    found = user_evidence(task, Episode((*past, now), Termination("timeout"), 0, 0), "en")
    assert [entry.subject for entry in found if entry.met is False] == []
    assert user_evidence(task, Episode(past, Termination("timeout"), 0, 0), "en") == ()


@pytest.mark.nightly
@given(st.lists(st.text(max_size=200), max_size=6), st.sampled_from(["en", "th", "vi", "xx"]))
def test_whatever_is_said_every_check_answers_once(said: list[str], language: str) -> None:
    case = conversation(*said) | {"language": language}
    assert tuple(findings(case)) == CHECKS


@given(st.text(max_size=300))
def test_a_user_may_say_whatever_it_was_told(reported: str) -> None:
    found = findings(conversation(reported, reported=reported))
    assert found["nothing_invented"].met is not False


def test_an_address_is_opaque_however_long_it_is() -> None:
    address = f"https://shop.example/{'bonjour/' * 40}7"
    assert language_words(f"See {address}, please.") == ("see", "please")


@given(st.text(st.sampled_from("ab '\"\u201c\u201d\u00ab\u00bb\u2018\u2019 .\n1"), max_size=30))
def test_quotations_are_those_that_marks_without_letters_outside_enclose(text: str) -> None:
    double = r"[\"\u201c\u00ab][^\"\u201d\u00bb]+[\"\u201d\u00bb]"
    inside = r"(?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w))+"
    single = rf"(?<!\w)['\u2018]{inside}['\u2019](?!\w)"
    assert without_quotes(text) == re.sub(f"{double}|{single}", " ", text)
