"""Suite folders: the allowed content, and the error messages for wrong content."""

import re
import shutil
from pathlib import Path

import pytest

from dragoman.benchmarks.courier.agent_tools import AgentTools
from dragoman.benchmarks.courier.domain import COURIER
from dragoman.benchmarks.courier.user_tools import UserToolsWithSetup
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.kit.suite_files import suite_from_files
from dragoman.core.errors import DataError
from dragoman.core.tasks import CriticalField, KnownFact, UserAction

DATA = Path(__file__).resolve().parents[3] / "src" / "dragoman" / "benchmarks" / "courier" / "data"

TASK = """
[[tasks]]
id = "cards"
critical = [{ action = "hold", argument = "depot_id" }]
[tasks.scenario]
opening = "Hello."
facts = [{ name = "postcode", value = "PE-6013" }, { name = "pet", value = "dog", keywords = ["pet"] }]
deeds = [{ name = "scan_label" }]
[tasks.scenario.instructions]
domain = "courier"
reason_for_call = "You have a dog."
known_info = "PE-6013"
task_instructions = "Bark."
[tasks.criteria]
basis = ["DB", "COMMUNICATE"]
actions = [{ id = "hold", name = "hold_at_depot", arguments = { tracking_number = "PT331092549", depot_id = "PEN" } }]
must_say = ["19:30"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite of one task over the courier's database."""
    for name in ("suite.toml", "policy.md", "office.json", "app.json"):
        shutil.copy(DATA / name, tmp_path / name)
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "all.toml").write_text(TASK, "utf-8")
    return tmp_path


def load(folder: Path) -> ConversationSuite:
    return suite_from_files(
        "mine", folder, COURIER, {"agent": AgentTools, "user": UserToolsWithSetup}
    )


def test_a_task_is_read_with_keywords_of_its_own_or_the_suites(folder: Path) -> None:
    (task,) = load(folder).tasks
    assert (task.id, task.suite) == ("cards", "mine")
    assert task.scenario.facts == (
        KnownFact("postcode", "PE-6013", ("postcode", "post code", "postal code")),
        KnownFact("pet", "dog", ("pet",)),
    )
    assert task.scenario.user_actions == (UserAction("scan_label", {}, ("scan", "card", "label")),)
    assert task.critical == (CriticalField("hold", "depot_id"),)


def test_a_tasks_digest_follows_its_content(folder: Path) -> None:
    (before,) = load(folder).tasks
    (folder / "tasks" / "all.toml").write_text(TASK.replace("Bark.", "Growl."), "utf-8")
    (after,) = load(folder).tasks
    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ('opening = "Hello."', 'openning = "Hello."', r"unknown field $.scenario.openning"),
        ('value = "dog"', 'valeu = "dog"', "missing required field `value`"),
        ('keywords = ["pet"]', 'kyewords = ["pet"]', "unknown field $.scenario.facts[1].kyewords"),
        ('value = "dog"', 'value = "cat"', "fact pet: 'cat' does not stand in the instructions"),
        (', keywords = ["pet"]', "", "fact pet has no keywords"),
        ('"scan_label"', '"scan_cat"', "user action scan_cat: the user has no such tool"),
        (
            '{ name = "scan_label" }',
            '{ name = "scan_label", arguments = { x = 1 } }',
            "user action scan_l",
        ),
        ('name = "hold_at_depot"', 'name = "hold"', "names the unknown agent tool 'hold'"),
        ('depot_id = "PEN"', "depot_id = 3", "action hold: invalid arguments"),
        ('argument = "depot_id"', 'argument = "depot"', "has an argument 'depot'"),
        ('action = "hold"', 'action = "held"', "no action 'held'"),
        ('["DB", "COMMUNICATE"]', '["DB"]', "COMMUNICATE has something to judge and is not in"),
        ('["DB", "COMMUNICATE"]', "[]", "its basis is empty"),
        ('"COMMUNICATE"]', '"COMMUNICATE", "ENV_ASSERTION"]', "ENV_ASSERTION is in the basis and"),
        ('["DB", "COMMUNICATE"]', '["LUCK"]', "Invalid enum value 'LUCK'"),
        ("[tasks.criteria]", "[tasks.judged]", "unknown field $.judged"),
        ("[[tasks]]", "[[taks]]", "unknown field `taks`"),
        ("[[tasks]]", "[[tasks]", "tasks/all.toml"),
    ],
)
def test_what_is_wrong_in_a_task_is_said_in_one_line(
    folder: Path, right: str, wrong: str, fault: str
) -> None:
    assert right in TASK
    (folder / "tasks" / "all.toml").write_text(TASK.replace(right, wrong, 1), "utf-8")
    with pytest.raises(DataError, match=re.escape(fault)) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("mine: ")


def test_two_tasks_or_two_actions_do_not_share_a_name(folder: Path) -> None:
    (folder / "tasks" / "more.toml").write_text(TASK, "utf-8")
    with pytest.raises(DataError, match="two tasks have the id 'cards'"):
        load(folder)
    action = (
        'actions = [{ id = "hold", name = "track_parcel", arguments = { tracking_number = "x" } }, '
    )
    (folder / "tasks" / "more.toml").write_text(
        TASK.replace('"cards"', '"other"').replace("actions = [", action), "utf-8"
    )
    with pytest.raises(DataError, match="task other: two actions have the same id"):
        load(folder)


def test_a_task_without_criteria_is_refused(folder: Path) -> None:
    bare = TASK.partition("[tasks.criteria]")[0].replace("critical", "#")
    (folder / "tasks" / "all.toml").write_text(bare, "utf-8")
    with pytest.raises(DataError, match="task cards: it has no criteria"):
        load(folder)


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ('"cancel_shipment"', '"cancel"', "the irreversible tool 'cancel' does not exist"),
        ('"escalate_to_human"', '"escalate"', "the escalation tool 'escalate' does not exist"),
        ('reason = "minor"', 'reason = "child"', "escalation child: invalid arguments"),
        (
            'reason = "minor"',
            'reason = "minor", tasks = ["card"]',
            "escalation minor names no task that exists",
        ),
        ("licence =", "license =", "unknown field `license`"),
    ],
)
def test_what_is_wrong_in_suite_toml_is_said(
    folder: Path, right: str, wrong: str, fault: str
) -> None:
    text = (folder / "suite.toml").read_text("utf-8")
    (folder / "suite.toml").write_text(text.replace(right, wrong), "utf-8")
    with pytest.raises(DataError, match=fault):
        load(folder)


@pytest.mark.parametrize("name", ["suite.toml", "policy.md", "office.json", "tasks"])
def test_what_is_missing_is_named(folder: Path, name: str) -> None:
    (folder / name).rename(folder / "gone")
    with pytest.raises(DataError, match=re.escape(name)):
        load(folder)
