"""Audio sets as suites: their parts, and the refused sets."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from dragoman.core.capabilities import (
    CallsAsText,
    ExpectsValues,
    ExternalServices,
    NeedsExternalServices,
    OwnCheck,
    Recorded,
    Vocabulary,
)
from dragoman.core.errors import DataError, UsageError
from dragoman.core.rules import DEFAULT_RULES, RULES
from dragoman.registry.suites import load_suite, prompts_for, task_family
from dragoman.store.audio_set import AudioSet

WriteSet = Callable[..., Path]
HEARD: Mapping[str, Callable[[str], str]] = {"mixed": str.lower, "simulated:15": str.upper}
TASKS = ("simple_python_0", "multi_turn_base_0")
PARTS = ("bfcl:simple_python", "bfcl:multi_turn_base")


@pytest.fixture
def bfcl_set(
    write_set: WriteSet, pulled_bfcl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A set of one question and one entry of several turns."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    return write_set(tmp_path / "set", [load_suite(name) for name in PARTS], TASKS, HEARD)


def test_a_set_is_a_suite_of_the_tasks_that_were_recorded(bfcl_set: Path) -> None:
    suite = load_suite(f"set:{bfcl_set}")

    assert isinstance(suite, Recorded)
    assert suite.recordings.recognizers == ("mixed", "simulated:15")
    assert [part.name for part in suite.suites] == list(PARTS)
    assert [(task.id, task.suite) for task in suite.tasks] == list(zip(TASKS, PARTS, strict=True))


def test_its_tasks_are_those_of_the_suites_that_it_was_made_of(
    bfcl_set: Path, write_set: WriteSet, tmp_path: Path
) -> None:
    assert task_family(f"set:{bfcl_set}") == task_family("bfcl:non_live")

    suites = [load_suite("bfcl:simple_python"), load_suite("sample:shop")]
    mixed = write_set(tmp_path / "mixed", suites, ("simple_python_0", "two-swaps"), HEARD)
    assert task_family(f"set:{mixed}") == f"set:{mixed}"


def test_every_task_is_played_and_judged_by_its_own_suite(bfcl_set: Path) -> None:
    suite = load_suite(f"set:{bfcl_set}")
    single, turns = (load_suite(name) for name in PARTS)

    for part, task in zip((single, turns), suite.tasks, strict=True):
        environment, own = (each.factory(DEFAULT_RULES)(task) for each in (suite, part))
        assert environment.tools("agent").encoded == own.tools("agent").encoded
        assert suite.policy(task, environment) == part.policy(task, own)
        assert isinstance(suite, ExpectsValues)
        assert isinstance(part, ExpectsValues)
        assert suite.expected_values(task) == part.expected_values(task) != []
        assert isinstance(suite, CallsAsText)
        assert isinstance(part, CallsAsText)
        ours, theirs = (
            each.text_protocol({"calls": "python"}, DEFAULT_RULES) for each in (suite, part)
        )
        shown = environment.tools("agent")
        assert ours.offer(task, shown) == theirs.offer(task, shown)
        assert ours.read(task, "[f(a=1)]") == theirs.read(task, "[f(a=1)]")
    assert isinstance(suite, OwnCheck)
    assert suite.check(DEFAULT_RULES) is not None


def test_what_can_be_known_before_anybody_speaks_is_that_of_all_suites(bfcl_set: Path) -> None:
    suite, parts = load_suite(f"set:{bfcl_set}"), [load_suite(name) for name in PARTS]

    assert isinstance(suite, Vocabulary)
    known = [part.texts() for part in parts if isinstance(part, Vocabulary)]
    assert suite.texts() == {
        "tools": [each["tools"] for each in known],
        "database": known[1]["database"],
    }


def test_prompts_and_rules_are_those_of_its_suites(bfcl_set: Path) -> None:
    name = f"set:{bfcl_set}"
    assert prompts_for(name, DEFAULT_RULES) == prompts_for(PARTS[0], DEFAULT_RULES)
    suite = load_suite(name)
    assert isinstance(suite, OwnCheck)
    with pytest.raises(UsageError, match="has no rules 'seatau'"):
        suite.check(RULES["seatau"])


def test_a_moved_set_is_the_same_suite_and_another_one_is_not(
    bfcl_set: Path, write_set: WriteSet, tmp_path: Path
) -> None:
    before = load_suite(f"set:{bfcl_set}").provenance
    moved = bfcl_set.rename(tmp_path / "moved")
    assert load_suite(f"set:{moved}").provenance == before

    parts = [load_suite(name) for name in PARTS]
    other = write_set(tmp_path / "other", parts, TASKS, {"mixed": str.lower})
    assert load_suite(f"set:{other}").provenance.digest != before.digest


def test_a_set_of_conversations_is_judged_by_their_criteria(
    write_set: WriteSet, tmp_path: Path
) -> None:
    courier = load_suite("courier:easy")
    task = courier.tasks[0].id
    suite = load_suite(f"set:{write_set(tmp_path / 'set', [courier], [task], HEARD)}")

    assert isinstance(suite, OwnCheck)
    assert suite.check(DEFAULT_RULES) is None
    assert isinstance(suite, CallsAsText)
    with pytest.raises(UsageError, match="has no one form for calls in text"):
        suite.text_protocol({"calls": "python"}, DEFAULT_RULES)


def test_a_set_may_need_what_its_suites_need(
    bfcl_set: Path, write_set: WriteSet, tmp_path: Path
) -> None:
    assert bfcl_set.is_dir()
    search = load_suite("bfcl:web_search_base")
    task = search.tasks[0].id
    suite = load_suite(f"set:{write_set(tmp_path / 'web', [search], [task], HEARD)}")

    assert isinstance(suite, NeedsExternalServices)
    assert (suite.needs, suite.missing != "") == ("search", True)
    reached = suite.reaching(ExternalServices(identity="an engine"))
    assert reached.provenance.digest != suite.provenance.digest


def changed(folder: Path, **fields: object) -> None:
    path = folder / "settings.json"
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | fields))


@pytest.mark.parametrize(
    ("suites", "complaint"),
    [
        ({"bfcl:simple_python": "older"}, "the data of bfcl:simple_python differ from those"),
        ({"bfcl:nowhere": ""}, "unknown suite 'bfcl:nowhere'"),
        ({"elsewhere:all": ""}, "it was made of elsewhere:all, and no suite has that name"),
        ({"set:.": ""}, r"it was made of set:\., and no suite has that name"),
        ({}, "names no suite that the set is of"),
        ({"courier:easy": None}, "its suites have no task multi_turn_base_0"),
    ],
)
def test_a_set_of_other_data_is_refused(
    bfcl_set: Path, suites: dict[str, str | None], complaint: str
) -> None:
    digests = {
        name: load_suite(name).provenance.digest if digest is None else digest
        for name, digest in suites.items()
    }
    changed(bfcl_set, suites=digests)
    with pytest.raises((DataError, UsageError), match=complaint):
        load_suite(f"set:{bfcl_set}")


def test_words_that_the_suite_does_not_have_are_refused(bfcl_set: Path) -> None:
    path = bfcl_set / "texts.jsonl"
    path.write_bytes(path.read_bytes().replace(b"triangle", b"square"))
    with pytest.raises(DataError, match="recorded of task simple_python_0 is not what its user"):
        load_suite(f"set:{bfcl_set}")


def test_suites_that_share_ids_cannot_be_one(
    bfcl_set: Path, write_set: WriteSet, tmp_path: Path
) -> None:
    assert bfcl_set.is_dir()
    parts = [load_suite(name) for name in ("bfcl:simple_python", "bfcl:non_live")]
    twice = write_set(tmp_path / "twice", parts, ["java_0"], HEARD)
    with pytest.raises(UsageError, match="both have a task simple_python_0: make a set of each"):
        load_suite(f"set:{twice}")


def test_a_folder_without_a_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no audio set lies there"):
        load_suite(f"set:{tmp_path}")


def test_a_set_that_was_changed_after_it_was_made_is_refused(bfcl_set: Path) -> None:
    recorded = AudioSet(bfcl_set).digest
    (bfcl_set / "card.json").write_bytes(msgspec.json.encode({"recorded": recorded}))
    load_suite(f"set:{bfcl_set}")
    path = bfcl_set / "transcripts" / "mixed.jsonl"
    path.write_bytes(path.read_bytes().replace(b"triangle", b"tri angle"))
    with pytest.raises(DataError, match="was changed after it was made"):
        load_suite(f"set:{bfcl_set}")
