import copy
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.ticket_api import TicketAPI
from dragoman.core.tools import ToolCall

QUEUE: dict[str, Any] = {
    "ticket_queue": [
        {
            "id": 4,
            "title": "Printer",
            "description": "No toner",
            "status": "Open",
            "priority": 2,
            "created_by": "ana",
        }
    ],
    "ticket_counter": 5,
    "current_user": "ana",
}


@pytest.fixture
def api() -> TicketAPI:
    return TicketAPI(copy.deepcopy(QUEUE))


def test_without_a_scenario_there_is_no_ticket_and_nobody_is_logged_in() -> None:
    api = TicketAPI({})
    assert api.state() == {"ticket_queue": [], "ticket_counter": 1, "current_user": None}
    assert api.create_ticket("Light") == {
        "error": "User not authenticated. Please log in to create a ticket."
    }
    assert api.get_user_tickets() == [
        {"error": "User not authenticated. Please log in to view tickets."}
    ]


def test_a_new_ticket_takes_the_next_number_and_the_user_s_name(api: TicketAPI) -> None:
    made = api.create_ticket("Light", priority=5)
    assert made == {
        "id": 5,
        "title": "Light",
        "description": "",
        "status": "Open",
        "priority": 5,
        "created_by": "ana",
    }
    assert api.get_ticket(5) == made
    assert api.state()["ticket_counter"] == 6


@pytest.mark.parametrize("priority", [0, 6])
def test_a_priority_outside_one_to_five_is_refused(api: TicketAPI, priority: int) -> None:
    refused = {"error": "Invalid priority. Priority must be between 1 and 5."}
    assert api.create_ticket("Light", priority=priority) == refused


def test_a_ticket_is_closed_once_and_resolved_once(api: TicketAPI) -> None:
    assert api.close_ticket(4) == {"status": "Ticket 4 has been closed successfully."}
    assert api.close_ticket(4) == {"error": "Ticket with ID 4 is already closed."}
    assert api.resolve_ticket(4, "toner bought") == {
        "status": "Ticket 4 has been resolved successfully."
    }
    assert api.resolve_ticket(4, "again") == {"error": "Ticket with ID 4 is already resolved."}
    assert api.get_ticket(4)["resolution"] == "toner bought"


def test_an_edit_passes_over_null_and_refuses_other_fields_before_it_changes_any(
    api: TicketAPI,
) -> None:
    assert api.edit_ticket(4, {"title": "Ink", "status": None}) == {
        "status": "Ticket 4 has been updated successfully."
    }
    assert (api.get_ticket(4)["title"], api.get_ticket(4)["status"]) == ("Ink", "Open")
    assert api.edit_ticket(4, {"title": "Gone", "owner": "bo", "id": 9}) == {
        "error": "Invalid fields for update: owner, id"
    }
    assert api.get_ticket(4)["title"] == "Ink"


def test_tickets_are_listed_by_their_maker_and_by_status_in_any_case(api: TicketAPI) -> None:
    api.ticket_login("bo", "secret")
    api.create_ticket("Chair")
    assert [ticket["title"] for ticket in api.get_user_tickets("OPEN")] == ["Chair"]
    assert api.get_user_tickets("closed") == []


def test_logging_in_takes_a_name_and_a_password_and_logging_out_somebody(api: TicketAPI) -> None:
    assert api.logout() == {"success": True}
    assert api.logout() == {"success": False}
    assert api.ticket_login("bo", "") == {"success": False}
    assert api.ticket_get_login_status() == {"login_status": False}


def test_a_ticket_of_the_scenario_stays_as_it_was() -> None:
    scenario = copy.deepcopy(QUEUE)
    api = TicketAPI(scenario)
    api.close_ticket(4)
    api.create_ticket("Light")
    assert scenario == QUEUE


def test_a_ticket_without_an_id_cannot_be_looked_past() -> None:
    environment = make_environment(
        ["TicketAPI"], {"TicketAPI": {"ticket_queue": [{"ticket_001": {}}]}}
    )
    result = environment.call(ToolCall("1", "get_ticket", {"ticket_id": 1}))
    assert (result.content, result.error) == ("Error during execution: 'id'", True)
