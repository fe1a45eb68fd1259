from dragoman.benchmarks.kit.turn_protocols import GREETING, HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.language.localization import (
    GreetingProtocol,
    Localization,
    LocalizedInstructions,
    english_localization,
)
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.conditions.resolved_condition import IdentityView, resolve_condition
from dragoman.core.conditions import PLAIN, condition_of
from dragoman.core.episodes import Message
from dragoman.core.language.localized_values import ENGLISH_VALUES
from dragoman.core.protocols import Limits
from dragoman.core.replies import text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Scenario

THAI = condition_of({"language": "th", "scenario": "interaction"})


def thai(
    what: LocalizationRecord, reported: dict[str, LocalizedInstructions] | None = None
) -> Localization:
    return Localization(
        THAI,
        what,
        {"agent": IdentityView(), "user": IdentityView()},
        user_instructions=reported or {},
    )


def test_english_changes_nothing(shop: DomainSuite) -> None:
    task = shop.tasks[0]
    plain = english_localization(PLAIN)
    environment = shop.factory(DEFAULT_RULES)(task)
    turn_protocol = shop.turn_protocol(task, environment, DEFAULT_RULES, Limits())
    assert plain.is_english
    assert plain.judged(task) is task
    assert resolve_condition(PLAIN, ()).shown(task) is task
    assert plain.planned(task) is task
    assert plain.wording(task) == ENGLISH_VALUES
    assert resolve_condition(PLAIN, ()).turn_protocol(turn_protocol) is turn_protocol
    assert (plain.record.instructions, plain.policy) == ({}, None)


def test_the_agent_greets_in_the_language(shop: DomainSuite) -> None:
    task = shop.tasks[0]
    environment = shop.factory(DEFAULT_RULES)(task)
    turn_protocol = shop.turn_protocol(task, environment, DEFAULT_RULES, Limits())
    localized = resolve_condition(THAI, [thai(LocalizationRecord(greeting="สวัสดี")).layer])
    greeted = localized.turn_protocol(turn_protocol)
    assert turn_protocol.opening() == (Message("agent", text_reply(GREETING), scripted=True),)
    assert greeted.opening() == (Message("agent", text_reply("สวัสดี"), scripted=True),)
    assert greeted.sides == turn_protocol.sides


def test_a_history_is_not_greeted(shop: DomainSuite) -> None:
    task = shop.tasks[0]
    environment = shop.factory(DEFAULT_RULES)(task)
    history = (Message("agent", text_reply("Hi!")), Message("user", text_reply("Cancel it.")))
    turn_protocol = HalfDuplex(environment, DEFAULT_RULES, Limits(), history)
    assert GreetingProtocol(turn_protocol, "สวัสดี").opening() == history


def test_users_are_told_in_the_language_and_plans_stay_canonical(shop: DomainSuite) -> None:
    task = shop.tasks[0]
    localization = thai(LocalizationRecord(), {task.id: LocalizedInstructions(Scenario("ยกเลิก"))})
    judged = localization.judged(task)
    assert judged.scenario == Scenario("ยกเลิก")
    assert judged.criteria == task.criteria
    assert localization.judged(shop.tasks[1]) is shop.tasks[1]


def test_what_is_spoken_is_part_of_the_wording(shop: DomainSuite) -> None:
    wording = thai(LocalizationRecord()).wording(shop.tasks[0])
    assert (wording.language, wording.plan, wording.is_english) == ("th", None, False)


def test_notes_and_detection_are_no_part_of_a_conversations_key() -> None:
    localization = LocalizationRecord(tools={"agent": {"get_order": "th"}})
    noted = LocalizationRecord(
        tools={"agent": {"get_order": "th"}}, detector="th", relatives=("lo",), notes=("x",)
    )
    assert noted.digest == localization.digest
    assert LocalizationRecord(tools={"agent": {"get_order": "vi"}}).digest != localization.digest
