"""Labels in result files, in people's usual forms, and refused labels."""

import json
from pathlib import Path

import pytest

from dragoman.benchmarks.tau2.result_import import read_labelled
from dragoman.core.errors import DataError, UsageError
from dragoman.experiments.human_labels import Labels, read_labels_of
from dragoman.experiments.measure_validation import check_labels

MESSAGES = (
    {"role": "user", "content": "Where is KD274188065?"},
    {"role": "assistant", "content": "What is your tracking number?"},
    {"role": "user", "content": "KD274188065, as I said."},
)


def file(path: Path, *labels: object, turns: object = None, **simulation: object) -> Path:
    """Write a file with one conversation, whose last message has labels."""
    messages: list[dict[str, object]] = [dict(each) for each in MESSAGES]
    if turns is not None:
        messages[2]["labels"] = turns
    record: dict[str, object] = {
        "id": "s1",
        "task_id": "1",
        "termination_reason": "user_stop",
        "messages": messages,
        **({"labels": labels[0]} if labels else {}),
        **simulation,
    }
    content = {
        "info": {
            "agent_info": {"implementation": "a"},
            "user_info": {"implementation": "u"},
            "environment_info": {"domain_name": "courier"},
        },
        "tasks": [{"id": "1", "user_scenario": {"instructions": "Ask."}}],
        "simulations": [record],
    }
    written = path / "file.json"
    written.write_text(json.dumps(content), "utf-8")
    return written


def read(path: Path) -> Labels | None:
    record = read_labelled(path).records[0]
    labels, language = read_labels_of(record, path)
    assert language == "en"
    return labels


@pytest.mark.parametrize(
    "turns", ["repetition", ["Repetitions"], {"repetition": 1}, {"repeat": True}]
)
def test_a_message_has_a_name_or_names_or_numbers_by_name(tmp_path: Path, turns: object) -> None:
    labels = read(file(tmp_path, turns=turns))
    assert labels is not None
    assert labels.counts == {"repetitions": 1}
    assert labels.turns == {"repetitions": {2: 1}}


@pytest.mark.parametrize(
    "labels",
    [
        {"repetitions": [2], "corrections": 0},
        {"turns": {"2": ["repetition"]}, "corrections": 0},
        {"counts": {"repetitions": 1, "corrections": 0}, "turns": {"2": "repetition"}},
        {"by_turn": [{"turn_idx": 2, "labels": ["repetition"]}], "corrections": False},
        {"repetitions": [2], "corrections": []},
    ],
)
def test_labels_beside_the_messages_name_turns_or_count(tmp_path: Path, labels: object) -> None:
    found = read(file(tmp_path, labels))
    assert found is not None
    assert found.counts == {"repetitions": 1, "corrections": 0}
    assert found.turns == {"repetitions": {2: 1}}


def test_a_list_beside_the_messages_is_of_turns(tmp_path: Path) -> None:
    found = read(file(tmp_path, [{"turn": 2, "label": "repetition"}]))
    assert found is not None
    assert found.counts == {"repetitions": 1}


def test_no_labels_are_not_the_same_as_none_counted(tmp_path: Path) -> None:
    assert read(file(tmp_path)) is None
    found = read(file(tmp_path, {}))
    assert found is not None
    assert found.counts == {}


@pytest.mark.parametrize(
    ("labels", "reported"),
    [
        ({"repetitons": 1}, "unknown label 'repetitons': there are errors, "),
        ({"repetitions": -1}, "'repetitions' is -1, which is not a count"),
        ({"repetitions": 1.5}, "'repetitions' is 1.5, which is not a count"),
        ({"repetitions": "two"}, "'repetitions' is 'two', which is not a count"),
        ({"repetitions": [7]}, "turn 7 does not exist"),
        ({"repetitions": [True]}, "turn True does not exist"),
        ({"turns": {"x": ["repetition"]}}, "turn 'x' does not exist"),
        ({"turns": [3]}, "labels by turn are objects with"),
        ({"turns": 3}, "labels by turn are an object or a list"),
        (
            {"repetitions": 2, "turns": {"2": "repetition"}},
            "2 repetitions are counted, and turns have 1",
        ),
        ({"repetitions": 2, "repetition": 1}, "repetitions are counted twice, and differently"),
        (3, "`labels` is neither an object nor a list"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_line(
    tmp_path: Path, labels: object, reported: str
) -> None:
    path = file(tmp_path, labels)
    with pytest.raises(DataError) as caught:
        check_labels([path])
    assert str(caught.value).startswith(f"{path}: simulation s1: ")
    assert reported in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_language_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a language code"):
        check_labels([file(tmp_path, {}, language="../en")])


def test_a_language_without_phrases_is_unscored_and_never_exact(tmp_path: Path) -> None:
    found = check_labels([file(tmp_path, {"repetitions": 1}, language="sw")])
    assert [(each.label, each.measured, each.why) for each in found.differences] == [
        ("repetitions", None, "the phrases of the user's language are not known")
    ]
    assert (found.figures[0].unscored, found.figures[0].exact) == (1, 0)


def test_turns_are_compared_as_well_as_counts(tmp_path: Path) -> None:
    assert check_labels([file(tmp_path, {"repetitions": [2]})]).is_exact
    found = check_labels([file(tmp_path, {"repetitions": [0]})])
    assert found.differences[0].only_labelled == (0,)
    assert found.differences[0].only_measured == (2,)


def test_a_file_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no conversation has `labels`"):
        check_labels([file(tmp_path)])
