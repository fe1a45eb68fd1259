"""Both sides at a locker: each side sees the actions of the other."""

from collections.abc import Callable

import pytest

from dragoman.core.tools import ToolResult

Ask = Callable[..., ToolResult]
Stage = Callable[..., object]


@pytest.fixture
def at_the_ferry(stage: Stage) -> Stage:
    """Start at the locker L06, where Yusuf's parcel CV644027184 is in compartment 06."""
    stage("user", "sign_in", customer_id="C1016")
    stage("user", "stand_at_locker", locker_id="L06")
    return stage


# Codes


def test_the_right_code_opens_and_closing_collects(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    assert "Compartment 06 opens" in user("enter_pickup_code", code="120781").content
    assert "COMPARTMENT 06 IS OPEN" in user("read_display").content
    assert "PARCEL COLLECTED" in user("close_compartment").content
    assert at_the_ferry("agent", "assert_status", tracking_number="CV644027184", status="collected")
    assert '"06": {"size": "M", "state": "free"' in agent("get_locker", locker_id="L06").content
    assert "WRONG CODE" in user("enter_pickup_code", code="120781").content


def test_a_code_that_the_agent_sends_appears_in_the_app_and_not_at_the_desk(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    assert at_the_ferry is not None
    assert user("read_messages").content == "There are no messages."
    sent = agent("send_pickup_code", tracking_number="CV644027184")
    assert sent.content == "The code was sent to the recipient's app."
    assert "Code 120781 for parcel CV644027184" in user("read_messages").content


def test_a_code_of_somebody_else_does_not_appear_in_the_app(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    assert at_the_ferry is not None
    assert not agent("send_pickup_code", tracking_number="BV705163509").error
    assert user("read_messages").content == "There are no messages."


def test_a_code_needs_a_parcel_in_a_locker(agent: Ask) -> None:
    refused = agent("send_pickup_code", tracking_number="KV155016507")
    assert "is in_transit, not in a locker" in refused.content


def test_an_expired_code_opens_again_once_it_was_sent_anew(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    at_the_ferry("agent", "expire_code", tracking_number="CV644027184")
    assert user("enter_pickup_code", code="120781").content == "The display says: CODE EXPIRED"
    agent("send_pickup_code", tracking_number="CV644027184")
    assert "opens" in user("enter_pickup_code", code="120781").content


def test_the_third_wrong_code_blocks_until_the_agent_resets(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    assert at_the_ferry is not None
    shown = [user("enter_pickup_code", code="000000").content for _ in range(3)]
    assert "WRONG CODE (1 OF 3)" in shown[0]
    assert "WRONG CODE (2 OF 3)" in shown[1]
    assert "E20" in shown[2]
    assert user("enter_pickup_code", code="120781").error
    assert not agent("reset_locker_session", locker_id="L06").error
    assert "opens" in user("enter_pickup_code", code="120781").content


# Faults


def test_a_frozen_terminal_is_restarted_first_and_reset_second(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    at_the_ferry("user", "freeze_terminal")
    at_the_ferry("agent", "set_session", locker_id="L06", session="held")
    assert "E7" in user("read_display").content
    too_early = agent("reset_locker_session", locker_id="L06")
    assert "must be restarted at the locker first" in too_early.content
    assert "E12" in user("reboot_terminal").content
    assert user("enter_pickup_code", code="120781").error
    assert not agent("reset_locker_session", locker_id="L06").error
    assert at_the_ferry("user", "assert_display", text="READY")


def test_a_session_that_is_idle_needs_no_reset(agent: Ask) -> None:
    assert "no session to reset" in agent("reset_locker_session", locker_id="L01").content


def test_a_locker_elsewhere_is_reset_without_anybody_there(agent: Ask, stage: Stage) -> None:
    stage("agent", "set_session", locker_id="L02", session="blocked")
    assert not agent("reset_locker_session", locker_id="L02").error


def test_an_open_door_keeps_the_terminal_from_restarting(user: Ask, at_the_ferry: Stage) -> None:
    assert at_the_ferry is not None
    user("enter_pickup_code", code="120781")
    assert "close it first" in user("reboot_terminal").content


# The app


@pytest.mark.parametrize(
    ("version", "bluetooth", "location", "why"),
    [
        ("5.1", True, True, "app version 5.1 is too old"),
        ("5.2", False, True, "Bluetooth is off"),
        ("5.2", True, False, "the app may not use the location"),
        ("4.9", False, False, "app version 4.9 is too old"),
    ],
)
def test_the_app_says_what_keeps_it_from_the_locker(  # noqa: PLR0913, PLR0917 - a row of the table
    user: Ask, at_the_ferry: Stage, version: str, bluetooth: bool, location: bool, why: str
) -> None:
    at_the_ferry("user", "have_app", version=version, bluetooth=bluetooth, location=location)
    refused = user("open_compartment", tracking_number="CV644027184")
    assert f"the app cannot connect to the locker: {why}" in refused.content
    assert not at_the_ferry("user", "assert_app_can_connect")


def test_the_app_opens_once_everything_is_right(user: Ask, at_the_ferry: Stage) -> None:
    at_the_ferry("user", "have_app", version="4.9", bluetooth=False, location=False)
    assert user("update_app").content == "The app is now version 5.4."
    assert user("toggle_bluetooth").content == "Bluetooth is now on."
    assert not user("grant_location_permission").error
    assert user("check_phone").content == ("App version 5.4. Bluetooth is on. Location is allowed.")
    assert at_the_ferry("user", "assert_app_can_connect")
    opened = user("open_compartment", tracking_number="CV644027184")
    assert "Compartment 06 opens" in opened.content


def test_bluetooth_that_was_on_goes_off(user: Ask) -> None:
    assert user("toggle_bluetooth").content == "Bluetooth is now off."


def test_the_app_opens_nobody_elses_compartment(user: Ask, stage: Stage) -> None:
    stage("user", "sign_in", customer_id="C1001")
    stage("user", "stand_at_locker", locker_id="L06")
    refused = user("open_compartment", tracking_number="CV644027184")
    assert "shows no parcel CV644027184 for you" in refused.content


def test_far_from_a_locker_nothing_of_it_can_be_used(user: Ask) -> None:
    calls = [
        user("read_display"),
        user("reboot_terminal"),
        user("enter_pickup_code", code="120781"),
        user("open_compartment", tracking_number="CV644027184"),
        user("close_compartment"),
        user("report_compartment_empty", compartment="06"),
    ]
    assert {call.content for call in calls} == {"Error: you are not at a locker"}


def test_a_label_is_scanned_by_who_holds_it(user: Ask, stage: Stage) -> None:
    assert user("scan_label").error
    stage("user", "hold_label", tracking_number="BT551503725")
    assert user("scan_label").content == "The number on it is BT551503725."


# Empty compartments


def test_an_empty_compartment_is_reported_and_not_collected(
    agent: Ask, user: Ask, at_the_ferry: Stage
) -> None:
    at_the_ferry("user", "find_compartment_empty", compartment="06")
    assert user("enter_pickup_code", code="120781").content == "Compartment 06 opens. It is empty."
    assert not user("report_compartment_empty", compartment="06").error
    assert user("close_compartment").content == "Compartment 06 is closed."
    assert '"state": "reported_empty"' in agent("get_locker", locker_id="L06").content
    assert at_the_ferry("agent", "assert_status", tracking_number="CV644027184", status="in_locker")


@pytest.mark.parametrize("compartment", ["10", "99", ""])
def test_only_the_own_compartment_can_be_reported(
    user: Ask, at_the_ferry: Stage, compartment: str
) -> None:
    assert at_the_ferry is not None
    refused = user("report_compartment_empty", compartment=compartment)
    assert "no parcel of yours" in refused.content


def test_a_door_that_is_not_open_cannot_be_closed(user: Ask, at_the_ferry: Stage) -> None:
    assert at_the_ferry is not None
    assert user("close_compartment").content == "Error: no compartment is open"
