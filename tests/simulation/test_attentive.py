import asyncio

import pytest

from dragoman.core.protocols import SessionStart
from dragoman.core.replies import TextReply, text_reply
from dragoman.core.tasks import Action, Criteria, KnownFact, Scenario, Task
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.simulation.participants.confirming import AttentiveAgent, needs_care

TASK = Task(
    "1",
    "s",
    "d",
    Scenario(
        "x",
        opening="Cancel it.",
        facts=(KnownFact("postcode", "KL-4830"), KnownFact("phone", "0151")),
    ),
    Criteria(("DB",), (Action("a", "cancel", {"postcode": "KL-4830", "phone": "0151"}),)),
)
TOOLS = Toolset((ToolSpec("cancel", "", {}, kind="write"),))
NOVICE = {"exposure": 1, "expertise": "novice", "ambiguity": "high"}


def said(user: dict[str, object], *heard: str, later: dict[str, object] | None = None) -> list[str]:
    """Return the agent's words to each thing it hears; a call ends them."""

    async def talk() -> list[str]:
        session = await AttentiveAgent().open(SessionStart(TASK, "agent", 0, user=user))
        words = []
        for text in heard:
            reply = (await session.reply([text_reply(text)], TOOLS)).reply
            if not isinstance(reply, TextReply):
                break
            words.append(reply.text)
            if later is not None:
                session.set_user_profile(later)
        return words

    return asyncio.run(talk())


def test_told_nothing_it_asks_for_everything_at_once_and_acts() -> None:
    both = "The postcode is KL-4830. The phone is 0151."
    assert said({}, "Cancel it.", both, "Hm.") == [
        "Please tell me: what is your postcode, what is your phone?"
    ]


def test_a_novice_is_asked_one_thing_at_a_time_again_and_is_read_back_to() -> None:
    heard = ("Cancel it.", "Somewhere.", "The postcode is KL-4803.", "The phone is 0151.", "Hm.")
    assert said(NOVICE, *heard) == [
        "Please tell me: what is your postcode?",
        "Please tell me: what is your postcode?",
        "Please tell me: what is your phone?",
        (
            "Let me make sure that I heard you: the postcode is KL-4803; the phone is 0151. "
            "Is that right?"
        ),
        "Please spell the postcode in the NATO alphabet. Please repeat the phone digit by digit.",
    ]


def test_what_is_inferred_in_mid_conversation_counts_from_then_on() -> None:
    both = "The postcode is KL-4830. The phone is 0151."
    assert said({}, "Cancel it.", both, "Hm.", later={"technical_skill": 2})[1].startswith(
        "Let me make sure that I heard you"
    )


def test_a_value_is_asked_for_three_times_at_most() -> None:
    asked = said(NOVICE, *["Somewhere."] * 7)
    assert asked[:3] == ["Please tell me: what is your postcode?"] * 3
    assert asked[3:6] == ["Please tell me: what is your phone?"] * 3
    assert asked[6].startswith("Let me make sure")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({}, False),
        ({"expertise": "expert", "ambiguity": "low"}, False),
        ({"expertise": "some", "ambiguity": "high"}, True),
        ({"articulation_skill": 5}, True),
        ({"articulation_skill": 6, "technical_skill": "N/A"}, False),
        ({"frustration_level": 6}, True),
        ({"frustration_level": 5}, False),
    ],
)
def test_who_needs_care(user: dict[str, object], expected: bool) -> None:
    assert needs_care(user) is expected
