"""MessageAPI: one inbox for all, ids drawn from a seed."""

from typing import Any

from dragoman.benchmarks.bfcl.apis.message_api import MessageAPI

FULL: dict[str, Any] = {
    "user_count": 2,
    "user_map": {"Ann": "USR001", "Ben": "USR002"},
    "inbox": [{"USR002": "Hello"}, {"USR001": "Again"}, {"USR002": "Hello"}],
    "message_count": 3,
    "current_user": "USR001",
}


def test_the_built_in_workspace_has_four_users_and_nobody_logged_in() -> None:
    api = MessageAPI({}, None)
    assert api.list_users() == {"user_list": ["Alice", "Bob", "Catherine", "Daniel"]}
    assert api.view_messages_sent() == {"error": "No user is currently logged in."}
    assert api.message_login("Alice") == {
        "login_status": False,
        "message": "User ID 'Alice' not found.",
    }
    assert api.message_get_login_status() == {"login_status": False}


def test_messages_get_the_ids_that_the_seed_draws() -> None:
    api = MessageAPI(FULL, None)
    sent = [api.send_message("USR002", "x")["message_id"] for _ in range(2)]
    assert sent == [{"new_id": 67410}, {"new_id": 41772}]
    assert api.state()["generated_ids"] == {67410, 41772}
    assert api.state()["message_count"] == 5


def test_an_id_that_was_generated_before_is_drawn_again() -> None:
    api = MessageAPI({**FULL, "generated_ids": {67410}}, None)
    assert api.send_message("USR002", "x")["message_id"] == {"new_id": 41772}


def test_of_equal_messages_the_first_is_deleted() -> None:
    api = MessageAPI(FULL, None)
    api.delete_message("USR002")
    assert api.state()["inbox"] == [{"USR001": "Again"}, {"USR002": "Hello"}]
    assert api.state()["message_count"] == 3
    assert api.delete_message("USR009") == {"error": "Receiver ID USR009 not found."}
    assert FULL["inbox"] == [{"USR002": "Hello"}, {"USR001": "Again"}, {"USR002": "Hello"}]


def test_only_the_first_receiver_of_an_entry_counts() -> None:
    api = MessageAPI({**FULL, "inbox": [{"USR001": "One", "USR002": "Two"}]}, None)
    assert api.view_messages_sent() == {"messages": {"USR001": ["One"]}}
    assert api.search_messages("TWO") == {"results": []}
    assert api.get_message_stats() == {"stats": {"received_count": 1, "total_contacts": 1}}


def test_a_contact_that_cannot_be_added_uses_up_an_id() -> None:
    api = MessageAPI({**FULL, "user_count": 1}, None)
    assert api.add_contact("Cid") == {"error": "User ID 'USR002' already exists."}
    assert api.add_contact("Ann") == {"error": "User name 'Ann' already exists."}
    assert api.add_contact("Cid")["user_id"] == "USR003"


def test_messages_are_found_in_any_case() -> None:
    assert MessageAPI(FULL, None).search_messages("AGAIN") == {
        "results": [{"receiver_id": "USR001", "message": "Again"}]
    }
