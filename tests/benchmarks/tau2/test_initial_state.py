import asyncio
import gzip
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.environment import decode_database, merge_task_data
from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.composition.setup import Setup, build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Event, Message, Termination, executed_calls
from dragoman.core.errors import DataError
from dragoman.core.protocols import Provenance
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.rules import DEFAULT_RULES, RULES, TAU2_RULES
from dragoman.core.scores import Scored
from dragoman.core.tasks import Action, Criteria, InitialState, Task
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import Cell, plan_cells

ORDER = "#W9000002"


def starting(task: Task, state: InitialState) -> Task:
    return msgspec.structs.replace(task, initial_state=state, digest=f"{task.digest}+{state}")


@pytest.fixture(scope="session")
def telecom(data_folder: Path) -> DomainSuite:
    folder = data_folder / "tau2" / "telecom"

    def read(name: str) -> bytes:
        raw = folder / name
        return raw.read_bytes() if raw.exists() else gzip.decompress(Path(f"{raw}.gz").read_bytes())

    source = Provenance("tau2-bench", "MIT", "", "")
    return DomainSuite("tau2:telecom", read, source, DOMAINS["telecom"])


# A task's own data


def test_a_tasks_own_data_are_in_its_world_and_in_no_other(shop: DomainSuite) -> None:
    own: dict[str, object] = {"users": {"maren_holt_2201": {"email": "new@example.com"}}}
    task = starting(shop.tasks[0], InitialState(data={"agent": own}))
    look = ToolCall("1", "get_user_details", {"user_id": "maren_holt_2201"})
    fresh = shop.factory(DEFAULT_RULES)
    before = json.loads(fresh(shop.tasks[0]).call(look).content)
    after = json.loads(fresh(task).call(look).content)
    assert after == {**before, "email": "new@example.com"}
    assert json.loads(fresh(shop.tasks[0]).call(look).content) == before


def test_data_that_do_not_fit_the_database_are_refused(shop: DomainSuite) -> None:
    task = starting(shop.tasks[0], InitialState(data={"agent": {"users": {"nobody": {}}}}))
    with pytest.raises(DataError, match="its own data do not fit the database"):
        shop.factory(DEFAULT_RULES)(task)


def test_each_side_gets_its_own_data_which_the_reference_crosses(telecom: DomainSuite) -> None:
    state = InitialState(data={"user": {"device": {"battery_level": 7}}})
    task = starting(telecom.tasks[0], state)
    environment = telecom.factory(DEFAULT_RULES)(task)
    assert "7%" in environment.call(ToolCall("1", "check_status_bar", {}, "user")).content
    with pytest.raises(DataError, match="puts into the other side's database: use other --rules"):
        telecom.factory(TAU2_RULES)(task)


JSON_OBJECTS = st.recursive(
    st.dictionaries(st.sampled_from("abc"), st.integers() | st.lists(st.integers(), max_size=2)),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner | st.integers()),
    max_leaves=8,
)


@given(JSON_OBJECTS, JSON_OBJECTS)
def test_laying_data_over_twice_is_laying_them_over_once(
    base: dict[str, object], own: dict[str, object]
) -> None:
    files: dict[Role, str] = {"agent": "db.json"}
    once = merge_task_data({"db.json": msgspec.json.encode(base)}, files, {"agent": own})
    assert merge_task_data(once, files, {"agent": own}) == once
    merged = msgspec.json.decode(once["db.json"])
    assert set(merged) == {*base, *own}
    for key, value in own.items():
        if not isinstance(value, dict) or not isinstance(base.get(key), dict):
            assert merged[key] == value


def test_a_database_is_read_as_json_or_toml() -> None:
    assert decode_database(b'{"a": 1}', dict[str, int]) == {"a": 1}
    assert decode_database(b"a = 1", dict[str, int]) == {"a": 1}


# A history


def address(number: str) -> dict[str, object]:
    return {
        "user_id": "maren_holt_2201",
        "address1": number,
        "address2": "",
        "city": "Reno",
        "country": "USA",
        "state": "NV",
        "zip": "89501",
    }


def moved(shop: DomainSuite) -> tuple[Event, ...]:
    """A history in which the agent has changed an address already."""
    call = ToolCall("h1", "modify_user_address", address("1 Old Road"))
    environment = shop.factory(DEFAULT_RULES)(shop.tasks[0])
    return (
        Message("agent", text_reply("Hello.")),
        Message("user", text_reply("I have moved.")),
        Message("agent", ToolCallReply((call,))),
        environment.call(call),
        Message("agent", text_reply("Done. Anything else?")),
        Message("user", text_reply("I moved again.")),
    )


def continued(shop: DomainSuite, history: tuple[Event, ...]) -> Task:
    plan_ = (Action("1", "modify_user_address", address("2 New Road")),)
    task = msgspec.structs.replace(shop.tasks[0], criteria=Criteria(("DB",), actions=plan_))
    return starting(task, InitialState(history=history))


def setup_of(shop: DomainSuite, task: Task, agent: str) -> tuple[Setup, Cell]:
    config = RunConfig(shop.name, (agent,), tasks=(shop.tasks[0].id,))
    setup = msgspec.structs.replace(build_setup(config), tasks=(task,))
    return setup, plan_cells(setup)[0]


def test_a_conversation_goes_on_from_its_history(shop: DomainSuite) -> None:
    history = moved(shop)
    setup, cell = setup_of(shop, continued(shop, history), "gold")
    episode, score = asyncio.run(Player(setup).play(cell))
    assert episode.events[: len(history)] == history
    following = episode.events[len(history)]
    assert isinstance(following, Message)
    assert following.by == "agent"
    assert score.reward == Scored(1.0)
    assert episode.errors == 0


def test_what_the_history_wrote_is_in_both_states_that_are_compared(shop: DomainSuite) -> None:
    setup, cell = setup_of(shop, continued(shop, moved(shop)), "silent")
    _, score = asyncio.run(Player(setup).play(cell))
    assert score.reward == Scored(0.0)
    nothing_planned = msgspec.structs.replace(
        cell.task, criteria=Criteria(("DB",), actions=()), digest="other"
    )
    setup, cell = setup_of(shop, nothing_planned, "silent")
    _, score = asyncio.run(Player(setup).play(cell))
    assert score.reward == Scored(1.0)


def test_a_history_that_is_not_repeated_is_no_fault_of_the_agent(shop: DomainSuite) -> None:
    history = moved(shop)
    tampered = tuple(
        msgspec.structs.replace(event, content="no") if isinstance(event, ToolResult) else event
        for event in history
    )
    setup, cell = setup_of(shop, continued(shop, tampered), "gold")
    episode = asyncio.run(Player(setup).converse(cell))
    assert episode.is_fault
    assert "its history is not repeated: modify_user_address (h1)" in episode.ending.detail
    lenient = msgspec.structs.replace(setup, rules=RULES["dragoman-2-lenient"])
    assert asyncio.run(Player(lenient).converse(cell)).ending.reason == "user_stop"


def test_a_history_that_ends_with_a_stop_ends_at_once(shop: DomainSuite) -> None:
    history = (Message("user", text_reply("###STOP###")),)
    setup, cell = setup_of(shop, continued(shop, history), "gold")
    episode = asyncio.run(Player(setup).converse(cell))
    assert (episode.events, episode.ending) == (history, Termination("user_stop"))


def test_calls_that_a_history_leaves_open_are_executed_first(shop: DomainSuite) -> None:
    look = ToolCall("h1", "get_order_details", {"order_id": ORDER})
    history = (Message("user", text_reply("Hi")), Message("agent", ToolCallReply((look,))))
    setup, cell = setup_of(shop, continued(shop, history), "silent")
    episode = asyncio.run(Player(setup).converse(cell))
    assert isinstance(episode.events[2], ToolResult)
    (executed, *_) = executed_calls(episode.events)
    assert executed == (look, episode.events[2])
