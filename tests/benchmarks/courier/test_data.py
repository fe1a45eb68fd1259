"""The data of courier are sound, of realistic size, and have every kind of task."""

import json
from importlib.resources import files

import msgspec
import pytest

from dragoman.benchmarks.courier.domain import courier_suite, load_courier_databases
from dragoman.benchmarks.courier.records import OfficeFile
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.core.errors import UsageError
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tasks import Action, Task
from dragoman.core.tools import ToolCall

DATA = files("dragoman.benchmarks.courier") / "data"
OFFICE = (DATA / "office.json").read_bytes()


def plan(task: Task) -> tuple[Action, ...]:
    assert task.criteria is not None
    return task.criteria.actions or ()


def names(task: Task) -> set[str]:
    return {action.name for action in plan(task)}


def test_the_database_is_of_real_size() -> None:
    office = msgspec.json.decode(OFFICE, type=OfficeFile)
    assert len(office.parcels) >= 300
    assert len(office.customers) >= 150
    assert len({parcel.status for parcel in office.parcels.values()}) == 10


def test_a_parcel_is_expected_only_while_somebody_will_bring_it() -> None:
    office = msgspec.json.decode(OFFICE, type=OfficeFile)
    booked = [parcel for parcel in office.parcels.values() if parcel.slot_id]
    assert booked
    for parcel in booked:
        slot = office.slots[parcel.slot_id]
        assert parcel.expected == f"{slot.date} {slot.window}", parcel.tracking_number
    rests = {"in_locker", "held_at_depot", "delivered", "collected", "cancelled"}
    wrong = [p.tracking_number for p in office.parcels.values() if p.status in rests and p.expected]
    assert wrong == []


def test_contacts_are_reserved_ones_and_belong_to_one_customer_each() -> None:
    customers = msgspec.json.decode(OFFICE, type=OfficeFile).customers.values()
    assert all(entry.phone.startswith("+44 7700 900") for entry in customers)
    assert all("example." in entry.email.partition("@")[2] for entry in customers)
    assert len({entry.phone for entry in customers}) == len(customers)
    assert len({entry.email for entry in customers}) == len(customers)


def test_there_are_tasks_of_every_kind(courier: ConversationSuite) -> None:
    tasks = courier.tasks
    assert len(tasks) >= 30
    two_sided = [task for task in tasks if any(action.by == "user" for action in plan(task))]
    assert len(two_sided) >= 6
    assert sum("escalate_to_human" in names(task) for task in tasks) >= 2
    assert all(task.critical for task in tasks if writes(courier, task))


def writes(courier: ConversationSuite, task: Task) -> bool:
    """Return whether the agent changes something for the caller's parcel."""
    changing = {tool.name for tool in courier.toolsets["agent"] if tool.kind == "write"}
    return bool(names(task) & (changing - {"verify_identity", "reset_locker_session"}))


def test_every_duty_to_escalate_has_a_task(courier: ConversationSuite) -> None:
    planned = {
        action.arguments["reason"]
        for task in courier.tasks
        for action in plan(task)
        if action.name == "escalate_to_human"
    }
    assert planned == {escalation.reason for escalation in courier.risk_profile.escalations}


def test_every_change_of_a_plan_is_made_for_somebody_verified(courier: ConversationSuite) -> None:
    factory = courier.factory(DEFAULT_RULES)
    for task in courier.tasks:
        environment = factory(task)
        for action in plan(task):
            environment.call(ToolCall(action.id, action.name, action.arguments, action.by))
        assert not any(b"nobody verified" in text for text in environment.delta().values()), task.id


@pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES])
def test_no_call_of_a_plan_is_refused(courier: ConversationSuite, rules: Rules) -> None:
    factory = courier.factory(rules)
    for task in courier.tasks:
        environment = factory(task)
        for action in plan(task):
            call = ToolCall(action.id, action.name, action.arguments, action.by)
            result = environment.call(call)
            assert not result.error, (task.id, result)


def test_splits_are_parts_of_the_whole(courier: ConversationSuite) -> None:
    parts = [courier_suite(split) for split in ("easy", "harder", "hardest")]
    assert [task.id for part in parts for task in part.tasks] == [task.id for task in courier.tasks]
    assert {part.provenance.digest for part in parts} == {courier.provenance.digest}
    with pytest.raises(UsageError, match="no split 'odd': choose easy, harder, hardest"):
        courier_suite("odd")


def test_the_policy_names_every_reason_to_escalate(courier: ConversationSuite) -> None:
    policy = courier.policy_text
    missing = [
        entry.reason for entry in courier.risk_profile.escalations if entry.reason not in policy
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("parcels", "KV155016507", "recipient_id"), "C0", "unknown sender or recipient"),
        (("parcels", "KV155016507", "depot_id"), "XXX", "unknown depot"),
        (("parcels", "KV155016507", "tracking_number"), "KV155016508", "filed under another"),
        (("parcels", "CV644027184", "compartment"), "09", "not in the compartment"),
        (("parcels", "CV644027184", "locker_id"), "L99", "not in the compartment"),
        (("lockers", "L06", "compartments", "06", "state"), "free", "is free with 'CV644027184'"),
        (("lockers", "L06", "compartments", "06", "tracking_number"), "X", "not in the compart"),
        (("slots", "KLO-0314-AM", "depot_id"), "XXX", "belongs to no depot"),
        (("security_words",), {}, "security words and customers differ"),
        (("codes",), {}, "has no code"),
        (("weather",), "fine", "unknown field"),
    ],
)
def test_a_database_that_does_not_fit_together_is_refused(
    path: tuple[str, ...], value: object, fault: str
) -> None:
    document = json.loads(OFFICE)
    *way, last = path
    place = document
    for step in way:
        place = place[step]
    place[last] = value
    databases = {
        "office.json": json.dumps(document).encode(),
        "app.json": (DATA / "app.json").read_bytes(),
    }
    with pytest.raises(msgspec.ValidationError, match=fault):
        load_courier_databases(databases)
